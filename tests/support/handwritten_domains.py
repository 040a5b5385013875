"""Handwritten statements for the domains that the real data next to the project do not cover.

The facts are general knowledge. Classes, properties and the items below `OUR_NUMBERS` have Wikidata's own numbers; the
numbers from `OUR_NUMBERS` on are ours, because we did not look up those items.

    Q175036 | Guernica | P31 Q3305213, P170 Q5593, P571 1937

is an item, its English name and its statements: a value is an item, a date (day, month or year), `#32` (a quantity),
`#198 Q174728` (with its unit) or `"text"`; `{P580 1996}` holds qualifiers. Every label and every relationship type of
the domains occurs. The statements stand in `handwritten_domains.toml`.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.support.wikidata_documents import Document, document, item_snak, snak, statement, time_snak

OUR_NUMBERS = 9_000_000_000
_TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
DOMAINS = tuple(name for name in _TEXTS if name != "classes")
_STATEMENT = re.compile(r'(P\d+) ("[^"]*"|[^,{]+?)(?: \{([^}]*)\})?(?:, *\n? *|$)')


def handwritten_documents(domain: str) -> Iterator[Document]:
    """Yield the entity documents of a domain and of the classes."""
    for line in (_TEXTS["classes"] + _TEXTS[domain]).replace("\n ", " ").strip().splitlines():
        if line:
            identifier, name, notation = (part.strip() for part in (line + " ").split(" | "))
            yield _document(identifier, name, notation)


def _document(identifier: str, name: str, notation: str) -> Document:
    claims: Document = {}
    read = 0
    for found in _STATEMENT.finditer(notation):
        assert found.start() == read, f"{identifier}: {notation[read:]}"
        read = found.end()
        property_, value, qualifiers = found.groups()
        several = claims.setdefault(property_, [])
        snaks: dict[str, list[Document]] = {}
        for qualifier in filter(None, (qualifiers or "").split(", ")):
            key, _, text = qualifier.partition(" ")
            snaks.setdefault(key, []).append(_snak(key, text))
        several.append(statement(identifier, len(several), _snak(property_, value), snaks))
    assert read == len(notation), f"{identifier}: {notation[read:]}"
    return document(identifier, name, claims)


def _snak(name: str, text: str) -> Document:
    """Return the snak of a property with a value in the notation above."""
    if text.startswith('"'):
        return snak(name, "string", text.strip('"'))
    if text.startswith("#"):
        amount, _, unit = text[1:].partition(" ")
        address = f"http://www.wikidata.org/entity/{unit}" if unit else "1"
        return snak(name, "quantity", {"amount": f"+{amount}", "unit": address})
    if text.startswith("Q"):
        return item_snak(name, text)
    year, month, day = ([*text.split("-"), "00", "00"])[:3]
    return time_snak(name, f"+{year}-{month}-{day}T00:00:00Z", 9 + text.count("-"))
