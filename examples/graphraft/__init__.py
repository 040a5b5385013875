"""GraphRAFT (arXiv 2504.05478) over the server's tools: training pairs for its two models, its beam, and its metrics.

python -m examples.graphraft pairs questions.csv --graph nba --out l1.jsonl       # the first model writes a query
python -m examples.graphraft readers questions.csv --graph nba --out l2.jsonl     # the second chooses among nodes
python -m examples.graphraft rank questions.jsonl --graph nba --gguf l1.gguf --model l2 --out rankings.jsonl
python -m examples.graphraft score prime/ --rankings rankings.jsonl
"""
