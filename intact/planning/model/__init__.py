"""Planning by a language model that reads the whole document."""
