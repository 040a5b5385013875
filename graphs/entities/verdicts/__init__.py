"""Decides whether a mention refers to an entity of the graph: found, ambiguous or not found."""
