"""Programs that make the package's data; not part of the package."""
