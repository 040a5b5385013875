"""Runs: predictions for tasks, from a file, a baseline or an agent, scored in parallel and resumable.

A run is a folder: `run.json` (its settings), `predictions.jsonl` and `scores.jsonl` (a record per task, appended and
flushed to disk), `gold.sqlite` (gold answers). The same command resumes a run that was interrupted.
"""
