"""Queries of the server's owner as tools: defined in the settings, run as `execute_cypher` runs any query."""
