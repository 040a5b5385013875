"""Runs: predictions for tasks, from an agent, a baseline or a file, are scored in parallel; a run can be resumed.

A run is a folder: `run.json` (its settings), `predictions.jsonl` and `scores.jsonl` (a record per task, appended and
flushed to disk), `gold.sqlite` (gold answers). The same command resumes a run that was interrupted.
"""
