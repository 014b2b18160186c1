"""What a document talks about: its things and its timeline, beyond single mentions."""
