"""Whether a mention means something in the graph at all: found, ambiguous or not found."""
