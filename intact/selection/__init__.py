"""How the replacement of each entity is chosen."""
