"""From a definition to an open `Graph`."""
