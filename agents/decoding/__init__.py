"""Constrained decoding of valid queries: the automaton of a set of queries, over the tokens of a model.

`automaton` and `regular_expression` hold a set of queries, `vocabulary` and `tokenizers` the tokens, `constraint` what may
follow; `search` decodes greedily or with a beam, `logits_processor` serves other libraries, `grammars` other programs.
Source: GraphRAFT (arXiv 2504.05478), §4.2.
"""
