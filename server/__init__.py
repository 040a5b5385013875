"""The MCP application: registration, middleware, settings, transports, command line."""
