"""Reference agents that use only the server's tools, through MCP, with any language model.

    graphground agent zero-shot --graph nba --model gpt-5-mini "Who plays for the Chicago Bulls?"

They are clients: of our own packages they import only `prompts`, and a server never loads this folder. The language
models need the extra `agents`.
"""
