"""The part of a schema that a question needs."""
