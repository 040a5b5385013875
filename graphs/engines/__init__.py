"""Engines run queries: the embedded one is ArcadeDB, the other kind is any Bolt server."""
