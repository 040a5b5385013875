"""The numbers and dates of a question outside its names, each with the comparison that the words around it express.

>>> [(its.kind, its.value, its.comparison) for its in quantities_in("films longer than 90 minutes since 1940")]
[('number', 90, '>'), ('year', 1940, '>')]
"""

from __future__ import annotations

import re

from graphground.cypher.names.words import MONTHS as MONTH_NAMES
from graphground.graphs.question.model import Comparison, Quantity

LEAST_YEAR, MOST_YEAR = 1000, 2100
"""A bare number between these is taken for a year."""
MONTHS = [name.lower() for name in MONTH_NAMES]
_MONTH = "|".join(MONTHS)
GREATER = re.compile(
    r"(more|greater|higher|larger|later|longer|older|taller|heavier|bigger|deeper|wider) than|over|above|after|exceed\w*|since"
    r"|from|surpass\w*|beyond|following|past|post"
)
LESS = re.compile(
    r"(less|fewer|lower|smaller|earlier|shorter|younger|lighter) than|under|below|before|prior to|until|till|preceding|up to|by"
)
AT_LEAST = re.compile(
    r"(at least|no (less|fewer|earlier) than|minimum of|not (less|before))|\b(?:or|and) (more|later|above|after|higher|over)"
)
AT_MOST = re.compile(
    r"(at most|no (more|later|greater) than|up to|maximum of|not (more|after))|\b(?:or|and) (less|fewer|earlier|before|below|lower)"
)
DATE = re.compile(
    rf"\b(?:({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})|(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH}),? (\d{{4}})"
    r"|(\d{4})-(\d{2})-(\d{2}))\b",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w@.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|,\d)")
WORDS = {
    word: number + 2
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b")
MILLIONS = {"thousand": 10**3, "million": 10**6, "billion": 10**9}


def quantities_in(text: str) -> list[Quantity]:
    """Return the numbers and dates of a text in which names are blanked out, in the order of the text."""
    lowered = text.lower().replace("\u2019", "'")
    found: list[Quantity] = []
    dates = list(DATE.finditer(lowered))
    for date in dates:
        found.append(Quantity("date", _iso(date), _comparison(lowered, *date.span()), *date.span()))
    for number in sorted((*NUMBER.finditer(lowered), *NUMBER_WORD.finditer(lowered)), key=lambda its: its.start()):
        if any(date.start() <= number.start() < date.end() for date in dates):
            continue
        digits = number.group().replace(",", "")
        if re.fullmatch(r"\d{1,3}(\.000)+", digits):  # thousands, as written in most of Europe
            digits = digits.replace(".", "")
        value: float | int = WORDS.get(digits, 0) or (float(digits) if "." in digits else int(digits))
        end = number.end()
        scale = re.match(r" (thousand|million|billion)\b", lowered[end:])
        if scale:
            value, end = int(value * MILLIONS[scale[1]]), end + scale.end()
        year = isinstance(value, int) and LEAST_YEAR <= value <= MOST_YEAR and not scale and "," not in number.group()
        comparison = _comparison(lowered, number.start(), end)
        found.append(Quantity("year" if year else "number", value, comparison, number.start(), end))
    return sorted(found, key=lambda quantity: quantity.start)


def _comparison(text: str, start: int, end: int) -> Comparison:
    """Return the comparison that words before or after a number express: `>=` for `at least`; `=` by default."""
    before = re.split(r"[,;?@\d]| (?:and|or) ", text[max(0, start - 40) : start])[-1]
    after = text[end : end + 18]
    if AT_LEAST.search(before) or re.match(r"\W*(\w+ )?or (more|later|above|after|higher|over|older|taller)", after):
        return ">="
    if AT_MOST.search(before) or re.match(r"\W*(\w+ )?or (less|fewer|earlier|before|below|lower|shorter)", after):
        return "<="
    places: dict[Comparison, int] = {
        ">": max((match.end() for match in re.finditer(rf"\b(?:{GREATER.pattern})\b", before)), default=-1),
        "<": max((match.end() for match in re.finditer(rf"\b(?:{LESS.pattern})\b", before)), default=-1),
    }
    sign, place = max(places.items(), key=lambda item: item[1])
    if place < 0:
        return "<>" if re.search(r"\b(not|other than|except|excluding)\b", before) else "="
    return sign


def _iso(date: re.Match[str]) -> str:
    month, day, year, day2, month2, year2, year3, month3, day3 = date.groups()
    if year3:
        return f"{year3}-{month3}-{day3}"
    number = MONTHS.index((month or month2).lower()) + 1
    return f"{year or year2}-{number:02d}-{int(day or day2):02d}"
