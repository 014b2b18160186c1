"""The things of a document, and what phrases tell of them beyond single mentions."""
