"""Tasks: a question, its gold query and its origin; read and written in CypherBench's format."""
