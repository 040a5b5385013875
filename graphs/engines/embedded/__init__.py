"""The embedded engine: one ArcadeDB process for each data folder, reached over Bolt on loopback.

`engine.py` is what a server uses, `launcher.py` finds or starts the process, `process.py` is the process,
`state.py` the file in which it says where it listens.
"""
