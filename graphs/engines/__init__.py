"""Engines, which run queries: the embedded engine (ArcadeDB), and an engine for any other database that speaks Bolt."""
