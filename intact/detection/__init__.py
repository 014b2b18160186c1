"""Where mentions come from."""
