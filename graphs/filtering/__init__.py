"""The part of a schema that a question needs, selected from the reading of the question."""
