"""INTACT: truthful text sanitisation."""

__version__ = "0.1.0"
