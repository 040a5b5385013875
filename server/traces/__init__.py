"""Traces: the tool calls of connected clients as events, kept in memory and, on request, in a file of JSON Lines."""
