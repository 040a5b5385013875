"""Operators that a question asks for, with the words that ask for them: counts, orders, groups, alternatives.

>>> operators_of("how many films per director")["count"], operators_of("how many films per director")["each"]
([(0, 8)], [(15, 18)])
"""

from __future__ import annotations

import re

_SUPERLATIVE = (
    r"(?:first|last|latest|earliest|oldest|youngest|newest|highest|lowest|largest|biggest|smallest|greatest|tallest|"
    r"shortest|longest|heaviest|lightest|maximum|minimum|top|cheapest|busiest|fastest|slowest|strongest|deepest|"
    r"widest|richest|best|worst|most recent(?:ly)?|most expensive|least expensive|deadliest|densest)"
)
# fmt: off
_OPERATORS = {
    "count": r"\bhow many\b|\bhow often\b|\b(?:total |exact |overall |whole )?"
             r"(?:numbers? of\b|(?<!give )(?<!give the )numbers?\b|(?:counts?|tally|headcount)\b(?: of)?)"
             r"|^\W*count\b|\bhow much\b|\bfigures\b(?=\W*$|,? (?:both|please|only|each|for each)\b)",
    "most": r"\b(?<!at )(?:the )?(?:most|fewest|least)\b(?! recent| expensive|ly)|\b(?:highest|largest|greatest|lowest|smallest|biggest|"
            r"max(?:imum)?|min(?:imum)?) (?:number|count|amount)\b|\bmost (?:often|frequent(?:ly)?|common(?:ly)?)\b|\bcommonest\b|"
            r"\bbiggest|\btop\b|\bmore .{3,40} than any(?:one| other)\b",
    "each": r"\b(?:each|per|every|respective(?:ly)?|by(?! (?:the )?#)|broken down by|grouped by|split by|for all|"
            r"both (?:numbers|counts|figures|totals)|(?:numbers|counts|figures|totals) (?:of |for )?both)\b",
    "pairs": r"\b(?:(?:for|of|by) each|each (?:of|one)|respective(?:ly)?|with (?:their|its|his|her)|along with|together with|as well as)\b"
             r"|\band (?:what|which|who|whom|where|when|in which|by which|their|its|his|her)\b|\w\s*\+\s*\w|, \w+\W*$",
    "order": rf"\b(?:{_SUPERLATIVE}|\w{{4,}}est)\b",
    "sort": r"\b(?:sort(?:ed)?|order(?:ed)?|rank(?:ed|ing)?|arranged?|listed (?:from|in|by|starting)|ascending|descending|"
            r"chronological(?:ly)?|alphabetical(?:ly)?|from (?:the )?(?:most |least )?\w+ to (?:the )?(?:most |least )?\w+)\b",
    "average": r"\b(?:average|mean|on average|typical(?:ly)?)\b",
    "sum": r"\b(?:total|sum|altogether|in all|combined|overall)\b",
    "difference": r"\b(?:difference|differ|gap|how (?:much|many \w+) \w*(?:er|more|less|later|earlier)|by how)\b",
    "compare": r"\b(?:than|which of|who (?:is|was)|which (?:is|was|one)|later|earlier|older|younger|taller|larger|more|fewer|first)\b",
    "equal": r"\b(?:same|equal|identical|also)\b|^[^\w#]*(?:is|are|was|were|do|does|did|has|have)\b",
    "asks": r"^[^\w#]*(?:is|are|was|were|do|does|did|has|have|can)\b|\by(?:es)? ?[/,] ?no?\b|\byes or no",
    "open": r"\b(?:still|yet|open|ongoing|remain\w*|pending|outstanding|un\w{3,}ed|without (?:an? )?(?:end|expir)\w*|open-ended|"
            r"currently|now(?:adays)?|these days|no (?:\w+ )?(?:end|date|expiry|return)\w*)\b",
    "not": r"\b(?:not|except|exclud\w+|other than|without|w/o|never|apart from|aside from|rather than|but no|none|minus|lack(?:s|ed|ing)?|"
           r"(?:has|have|had|having|with) no)\b|n't\b|(?<!or )\bno (?!longer\b|more\b|matter\b|of\b)(?=[a-z#])",
    "or": r"\b(?:or|either)\b",
    "both": r"\b(?:both|and|also|as well|along with|at the same time)\b",
    "same": r"\b(?:same|shared?|shares|in common|another|others?|fellow|co-\w+|co(?:auth|found|host|own|produc|star|work|writ)\w+|"
            r"colleagues?|siblings?|also|such)\b",
    "names": r"\b(?:names?|titles?)\b",
    "named": r"\bnames?,? (?:and|with|plus|\+)|\band (?:\w+ )?names?\b",
    "when": r"\b(?:when|what (?:year|date|day)|which (?:year|date)|dates?|years?)\b",
    "where": r"\b(?:where|places?|locations?|cit(?:y|ies))\b",
    "who": r"\b(?:who|whom|whose|people|persons?|everyone|anyone|anybody|somebody|person|folks?|individuals?)\b",
    "distinct": r"\b(?:unique|different|distinct|various|kinds? of|types? of|variety)\b",
    "now": r"\b(?:currently|current|now|presently|at present|at the moment|today|still)\b",
    "including": r"\b(?:includ\w+ (?:those|ones)|even (?:if|those)|if any|along with|together with|as well as)\b",
}
EARLY = re.compile(r"\b(?:earliest|oldest|first|eldest|earlier|older|chronological(?:ly)?|longest[- ](?:serving|standing|established)|"
                   r"(?:served|worked|belonged|been (?!the longest)\w+) (?:\w+ ){0,3}?longest)\b")
LATE = re.compile(r"\b(?:latest|newest|most recent(?:ly)?|youngest|last|later|younger|newer)\b")
HIGH = re.compile(r"\b(?<!at )(?:most|highest|largest|greatest|tallest|longest|heaviest|biggest|maximum|deepest|widest|fastest|descending|"
                  r"deadliest|densest|richest|strongest|max|top|taller|longer|larger|higher|heavier|bigger|greater|best|busiest)\b")
LOW = re.compile(r"\b(?<!at )(?:fewest|lowest|smallest|least|shortest|lightest|minimum|narrowest|slowest|shallowest|ascending|min|bottom|"
                 r"shorter|lower|smaller|lighter|cheapest|worst)\b")
# fmt: on
_COMPILED = {name: re.compile(pattern) for name, pattern in _OPERATORS.items()}


def operators_of(masked: str) -> dict[str, list[tuple[int, int]]]:
    """Return for each operator that a text in lower case asks for the positions of the words that do so."""
    found = {}
    for name, pattern in _COMPILED.items():
        spans = [match.span() for match in pattern.finditer(masked) if match.group()]
        if spans:
            found[name] = spans
    return found


def order_of(masked: str) -> tuple[str, bool] | None:
    """Return what the first word of order speaks of and whether it descends: `("time", False)` for *earliest*."""
    found = [
        (match.start(), -len(match.group()), (dimension, descending))
        for pattern, dimension, descending in (
            (EARLY, "time", False), (LATE, "time", True), (HIGH, "size", True), (LOW, "size", False)
        )
        if (match := pattern.search(masked))
    ]  # fmt: skip
    return min(found)[-1] if found else None
