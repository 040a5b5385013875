"""Reference agents: each answers questions with any language model, and reaches the graph only through the MCP tools.

    graphground agent zero-shot --graph nba --model gpt-5-mini "Who plays for the Chicago Bulls?"

The agents are MCP clients. Of graphground they import only `prompts` and `cypher`, which do no I/O. A running server
imports this folder only if its page has a language model (`--model`). Calling a language model requires the extra
`agents`.
"""
