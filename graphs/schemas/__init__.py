"""Schemas: written as text, read from a database, filtered for a question."""
