"""What the data of a graph hold: counts, fill, ranges, namesakes, symmetry and degrees, for all tools to share."""
