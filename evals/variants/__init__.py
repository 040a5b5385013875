"""Harder variants of task files: the same gold answers under other names, and questions without an answer."""
