"""Tasks made for any graph: graph patterns and RETURN templates, instantiated by sampling in its database.

`patterns.json` and `templates.json` are data: a file of the same form, given to `generate`, replaces them.
"""
