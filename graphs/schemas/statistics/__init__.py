"""Statistics of a graph's data: counts, fill, ranges, namesakes, symmetry and degrees, shared by all tools."""
