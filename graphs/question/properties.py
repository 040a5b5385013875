"""What the properties of a label hold, from a sample of nodes: names, dates and numbers as text, marks of no value.

>>> properties_of(graph, "Worker")["left"]  # doctest: +SKIP
Property(key='left', type='date|str', form='date', value='{}', marks=('', 'N/A'))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.text_values import FORMS, epoch_of, text_values
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import FIRST_SECONDS, PerData, read_parts
from graphground.graphs.question.model import Quantity

SAMPLE, MAX_KEPT, MAX_VALUES = 100, 5_000, 16
SAYS_ALL = frozenset(("bool", "date", "datetime"))
"""Types of which a sample says no more."""
TRUE, FALSE = ("y", "yes", "true", "t"), ("n", "no", "false", "f")
YEARS = range(1000, 2101)
FEWEST_NUMBERED = 20
"""The number of whole numbers from which they count things if none of them repeats."""
REPEATS = 0.75
"""The share of distinct values in a sample up to which a text hardly names its node."""
MILLISECONDS = range(-2_000_000_000_000, 5_000_000_000_000)
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})*(\s?[^\W\d_].*|)")
"""A whole number with commas between its thousands, if any, and with a unit, if any."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a label: `Property("gross_tonnage", "str", "number", "toFloat(replace({}, ',', ''))")`.

    `form` is `text`, `code`, `number`, `year`, `date` (a date of the database), `iso` (a date as text or digits that
    sorts), `day` (another date as text), `epoch` (milliseconds), `flag` or `list`. `value` is the Cypher by
    which it is compared, with `{}` for the property. `marks` are the texts that stand for no value, such as `N/A`.
    """

    key: str
    type: str
    form: str
    value: str = "{}"
    marks: tuple[str, ...] = ()
    naming: float = 0.0
    """How well it names a node: the best one of a label is its title."""
    truths: tuple[str, ...] = ()
    """The texts for true and for false of a flag that is kept as text: `("Y", "N")`."""
    separator: str = "-"
    """What stands between year, month and day of an `iso` date."""
    copies_name: bool = False
    """Whether it repeats the property `name`, as on imported nodes that are named by it."""
    values: tuple[tuple[str, str], ...] = ()
    """The texts of a property with few different ones, each with the `eid` of a node that has it, or an empty text."""

    @property
    def is_time(self) -> bool:
        return self.form in ("year", "date", "iso", "day", "epoch")

    @property
    def is_ordered(self) -> bool:
        return self.form == "number" or self.is_time

    def compare(self, quantity: Quantity, on: str) -> Iterator[str]:
        """Yield the condition that compares the property with a number or date of a question, if that makes sense."""
        key, sign = f"{on}.{quoted_name(self.key)}", quantity.comparison
        if quantity.kind == "number":
            if self.form in ("number", "year"):
                yield f"{self.value.format(key)} {sign} {quantity.value}"
        elif self.form in ("iso", "epoch") or (self.form == "date" and self.marks):
            its, text = (replace(self, form="iso"), f"toString({key})") if self.form == "date" else (self, key)
            for condition in its._compare_span(quantity, text):  # texts for no value may stand beside the dates
                yield f"{condition} AND {self.is_open(on, filled=True)}" if self.marks else condition
        elif quantity.kind == "date":
            if self.form in ("date", "day"):
                yield f"{self.value.format(key)} {sign} date('{quantity.value}')"
        elif self.form == "year":
            yield f"{key} {sign} {quantity.value}"
        elif self.form == "date":
            yield f"{key}.year {sign} {quantity.value}"
        elif self.form == "day" and "right({0}, 4)" not in self.value:  # a time stands behind the year
            yield f"toInteger(substring({key}, 6, 4)) {sign} {quantity.value}"
        elif self.form == "day" and sign == "=":
            yield f"{key} ENDS WITH '{quantity.value}'"
        elif self.form == "day":
            yield f"toInteger(right({key}, 4)) {sign} {quantity.value}"

    def _compare_span(self, quantity: Quantity, key: str) -> Iterator[str]:
        """Yield the condition that a time lies in, before or after a year or a day."""
        if quantity.kind == "date":
            begin = date.fromisoformat(str(quantity.value))
            if begin == date.max:  # stands for no end, and has no day after it
                yield f"{key} {quantity.comparison} {self._written(begin)}"
                return
            end = begin + timedelta(days=1)
        elif int(quantity.value) in YEARS:
            begin, end = date(int(quantity.value), 1, 1), date(int(quantity.value) + 1, 1, 1)
        else:
            return
        first, after = map(self._written, (begin, end))
        sign = quantity.comparison
        bounds = {
            "<": f"{key} < {first}",
            ">=": f"{key} >= {first}",
            ">": f"{key} >= {after}",
            "<=": f"{key} < {after}",
        }
        yield bounds.get(sign, f"{'NOT ' if sign == '<>' else ''}({key} >= {first} AND {key} < {after})")

    def _written(self, day: date) -> str:
        if self.form == "epoch":
            return str((day - date(1970, 1, 1)).days * 86_400_000)
        text = day.isoformat().replace("-", self.separator)
        return str(int(text)) if self.type == "int" else quoted_string(text)

    def is_open(self, on: str, *, filled: bool = False) -> str:
        """Return the condition that the property has no value, or that it is `filled`."""
        key = f"{on}.{quoted_name(self.key)}"
        if not self.marks:
            return f"{key} IS {'NOT ' if filled else ''}NULL"
        return f"{'NOT ' if filled else ''}{key} IN [{', '.join(map(quoted_string, self.marks))}]"


_kept = PerData(MAX_KEPT)


def properties_of(graph: Graph, label: str, *, link: bool = False) -> Mapping[str, Property]:
    """Return what the properties of a label (or, if `link`, of a relationship type) hold."""
    return read_properties(graph, (label,), link=link)[label]


def read_properties(graph: Graph, names: Iterable[str], *, link: bool = False) -> dict[str, dict[str, Property]]:
    """Return what the properties of labels (or, if `link`, of relationship types) hold: one query samples all of them.

    What was read is kept until the data change. It is awaited for long, since candidates are ranked by it; if it cannot
    be read, only the types of the schema count.
    """
    kept = _kept(graph)
    found: dict[str, dict[str, Property]] = {name: kept[name, link] for name in names if (name, link) in kept}
    parts: list[tuple[str, Mapping[str, str], list[str], str]] = []
    for name in dict.fromkeys(names):
        if name in found:
            continue
        known = graph.schema.labels.get(name)
        types = graph.schema.relationship_properties.get(name, {}) if link else known.properties if known else {}
        found[name] = {key: profile(key, type_, []) for key, type_ in types.items()}
        keys = [key for key, type_ in types.items() if type_ not in SAYS_ALL and not type_.startswith("list")]
        if keys and graph.engine is not None:
            pattern = f"MATCH ()-[n:{quoted_name(name)}]->()" if link else f"MATCH (n:{quoted_name(name)})"
            columns = ", ".join(f"n.{quoted_name(key)}" for key in (*keys, "eid"))
            sample = f"{pattern} WITH n LIMIT {SAMPLE} RETURN collect([{columns}]) AS found"
            parts.append((name, types, keys, sample))
    try:
        rows = read_parts(graph, [sample for *_, sample in parts], FIRST_SECONDS)
    except EngineError:
        return found
    for number, (name, types, keys, _) in enumerate(parts):
        nodes = rows.get(number, [])
        for place, key in enumerate(keys):
            values = [row[place] for row in nodes if row[place] is not None]
            repeated = sum(row[place] in (None, row[-1]) for row in nodes)
            is_id = repeated > len(nodes) / 2 and nodes[0][-1] is not None
            its = profile(key, types[key], values, is_id)
            if its.form in ("text", "code") and not is_id:
                its = replace(its, values=_few([(row[place], row[-1]) for row in nodes]))
            title = keys.index("name") if "name" in keys and key != "name" else None
            if title is not None and values and all(row[place] == row[title] for row in nodes):
                its = replace(its, copies_name=True)
            found[name][key] = its
        kept[name, link] = found[name]
    return found


def _few(rows: Iterable[tuple[object, object]]) -> tuple[tuple[str, str], ...]:
    """Return the different texts among the values and ids of nodes, with one id each, if they are few and repeat."""
    pairs = [(value, key) for value, key in rows if isinstance(value, str) and value]
    keys = {value: str(key or "") for value, key in reversed(pairs)}
    return tuple(sorted(keys.items())) if len(keys) <= min(MAX_VALUES, len(pairs) / 2) else ()


def title_of(graph: Graph, label: str) -> str:
    """Return the property that names the nodes of a label: `vessel_name` where `name` repeats the id.

    It is the schema's naming property; else the one whose values in a sample differ and read most like names.
    """
    known = graph.schema.labels.get(label)
    if known is None:
        return "name"
    if known.naming is not None:
        return known.naming
    found = properties_of(graph, label)
    return max(found.values(), key=lambda its: its.naming).key if found else "name"


def profile(key: str, type_: str, values: Sequence[Any], is_id: bool = False) -> Property:
    """Return what a property of a type holds, from some of its values; `is_id` if they repeat the ids of the nodes.

    >>> profile("area", "str", ["31,7 m2", "8,0 m2"]).form
    'number'
    """
    texts = [value for value in values if isinstance(value, str)]
    if type_.startswith("list"):
        return Property(key, type_, "list")
    if type_ == "bool":
        return Property(key, type_, "flag")
    if type_ in ("date", "datetime"):
        return Property(key, type_, "date")
    if type_ == "float" or type_ == "int":
        numbers = [value for value in values if isinstance(value, (int, float))]
        form = "number"
        years = all(value in YEARS for value in numbers)
        differ = len(numbers) > FEWEST_NUMBERED and len(set(numbers)) == len(numbers)  # numbers of ships, not years
        if type_ == "int" and years and ("year" in key.lower() or (numbers and not differ)):
            form = "year"
        elif numbers and min(map(abs, numbers)) > 10**10 and all(int(value) in MILLISECONDS for value in numbers):
            form = "epoch"
        elif type_ == "int" and numbers and epoch_of(min(numbers), max(numbers)) == "yyyymmdd":
            return Property(key, type_, "iso", separator="")
        distinct = len(set(numbers)) / len(numbers) if numbers else 0.0
        return Property(key, type_, form, naming=0.5 * distinct - 0.3 * (type_ == "float") - 0.4 * (form == "epoch"))
    if is_id:
        return Property(key, type_, "code", naming=-1.0)
    sure = {text for text in texts if text.casefold() in TRUE + FALSE}
    truths = tuple(sorted(sure, key=lambda text: text.casefold() in FALSE))
    if len(set(texts) - sure) < 2 and [text.casefold() for text in truths] in [
        [yes, no] for yes, no in zip(TRUE, FALSE, strict=True)
    ]:
        return Property(key, type_, "flag", truths=truths)
    dated = "date" in type_.split("|")
    real = [text for text in texts if re.search(r"\d", text)]
    marks = tuple(sorted({text for text in texts if text not in real})) if dated or len(real) > 0.3 * len(texts) else ()
    marks = marks if len(marks) <= 3 else ()
    if dated:
        return Property(key, type_, "date", marks=marks)
    form, value = _text_form(real) if len(real) + sum(text in marks for text in texts) == len(texts) else ("text", "{}")
    if form == "iso":
        return Property(key, type_, form, marks=marks, separator=value)
    if form == "day" and marks:  # the conversion of a text that is no date would end the query
        value = f"CASE WHEN {{0}} IN [{', '.join(map(quoted_string, marks))}] THEN null ELSE {value} END"
    if form != "text":
        naming = 0.7 * len(set(texts)) / len(texts) if form == "code" and texts else 0.0
        return Property(key, type_, form, value, marks if form != "code" else (), naming)
    distinct = len(set(texts)) / len(texts) if texts else 0.5
    worded = (
        sum(bool(re.search(r"[a-zà-ÿ]{3}|[^\W\d_] [^\W\d_]", text)) for text in texts) / len(texts) if texts else 0.5
    )
    hint = 0.6 * (key == "name") + 0.3 * bool(re.search(r"(?i)(name|title|label)$", key))
    # What repeats is rather the name of something else: the maker of an aircraft type, the forename of a person.
    named = 1.0 if distinct > REPEATS else 0.6 * distinct
    named = named * (1.0 if worded > 0.5 else 0.6) + (0.5 * worded if distinct > REPEATS else 0.0)
    return Property(key, type_, "text", naming=named + hint * (distinct > 0.5))


def _text_form(texts: Sequence[str]) -> tuple[str, str]:
    """Return the form of texts that all contain digits, and the Cypher that converts them; of `iso`, the separator."""
    if not texts:
        return "text", "{}"
    found = text_values(texts)
    if found is not None and found.share > 0.95:
        if FORMS[found.form].type in ("date", "datetime"):
            if found.sorts:
                return "iso", re.sub(r"\d", "", found.example[:6])
            conversion = FORMS[found.form].conversion if found.share == 1 else None
            if conversion and FORMS[found.form].type == "datetime":
                conversion = conversion.replace("localdatetime", "date").partition(" + 'T'")[0] + ")"
            return ("day", conversion) if conversion else ("text", "{}")
        if found.form == "code":
            return "code", "{}"
        if FORMS[found.form].type in ("int", "float"):
            return "number", (FORMS[found.form].conversion or "{}").format(found.without_unit("{}"))
    units = {match[1] if (match := _THOUSANDS.fullmatch(text)) else None for text in texts}
    if len(units) == 1 and (unit := units.pop()) is not None:
        bare = f"replace({{}}, {quoted_string(unit)}, '')" if unit else "{}"
        return "number", f"toFloat(replace({bare}, ',', ''))"
    return ("code" if all(" " not in text for text in texts) else "text"), "{}"
