"""Schemas: written as text, extracted from a database, or filtered for a question."""
