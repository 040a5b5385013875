"""The embedded engine: one ArcadeDB process for each data folder, reached over Bolt on loopback.

Servers use `engine.py`; `launcher.py` finds or starts the process, `process.py` is the process, and `state.py` is the
file in which the process publishes its address.
"""
