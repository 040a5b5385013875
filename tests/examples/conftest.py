"""The fixtures of the agents' tests, for the examples that use agents."""

from tests.agents.conftest import keys, nba_server

__all__ = ["keys", "nba_server"]
