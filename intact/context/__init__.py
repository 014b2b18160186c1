"""Words that nobody annotated but that give something away, and true words to stand for them."""
