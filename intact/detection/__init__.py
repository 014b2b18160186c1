"""Find mentions in raw text."""
