"""Graph files: SimpleKG, record checks, loading, importing and exporting."""
