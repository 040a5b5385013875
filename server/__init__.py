"""The MCP server: the application, which runs the tools; its transports and its page; and the command line."""
