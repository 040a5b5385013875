"""The steps that every tool call passes through, one module each: errors, timing, arguments, budget.

A middleware takes a `Call` and the next step, and returns an `Outcome`. Middleware is independent of MCP: `graphground
call` runs the same chain.
"""
