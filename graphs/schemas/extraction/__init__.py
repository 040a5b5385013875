"""Extracts the exact schema of a connected database."""
