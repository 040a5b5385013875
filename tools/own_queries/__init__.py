"""Queries of the server's owner, offered as tools: defined in the settings and run like a query of `execute_cypher`."""
