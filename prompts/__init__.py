"""Prompt texts as Markdown templates, and functions that load them."""
