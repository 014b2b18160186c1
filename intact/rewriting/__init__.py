"""From phrases and places to sentences."""
