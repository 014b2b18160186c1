"""The things and the timeline of a document, beyond single mentions."""
