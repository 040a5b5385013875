"""What every tool call passes through, each concern in a module: errors, timing, arguments, budget.

A middleware takes a `Call` and the next step, and gives an `Outcome`. None of them knows MCP: `graphground call`
runs the same chain.
"""
