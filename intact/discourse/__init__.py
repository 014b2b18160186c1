"""The entities of a document, and what phrases reveal of them beyond single mentions."""
