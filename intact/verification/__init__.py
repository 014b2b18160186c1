"""Proves what can be proved of a plan, attacks the finished text, climbs or asks for repair."""
