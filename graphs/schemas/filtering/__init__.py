"""Selects the part of a schema that a question needs."""
