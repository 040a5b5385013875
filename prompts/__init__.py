"""Prompt texts as Markdown templates, and their loader."""
