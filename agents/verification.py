"""Checks the values and names of a query against the graph, with the server's tools.

Each value is looked up with `find_entities`. For a value that does not exist, similar stored values are returned,
sorted by normalised Levenshtein similarity. Labels, relationship types, properties and directions are checked
with `validate_cypher`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from graphground.agents.replies import list_in, literals_in
from graphground.agents.session import Session

CANDIDATES = 5
MOST_VALUES = 10
LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a query: `Value("Chicago Bulls", "Team", "name")`."""

    text: str
    label: str = ""
    property: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored value that resembles a missing one.

    `similarity` is 1 minus the normalised Levenshtein distance, ignoring case.
    """

    name: str
    label: str
    property: str
    similarity: float
    match: str
    """How the value was found: `exact`, `alias`, `fuzzy` (by spelling) or `vector` (by meaning)."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A value with the result of looking it up."""

    value: Value
    exists: bool
    candidates: tuple[Candidate, ...] = ()

    def sentence(self) -> str:
        """Return the result as a sentence, for a prompt."""
        where = f" ({self.value.label}.{self.value.property or 'name'})" if self.value.label else ""
        if self.exists:
            return f"{self.value.text!r}{where} exists."
        if not self.candidates:
            return f"{self.value.text!r}{where} does not exist, and nothing similar does."
        nearest = "; ".join(
            f"{candidate.name!r} ({candidate.label}.{candidate.property}, {candidate.match}, similarity "
            f"{candidate.similarity:.2f})"
            for candidate in self.candidates
        )
        return f"{self.value.text!r}{where} does not exist. Nearest: {nearest}."


def values_in(reply: str, query: str) -> list[Value]:
    """Return the values of a query that the extractor's reply lists; if there are none, the query's string literals.

    At most `MOST_VALUES` are returned.

    >>> values_in("I see none.", "MATCH (t:Team {name: 'Bulls'}) RETURN t")
    [Value(text='Bulls', label='', property='')]
    """
    listed = list_in(reply)
    found = [_value(entry) for entry in listed] if listed is not None else []
    values = [value for value in found if value is not None and value.text in query]
    # If the model lists texts that the query does not contain, or no text although it contains some, ignore its reply.
    return (values or [Value(text) for text in literals_in(query)])[:MOST_VALUES]


def _value(entry: Any) -> Value | None:
    if isinstance(entry, str):
        return Value(entry) if entry.strip() else None
    if not isinstance(entry, Mapping) or not str(entry.get("value") or "").strip():
        return None
    return Value(str(entry["value"]), str(entry.get("label") or ""), str(entry.get("property") or ""))


async def verify(session: Session, values: Sequence[Value]) -> list[Verified]:
    """Look up the values with one call of `find_entities` per combination of label and property; return the results.

    If the call fails, it is repeated without label and property. Values of more than `LONGEST_VALUE` characters, and
    values that cannot be looked up, are left out.
    """
    groups: dict[tuple[str, str], list[Value]] = {}
    for value in values:
        if len(value.text) <= LONGEST_VALUE:
            groups.setdefault((value.label, value.property), []).append(value)
    verified: list[Verified] = []
    for (label, name), members in groups.items():
        scope = {"label": label} if label else {}
        scope |= {"property": name} if name and label else {}
        texts = list(dict.fromkeys(value.text for value in members))
        arguments = session.question.on(mentions=texts, limit=CANDIDATES)
        answer = await session.call("find_entities", arguments | scope)
        if answer.failed and scope:  # the model named a label or a property that does not exist
            answer = await session.call("find_entities", arguments)
        mentions = {} if answer.failed else {entry["mention"]: entry for entry in answer.fields["mentions"]}
        verified += [_verified(value, mentions.get(value.text)) for value in members if value.text in mentions]
    return verified


def _verified(value: Value, mention: Mapping[str, Any] | None) -> Verified:
    found: Iterable[Mapping[str, Any]] = mention["candidates"] if mention else ()
    candidates = sorted(
        (
            Candidate(
                str(entry["name"]),
                str(entry["label"]),
                str(entry["property"]),
                round(Levenshtein.normalized_similarity(value.text.casefold(), str(entry["name"]).casefold()), 3),
                str(entry["match"]),
            )
            for entry in found
        ),
        key=lambda candidate: -candidate.similarity,
    )
    exists = any(candidate.name == value.text for candidate in candidates)
    return Verified(value, exists, () if exists else tuple(candidates))


async def check_names(session: Session, query: str) -> list[str]:
    """Return a sentence for each error and warning of `validate_cypher`, and one with the suggested query, if any."""
    answer = await session.call("validate_cypher", session.question.on(query=query, question=session.question.text))
    if answer.failed:
        return []
    sentences = [
        f"line {found.get('line', 1)}: {_sentence(found['message'])}{_correction(found)}"
        for found in answer.fields.get("diagnostics", ())
        if found.get("severity") != "hint"
    ]
    if answer.fields.get("suggested_query"):
        sentences.append(f"Probably meant: {answer.fields['suggested_query']}")
    return sentences


def _correction(found: Mapping[str, Any]) -> str:
    """Return the sentence with the suggestions of a diagnostic, after a space; empty if it has none."""
    suggestions = [str(suggestion) for suggestion in found.get("suggestions", ())][:3]
    if suggestions == [""]:
        return f" Delete {found['found']!r}."
    return f" Instead: {' or '.join(suggestions)}." if suggestions else ""


def _sentence(message: str) -> str:
    """Return a message without the lines that show the position, and with a full stop unless it ends in `.` or `?`."""
    line = message.partition("\n")[0]
    return line if line.endswith((".", "?")) else f"{line}."
