"""Finds entities by meaning, for mentions that no name matches by spelling: compares vectors of names."""
