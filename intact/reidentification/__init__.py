"""The population to hide in: what the world already knows of its individuals, and who uses it."""
