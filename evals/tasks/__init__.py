"""Tasks: a question, the gold query that answers it, and where it came from; read and written as CypherBench does."""
