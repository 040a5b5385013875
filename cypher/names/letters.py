"""The letters of a text without ligatures and compatibility forms, in bounded space.

>>> decomposed("ﬁn ①")
'fin 1'
"""

from __future__ import annotations

import re
import unicodedata

_WHOLE_PHRASES = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}\N{ARABIC LIGATURE JALLAJALALOUHOU}"
"""Signs that stand for several words: the first has 18 letters, any other sign of Unicode 7 at most."""
_DECOMPOSED = re.compile(f"[^{_WHOLE_PHRASES}]+")


def decomposed(text: str) -> str:
    """The compatibility decomposition (NFKD) of a text, at most seven times as long; signs for phrases are kept."""
    if not any(sign in text for sign in _WHOLE_PHRASES):
        return unicodedata.normalize("NFKD", text)
    return _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFKD", found.group()), text)
