"""Opens a `Graph` from its definition: stored, bundled or in a database."""
