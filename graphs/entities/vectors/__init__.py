"""Finds entities by meaning, by comparing vectors, for mentions that are not similar to any name in spelling."""
