"""Generates tasks for any graph: graph patterns and RETURN templates, instantiated by sampling in its database.

`patterns.json` and `templates.json` are data; `generate` accepts other files of the same form.
"""
