"""Training pairs of a question and its best query, from questions and answers alone: no gold queries are needed.

`questions` reads the files, `neighbourhood` enumerates patterns around the entities inside the database, `candidates`
runs and counts whole queries there, `pairs` chooses by precision and recall and writes JSON Lines for `trl`.
Source: GraphRAFT (arXiv 2504.05478), §4.1.
"""
