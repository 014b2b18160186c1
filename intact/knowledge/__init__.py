"""The embedded knowledge base: what INTACT knows of the world without a model."""
