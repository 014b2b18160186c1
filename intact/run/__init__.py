"""Runs: many documents, from files to files, that can be interrupted safely and resumed."""
