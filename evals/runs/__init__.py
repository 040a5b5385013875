"""Runs: predictions for tasks, made by an agent or a baseline or read from a file, scored in parallel, resumable.

A run is a folder: `run.json` (its settings), `predictions.jsonl` and `scores.jsonl` (a record per task, appended and
flushed to disk), `gold.sqlite` (gold answers). The same command resumes a run that was interrupted.
"""
