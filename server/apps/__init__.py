"""MCP Apps (`io.modelcontextprotocol/ui`, version 2026-01-26): an interactive view inside the client's conversation.

A client that declares the extension shows the schema of `get_schema`, and the rows of `execute_cypher` as a table. For
other clients nothing changes.
"""
