"""The server owner's queries as tools: defined in the settings, run like any query of `execute_cypher`."""
