"""Decides whether a mention means something in the graph: found, ambiguous or not found."""
