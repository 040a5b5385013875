"""The MCP server: the application that runs tools, middleware, settings, transports, and the command line."""
