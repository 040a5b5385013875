"""Replaces ligatures and compatibility forms of letters by plain letters, in bounded space.

>>> decomposed("ﬁn ①")
'fin 1'
"""

from __future__ import annotations

import re
import unicodedata

_WHOLE_PHRASES = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}\N{ARABIC LIGATURE JALLAJALALOUHOU}"
"""The two signs that become whole phrases, of 18 and of 8 letters. Any other sign becomes at most 7 letters."""
_DECOMPOSED = re.compile(f"[^{_WHOLE_PHRASES}]+")


def decomposed(text: str) -> str:
    """Return the compatibility decomposition (NFKD) of a text, at most seven times as long;
    signs for phrases are kept."""
    if not any(sign in text for sign in _WHOLE_PHRASES):
        return unicodedata.normalize("NFKD", text)
    return _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFKD", found.group()), text)
