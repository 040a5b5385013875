"""Constrained decoding: an automaton over a model's tokens allows only valid queries.

`automaton` and `regular_expression` represent a set of queries, `vocabulary` and `tokenizers` the tokens, and
`constraint` the tokens that may come next. `search` decodes greedily or with a beam; `logits_processor` and `grammars`
are for use with other libraries and programs. Source: GraphRAFT (arXiv 2504.05478), §4.2.
"""
