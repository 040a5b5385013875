"""Statistics of a graph's data, shared by all tools: counts, missing values, ranges, namesakes,
and symmetry."""
