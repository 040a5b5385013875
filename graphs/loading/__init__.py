"""Files in and out: SimpleKG, checks of records, loading, exporting."""
