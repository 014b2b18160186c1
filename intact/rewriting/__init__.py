"""Phrase and place to sentence."""
