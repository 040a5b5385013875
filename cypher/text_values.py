"""Detects the format of a text property's values: numbers, dates and booleans that an export left as text.

    >>> text_values(["32.38", "1007.64", "8"])
    TextValues(form='float', example='32.38', share=1.0)
    >>> text_values(["Mar 25, 2015", "Jan 2, 2016"]).form
    'month_day_year'
    >>> text_values(["32.38", "1007.64"]).converted("o.freight")
    'toFloat(o.freight)'

A `TextValues` describes the values that were read. `checked` means that the database has converted every existing
value, so that any conversion can be suggested; otherwise only conversions that return null for other text are
suggested.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphground.cypher.diagnostics import all_of
from graphground.cypher.quoting import quoted_string

LEAST_SHARE = 0.9
"""The minimum share of values that must have one form for the whole property to count as having that form."""
LEAST_MIXED_SHARE = 0.55
"""The minimum share of numbers in a property that counts as mixed: a query that uses it as a number means them."""

FEWEST_VALUES = 3
MAX_PLACEHOLDERS = 3
"""The number of words that one property may use for a missing value, besides blank texts and punctuation."""
FEWEST_BESIDE = 8
"""The least number of different numbers or unique values beside a word for a missing value.

Words among fewer numbers may be grades: `12`, `16`, `18`, `PG`. Among dates, one is enough.
"""
UNIQUE_SHARE, FEWEST_REPEATED = 0.1, 5
"""The least share and number of the values that are a word for a missing value, if all other values are unique."""
MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
DATE_MARKS = {"/": "slash", ".": "point", "-": "dash"}
"""What stands between the numbers of a date, and the word for it in the name of a form."""
_TIME = r"\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
_ZONE = r"(?:Z|[+-]\d{2}:?\d{2})"

BOOLEANS: tuple[tuple[str, str], ...] = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"))
"""Pairs of words that stand for true and false, the word for true first."""


@dataclass(frozen=True, slots=True)
class Form:
    """A way of writing values as text: a pattern of the whole text, the values' type, and the Cypher that converts it.

    `conversion` contains `{}` or `{0}` in place of the property; it is None if Cypher cannot convert the form.
    """

    pattern: str
    type: str
    words: str
    conversion: str | None
    gives_null: bool = False
    """Whether the conversion returns null for text of another form, instead of an error."""


FORMS: Mapping[str, Form] = {
    "int": Form(r"-?(?:0|[1-9]\d*)", "int", "whole numbers", "toInteger({})", True),
    "float": Form(r"-?(?:\d+\.\d+|(?:0|[1-9]\d*))(?:[eE][+-]?\d+)?", "float", "numbers", "toFloat({})", True),
    "comma_float": Form(
        r"-?\d+(?:,\d+)?", "float", "numbers with a decimal comma", "toFloat(replace({}, ',', '.'))", True
    ),
    "grouped_float": Form(
        r"-?\d{1,3}(?:,\d{3})*(?:\.\d+)?",
        "float",
        "numbers with commas between thousands",
        "toFloat(replace({}, ',', ''))",
        True,
    ),
    "dotted_float": Form(
        r"-?\d{1,3}(?:\.\d{3})*(?:,\d+)?",
        "float",
        "numbers with points between thousands",
        "toFloat(replace(replace({}, '.', ''), ',', '.'))",
        True,
    ),
    "code": Form(r"\d+", "code", "codes of digits with leading zeros", None),
    "bool": Form(r"(?i:true|false|yes|no|y|n|t|f|on|off)", "bool", "yes or no", None),
    "date": Form(r"\d{4}-\d{2}-\d{2}", "date", "ISO dates", "date({})"),
    "datetime": Form(
        rf"\d{{4}}-\d{{2}}-\d{{2}}T{_TIME}{_ZONE}", "datetime", "ISO dates with a time and a zone", "datetime({})"
    ),
    "local_datetime": Form(
        rf"\d{{4}}-\d{{2}}-\d{{2}}T{_TIME}", "datetime", "ISO dates with a time", "localdatetime({})"
    ),
    "blank_datetime": Form(
        rf"\d{{4}}-\d{{2}}-\d{{2}} {_TIME}",
        "datetime",
        "dates with a time after a space",
        "localdatetime(replace({}, ' ', 'T'))",
    ),
    "day_month_year": Form(
        r"\d{2}[./-]\d{2}[./-]\d{4}",
        "date",
        "dates as day, month, year",
        "date(right({0}, 4) + '-' + substring({0}, 3, 2) + '-' + left({0}, 2))",
    ),
    "month_day_year_digits": Form(
        r"\d{2}[./-]\d{2}[./-]\d{4}",
        "date",
        "dates as month, day, year",
        "date(right({0}, 4) + '-' + left({0}, 2) + '-' + substring({0}, 3, 2))",
    ),
    "month_day_year": Form(
        _MONTH + r"[a-z]* \d{1,2}, \d{4}",
        "date",
        "dates with the name of the month first",
        "date({{year: toInteger(right({0}, 4)), month: size(split('" + MONTHS + "', left({0}, 3))"
        "[0]) / 3 + 1, day: toInteger(split(split({0}, ' ')[1], ',')[0])}})",
    ),
    "day_month_name_year": Form(
        r"\d{1,2} " + _MONTH + r"[a-z]* \d{4}",
        "date",
        "dates with the name of the month in the middle",
        "date({{year: toInteger(right({0}, 4)), month: size(split('" + MONTHS + "', "
        "left(split({0}, ' ')[1], 3))[0]) / 3 + 1, day: toInteger(split({0}, ' ')[0])}})",
    ),
    "year_month_day": Form(
        r"\d{4}[./]\d{2}[./]\d{2}",
        "date",
        "dates as year, month, day",
        "date(left({0}, 4) + '-' + substring({0}, 5, 2) + '-' + right({0}, 2))",
    ),
    "compact_date": Form(
        r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
        "date",
        "dates as eight digits",
        "date(left({0}, 4) + '-' + substring({0}, 4, 2) + '-' + right({0}, 2))",
    ),
    **{
        f"{form}_{name}": Form(
            rf"\d{{1,2}}{re.escape(mark)}\d{{1,2}}{re.escape(mark)}\d{{4}}",
            "date",
            f"dates as {'day, month' if day < month else 'month, day'}, year",
            f"date({{{{year: toInteger(right({{0}}, 4)), month: toInteger(split({{0}}, '{mark}')[{month}]), "
            f"day: toInteger(split({{0}}, '{mark}')[{day}])}}}})",
        )
        for form, day, month in (("day_month_year", 0, 1), ("month_day_year", 1, 0))
        for mark, name in DATE_MARKS.items()
    },
    **{
        f"{form}_time": Form(
            rf"\d{{2}}[./-]\d{{2}}[./-]\d{{4}}[ T]{_TIME}",
            "datetime",
            f"dates as {words}, year, with a time",
            f"localdatetime(substring({{0}}, 6, 4) + '-' + substring({{0}}, {month}, 2) + '-' + "
            f"substring({{0}}, {day}, 2) + 'T' + substring({{0}}, 11))",
        )
        for form, words, day, month in (("day_month_year", "day, month", 0, 3), ("month_day_year", "month, day", 3, 0))
    },
    "month_year": Form(
        r"(?:0[1-9]|1[0-2])[/-](?:19|20)\d{2}",
        "date",
        "months and years",
        "date(right({0}, 4) + '-' + left({0}, 2) + '-01')",
    ),
    "other_date": Form(
        r"\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./]\d{1,2}[./]\d{1,2}",
        "date",
        "dates in a form that Cypher cannot read",
        None,
    ),
}
"""The forms by name; narrow forms come before the wider forms that include them."""

_MATCHERS: Mapping[str, Callable[[str], object]] = {
    name: re.compile(form.pattern).fullmatch for name, form in FORMS.items()
}
_SEPARATORS = frozenset({"float", "comma_float", "grouped_float", "dotted_float"})
FEWEST_MARKED = 5
"""The least number of texts with one point or comma that tell what it separates."""
_SOUGHT = (
    "bool compact_date int date datetime local_datetime blank_datetime month_day_year day_month_name_year "
    "year_month_day month_year float comma_float grouped_float dotted_float"
)


@dataclass(frozen=True, slots=True)
class TextValues:
    """The form of a text property's values: `TextValues("float", "32.38", 1.0)`.

    Attributes:
        form: a name of `FORMS`.
        example: one of the values.
        share: the share of non-empty values that have the form, from 0 to 1.
        checked: whether the database has converted all values of this form without an error.
        sorts: whether the order of the texts is the order of the values.
        words: the words for true and false, the word for true first, as in `('yes', 'no')`; else empty.
        width: the number of characters of a code, if all codes have the same number.
        placeholders: texts among the values that stand for a missing value, as in `('N/A',)`; see `find_placeholders`.
        unit: what numbers have behind or before them, such as ` kg` or `€ `.
        mixed: whether plain texts stand among the numbers, such as 'c1998' among years.
    """

    form: str
    example: str
    share: float = 1.0
    checked: bool = False
    sorts: bool = False
    words: tuple[str, ...] = ()
    width: int | None = None
    placeholders: tuple[str, ...] = ()
    unit: str = ""
    mixed: bool = False

    def __repr__(self) -> str:
        return f"TextValues(form={self.form!r}, example={self.example!r}, share={self.share})"

    @property
    def type(self) -> str:
        """The type of the values: `int float bool date datetime`, or `code` for digits such as '00042'."""
        return FORMS[self.form].type

    @property
    def described(self) -> str:
        """The form in words: `numbers, such as '32.38'`, with the share if not all values have the form."""
        share = "" if self.share >= 1 else f" in {min(self.share, 0.99):.0%} of its values"
        if self.words and self.form == "bool":
            return f"{'' if share else 'only '}{all_of([repr(word) for word in self.words])}{share}"
        unit = f" with {self.unit.strip()!r}" if self.unit else ""
        return f"{FORMS[self.form].words}{unit}, such as {self.example!r}{',' if share else ''}{share}"

    def converted(self, text: str) -> str | None:
        """Return the Cypher that converts the text property, or None if no conversion is certain to work.

        A conversion that fails on other text is returned only if the database has tried it on every value.
        """
        form = FORMS[self.form]
        if form.conversion is None or not (form.gives_null or self.checked):
            return None
        inner = form.conversion.format(self.without_unit(text))
        if form.gives_null or self.share >= 1:
            return inner
        return f"CASE WHEN {text} =~ {quoted_string(form.pattern)} THEN {inner} END"

    def without_unit(self, text: str) -> str:
        """Return the Cypher for a text without its unit: `replace(p.weight, ' kg', '')`."""
        return f"replace({text}, {quoted_string(self.unit)}, '')" if self.unit else text

    def dated(self, day: str) -> str | None:
        """Return an ISO date as the property writes it: `01.02.2020` for `2020-02-01`, like its example `25.12.2019`.

        None if the property holds no dates in digits, or their order is unknown.
        """
        order = re.findall("day|month|year", self.form)
        places = {"year": 0, "month": 1, "day": 2}
        if self.form in ("date", "compact_date"):
            return day if self.form == "date" else day.replace("-", "")
        if len(order) != len(places) or not re.fullmatch(r"[\d./-]+", self.example):
            return None
        parts = [day.split("-")[places[part]] for part in order]
        unpadded = self.form.rpartition("_")[2] in DATE_MARKS.values()
        mark = re.sub(r"\d", "", self.example)[0]
        return mark.join(part.lstrip("0") if unpadded else part for part in parts)


def texts_of(document: Mapping[str, Any]) -> dict[str, TextValues]:
    """Return the formats of text properties in a JSON document, by property, but no format of another version."""
    return {
        key: TextValues(**{**values, **{name: tuple(values[name]) for name in ("words", "placeholders")}})
        for key, values in document.items()
        if values["form"] in FORMS
    }


def epoch_of(least: object, greatest: object) -> str | None:
    """Return the unit of whole numbers that are times since 1970, by their extremes, or None if they are no times.

    `epochMillis` from 1973 to 2099: numbers of this size that are not times are spread over a wider range.
    `epochSeconds` from 1990 to 2037, though numbers of this size may be something else. `yyyymmdd` if both extremes are
    the digits of dates.
    """
    if not isinstance(least, int) or not isinstance(greatest, int):
        return None
    if 100_000_000_000 <= least <= greatest < 4_102_444_800_000:
        return "epochMillis"
    if all(_MATCHERS["compact_date"](str(value)) for value in (least, greatest)):
        return "yyyymmdd"
    return "epochSeconds" if 631_152_000 <= least <= greatest < 2_145_916_800 else None


def text_values(values: Sequence[str], *, mixed: bool = False) -> TextValues | None:
    """Return the format of some texts, or None if they are plain text or too few; if `mixed`, most may be numbers.

    >>> text_values(["00042", "00043", "01000"]).form, text_values(["Heat", "Ronin", "12"])
    ('code', None)
    """
    filled = [text for text in values if text.strip()]
    missing = frozenset(find_placeholders(Counter(filled).most_common()))
    texts = [text for text in filled if text not in missing]
    if len(texts) < FEWEST_VALUES and len(set(texts)) < 2:
        return None
    found = _dominant(texts) or (_numbers(texts, LEAST_MIXED_SHARE) if mixed else None)
    if found is None:
        return None
    form, fitting = found
    units = {_unit(text) for text in fitting} - {""} if FORMS[form].type in ("int", "float") else set()
    share = round(len(fitting) / len(filled), 3)
    widths = {len(text) for text in fitting}
    words: tuple[str, ...] = ()
    if form == "bool" or (form == "int" and set(fitting) == {"0", "1"}):
        words = tuple(sorted(set(fitting), key=lambda text: text.lower() not in {"1", *(pair[0] for pair in BOOLEANS)}))
    return TextValues(
        form,
        fitting[0],
        share,
        sorts=sorts_as_text(form, fitting),
        words=words,
        width=widths.pop() if form == "code" and len(widths) == 1 else None,
        placeholders=tuple(sorted(missing)),
        unit=(units.pop() if units else "") or "",
        mixed=len(fitting) < LEAST_SHARE * len(texts),
    )


def find_placeholders(counts: Sequence[tuple[object, int]], total: int = 0, distinct: int = 0) -> list[str]:
    """Return the texts among a property's values that stand for a missing value, such as `N/A` among dates.

    `counts` has the most frequent values with their counts; `total` and `distinct` count all values, if there are more.
    A placeholder is recognised by the values beside it: it is blank or punctuation where others are not; it repeats,
    without a digit, among numbers or dates; or it repeats among values that are otherwise unique.

    >>> find_placeholders([("N/A", 30), ("", 19), *((f"2022-02-{day}", 1) for day in range(10, 20))])
    ['', 'N/A']
    >>> find_placeholders([("open", 30), ("closed", 19), ("unknown", 2)])
    []
    """
    total, distinct = total or sum(count for _, count in counts), distinct or len(counts)
    texts = {value for value, _ in counts if isinstance(value, str)}
    # Without a letter, digit or symbol: `''`, `-` and `?`, but not `€`
    blank = {text for text in texts if all(unicodedata.category(character)[0] in "PZC" for character in text)}
    others = [str(value) for value, _ in counts if value not in blank]
    digits = len(others) > 1 and all(any(map(str.isdigit, text)) for text in others)
    found = blank if 2 * len(blank) < distinct or digits else set[str]()
    wordy = {
        value: count
        for value, count in counts
        if isinstance(value, str) and value not in found and count > 1 and not any(map(str.isdigit, value))
    }
    rest = [value for value, _ in counts if value not in wordy and value not in found]
    # Two words, such as `open` and `N/A`, may both stand among dates; more are values of a vocabulary.
    beside = distinct - len(found) - len(wordy)
    if 0 < len(wordy) <= MAX_PLACEHOLDERS and beside:
        unique = beside == total - sum(count for value, count in counts if value in found or value in wordy)
        often = min(wordy.values()) >= max(FEWEST_REPEATED, UNIQUE_SHARE * total)
        form = _dominant([str(value) for value in rest])
        dates = form is not None and FORMS[form[0]].type in ("date", "datetime")
        if dates or (beside >= FEWEST_BESIDE and (form is not None or (unique and often))):
            found = found | set(wordy)
    return sorted(found)


def sorts_as_text(form: str, texts: Sequence[str]) -> bool:
    """Return whether texts of a form sort like their values, such as ISO dates, or whole numbers of equal length."""
    if form in ("date", "datetime", "local_datetime", "blank_datetime", "code", "year_month_day", "compact_date"):
        place = {"datetime": -1, "year_month_day": 4}.get(form)  # of the zone, of the separator
        return place is None or len({text[place] for text in texts}) == 1
    return form == "int" and len({len(text) for text in texts}) == 1 and not any(text[0] == "-" for text in texts)


def _dominant(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    if any(text.isdigit() and len(text) > 1 and text[0] == "0" for text in texts):
        fitting = [text for text in texts if text.isdigit()]
        return ("code", fitting) if len(fitting) >= LEAST_SHARE * len(texts) else None
    for name in _SOUGHT.split():
        fitting = [text for text in texts if _MATCHERS[name](text)]
        if len(fitting) < LEAST_SHARE * len(texts):
            continue
        if name == "bool" and not any({text.lower() for text in fitting} <= set(pair) for pair in BOOLEANS):
            continue
        if name in _SEPARATORS:
            point, comma = separates_thousands(fitting, ".", ","), separates_thousands(fitting, ",", ".")
            allowed = {
                "float": point is False,
                "comma_float": comma is False,
                "grouped_float": comma,
                "dotted_float": point,
            }
            if not allowed[name]:
                continue
        return name, fitting
    return _numbers(texts, LEAST_SHARE) or _dates(texts)


def _numbers(texts: Sequence[str], least: float) -> tuple[str, list[str]] | None:
    """Return the form of the numbers among texts, all or some with the same unit, if they are at least this share."""
    units = {text: unit for text in texts if (unit := _unit(text)) is not None}
    unit = max(units.values(), default="")
    plain = {text: text.replace(unit, "", 1) for text in texts if units.get(text) in ("", unit)}
    if not plain or set(units.values()) - {"", unit} or (not unit and plain.keys() == set(texts)):
        return None
    form, numbers = _dominant([plain[text] for text in texts if text in plain]) or ("code", [])
    accepted = set(numbers) if FORMS[form].type in ("int", "float") else frozenset[str]()
    fitting = [text for text in texts if plain.get(text) in accepted]
    return (form, fitting) if len(fitting) >= max(least * len(texts), 1) else None


def _unit(text: str) -> str | None:
    """Return the unit of a number, a word after a space, a percent sign or a currency symbol on either side.

    Empty for a plain number, and None for another text.
    """
    parts = re.fullmatch(r"([^\d-]*)-?\d(?:[\d.,]*\d)?(\D?.*)", text)
    if parts is None or all(parts.groups()):
        return None
    unit = parts[1] or parts[2]
    sign = unit.strip()
    symbol = len(sign) == 1 and (unicodedata.category(sign) == "Sc" or (sign == "%" and not parts[1]))
    return unit if not unit or symbol or re.fullmatch(r" [^\d\s]\S*", parts[2]) else None


def separates_thousands(texts: Sequence[str], mark: str, other: str) -> bool | None:
    """Return whether a mark, `.` or `,`, stands between thousands and not before decimals; None if it may be either.

    >>> separates_thousands(["1,234", "1,234,567"], ",", "."), separates_thousands(["0.125", "3.5"], ".", ",")
    (True, False)
    >>> separates_thousands(["30.100", "9.900", "12.500", "8.000", "1.100"], ".", ",")
    True
    >>> separates_thousands(["1.234", "12.345"], ".", ",")
    """
    marked = [text.lstrip("-") for text in texts if mark in text]
    groups = [text.partition(other)[0].split(mark) for text in marked]
    if any(not 1 <= len(first) <= 3 or first[0] == "0" or {*map(len, rest)} != {3} for first, *rest in groups):
        return False
    if not marked:
        return False
    if any(len(group) > 2 for group in groups) or any(other in text for text in marked):
        return True
    # Decimals of one fixed length would stand in every number, and would not all end in 0.
    if len(marked) >= FEWEST_MARKED and (len(marked) < len(texts) or all(text[-1] == "0" for text in marked)):
        return True
    return None


def _dates(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    timed = [text for text in texts if _MATCHERS["day_month_year_time"](text)]
    fitting = timed or [text for text in texts if _MATCHERS["other_date"](text)]
    if len(fitting) < LEAST_SHARE * len(texts):
        return None
    for padded in ("_time",) if timed else ("", *(f"_{name}" for name in DATE_MARKS.values())):
        if all(_MATCHERS[f"day_month_year{padded}"](text) for text in fitting):
            numbers = [re.split("[./-]", text) for text in fitting]
            first, second = (any(int(parts[place]) > 12 for parts in numbers) for place in (0, 1))
            if first != second:
                return (f"day_month_year{padded}" if first else f"month_day_year{padded or '_digits'}"), fitting
    return "other_date", fitting
