"""Finds the property that names the nodes of a label, such as `title` of a Movie or `companyName` of a Customer.

The name of the property counts most. How distinct its values are, how many nodes have it, and whether a uniqueness
constraint or a full-text index covers it also count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphground.cypher.text_values import TextValues

LEAST_SCORE = 0.45
WHOLE = {
    "name": 1.0,
    "title": 0.98,
    "label": 0.85,
    "fullname": 0.97,
    "displayname": 0.97,
    "caption": 0.7,
    "term": 0.75,
    "heading": 0.7,
    "subject": 0.6,
    "headline": 0.8,
    "word": 0.6,
    "symbol": 0.6,
    "tag": 0.6,
    "hostname": 0.75,
    "username": 0.7,
    "login": 0.55,
    "email": 0.6,
    "code": 0.45,
    "key": 0.4,
    "id": 0.35,
    "ip": 0.6,
    "iban": 0.55,
    "cidr": 0.55,
    "isbn": 0.45,
    "doi": 0.45,
    "address": 0.5,
    "url": 0.3,
    "uri": 0.3,
    "number": 0.4,
    "no": 0.4,
    "ref": 0.4,
    "value": 0.4,
}
"""The likelihood, from 0 to 1, that a property with this name names its node."""

LAST = {
    "name": 0.9,
    "title": 0.6,
    "label": 0.6,
    "term": 0.55,
    "email": 0.5,
    "tag": 0.5,
    "code": 0.42,
    "key": 0.42,
    "id": 0.4,
    "ref": 0.42,
    "no": 0.4,
    "number": 0.4,
    "nm": 0.7,
    "nr": 0.4,
}
"""The likelihood, from 0 to 1, that a property whose name ends in this word names its node: `companyName`."""

PART_OF_A_NAME = {
    "last": 0.65,
    "family": 0.62,
    "sur": 0.62,
    "first": 0.4,
    "given": 0.4,
    "middle": 0.1,
    "nick": 0.5,
    "file": 0.6,
    "user": 0.7,
    "contact": 0.35,
    "maiden": 0.1,
    "job": 0.2,
    "short": 0.75,
    "sort": 0.3,
    "country": 0.75,
    "city": 0.6,
}
"""The likelihood that `…Name` or `…Title` with this first word names its node: `lastName` more than `middleName`."""

NEVER = frozenset(
    {
        "description",
        "comment",
        "comments",
        "abstract",
        "notes",
        "note",
        "text",
        "body",
        "summary",
        "bio",
        "password",
        "hash",
        "checksum",
        "created",
        "updated",
        "provenance",
        "eid",
        "status",
        "type",
        "kind",
        "category",
        "tagline",
        "born",
        "gender",
        "currency",
        "image",
        "poster",
        "photo",
        "picture",
    }
)
NUMERIC_FORMS = frozenset({"int", "float", "comma_float", "grouped_float"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A sampled text property: some of its values, and the share of the sampled nodes that have the property.

    `unique` and `searched` state whether a uniqueness constraint or a full-text index covers the property.
    """

    key: str
    values: Sequence[str]
    filled: float
    texts: TextValues | None = None
    unique: bool = False
    searched: bool = False


def naming_property(label: str, properties: Sequence[Seen]) -> str | None:
    """Return the property that best names the nodes of a label; None if no property is likely to name them.

    >>> naming_property("Movie", [Seen("tagline", ["a b", "c d"], 1.0), Seen("title", ["Heat", "Ronin"], 1.0)])
    'title'
    """
    scored = [(score(label, seen), seen.key) for seen in properties]
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= LEAST_SCORE else None


def score(label: str, seen: Seen) -> float:
    """Return how well a property names the nodes of a label, from 0 to about 1.4."""
    if not seen.values or seen.key.lower() in NEVER:
        return 0.0
    if seen.texts is not None and seen.texts.type in ("date", "datetime", "bool"):
        return 0.0
    distinct = len(set(seen.values)) / len(seen.values)
    hint = hint_of(label, seen.key)
    length = sum(map(len, seen.values)) / len(seen.values)
    if length > 70 or any("://" in value for value in list(seen.values)[:5]):
        return 0.0
    if seen.texts is not None and seen.texts.form in NUMERIC_FORMS and not seen.unique:
        hint *= 0.6
    if distinct < 0.05 and hint < 0.9:
        return 0.0
    worded = sum(1 for value in seen.values if re.search(r"[^\W\d_]{2}", value)) / len(seen.values)
    return (
        0.65 * hint
        + 0.2 * distinct
        + 0.1 * seen.filled
        + 0.1 * worded
        + (0.12 if seen.unique else 0.0)
        + (0.2 if seen.searched else 0.0)
    ) * (0.5 + seen.filled / 2)


def hint_of(label: str, key: str) -> float:
    """Return how strongly a property's own name suggests that it names the node, from 0 to 1.

    `vendorName` of a Vendor is almost as strong as `name`.
    """
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", key)]
    if not words:
        return 0.0
    joined = "".join(words)
    if joined in WHOLE:
        return WHOLE[joined]
    if words[-1] in NEVER:
        return 0.0
    of_label = "".join(re.findall(r"\w+", label)).lower().replace("_", "")
    before = "".join(words[:-1])
    hint = LAST.get(words[-1], 0.0)
    if words[-1] in ("name", "nm", "title"):
        if before in of_label or of_label in before or of_label.endswith(words[0]):
            return 0.99
        return PART_OF_A_NAME.get(words[0], hint)
    if hint and before and (before in of_label or of_label in before):
        return hint + 0.06
    return hint or (0.15 if joined else 0.0)
