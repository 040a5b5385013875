"""Engines run queries: the embedded engine is ArcadeDB, any other database is reached over Bolt."""
