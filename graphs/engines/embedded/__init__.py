"""The embedded engine: one ArcadeDB process for each data folder, reached over Bolt on loopback.

Servers use `engine.py`; `launcher.py` finds or starts the process, and `process.py` is the process.
"""
