"""Engines: what runs a query. The embedded one is ArcadeDB; any Bolt server is the other kind."""
