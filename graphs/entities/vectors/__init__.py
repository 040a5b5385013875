"""Finds entities by meaning: vectors of names, for mentions that spelling does not match."""
