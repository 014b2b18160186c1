"""Makes the knowledge file and the list of names from public sources."""
