"""Statistics of a graph's data, shared by all tools: counts, fill, ranges, namesakes, symmetry and degrees."""
