"""Traces: the tool calls of connected clients as events, kept in memory and, if asked for, in a file of JSON Lines."""
