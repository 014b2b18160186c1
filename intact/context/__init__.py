"""What the words that nobody annotated give away, and what may truthfully stand for them."""
