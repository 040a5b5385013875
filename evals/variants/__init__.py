"""Harder variants of tasks: the same gold answers but other names in the question, and questions without an answer."""
