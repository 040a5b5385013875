"""Explains why a query returned no rows, and what rows hide: `why_empty` in `explain`, `second_look` in its module."""
