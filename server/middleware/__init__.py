"""The steps that every tool call passes through, one module each: `timing`, `errors`, `arguments`, `budget`.

A middleware takes a `Call` and the next step, and returns an `Outcome`. The last step, `budget`, takes only the `Call`,
and runs the tool. Middleware is independent of MCP: `graphground call` runs the same chain.
"""
