"""INTACT inside other tools: Presidio, spaCy, pandas."""
