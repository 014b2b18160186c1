"""What makes the data that the package carries; not part of the package."""
