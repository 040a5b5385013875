"""The transports through which clients connect: stdio and streamable HTTP."""
