"""Splits a name into its words.

>>> split("hasCastMember"), split("avg_gestation_period"), split("NBATeam2"), split("StraßeÜberDenFluss")
(['has', 'Cast', 'Member'], ['avg', 'gestation', 'period'], ['NBA', 'Team', '2'], ['StraßeÜber', 'Den', 'Fluss'])
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")


def split(name: str) -> list[str]:
    """Return the words of a label, type or property as written: `runtimeMinute` gives `runtime` and `Minute`."""
    return _WORD.findall(name)
