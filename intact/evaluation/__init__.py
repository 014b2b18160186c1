"""Measures, one file each."""
