"""Generates tasks for any graph from graph patterns and RETURN templates, filled by sampling the graph's database.

`patterns.json` and `templates.json` are data; `generate` accepts other files of the same form.
"""
