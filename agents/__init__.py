"""Reference agents: each answers questions with any language model, and reaches the graph only through the MCP tools.

    graphground agent zero-shot --graph nba --model gpt-5-mini "Who plays for the Chicago Bulls?"

The agents are MCP clients. `prompts` is the only other graphground package that they import, and a running server never
imports this folder. Calling a language model requires the extra `agents`.
"""
