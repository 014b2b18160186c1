"""INTACT over HTTP, for one machine or a trusted network."""
