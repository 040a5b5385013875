"""Reports of runs: one HTML file that opens from disk, and the same figures as JSON."""
