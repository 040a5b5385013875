"""The exact schema of a connected database."""
