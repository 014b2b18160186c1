"""Who guesses originals, and when a guess counts."""
