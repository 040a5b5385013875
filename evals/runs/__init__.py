"""Runs: predictions for tasks, from a file, a baseline or an agent, scored in parallel and resumable.

A run is a folder: `run.json` (what was asked), `predictions.jsonl` and `scores.jsonl` (a record per task, appended and
flushed to disk), `gold.sqlite` (gold answers). The same command continues a run that was killed.
"""
