"""Makes wrong queries from right ones: with a reversed relationship, a misspelt name, or SQL syntax.

mutator = Mutator(random.Random(7), schema)
mutator.reversed("MATCH (a:Company)-[r:hasCEO]->(b:Person) RETURN a.name")
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from graphground.cypher.schema import PropertyGraphSchema

LETTERS = "abcdefghijklmnopqrstuvwxyz"
RELATIONSHIP = re.compile(r"\((?:\w+)?:(\w+)[^()]*\)(<-|-)\[(\w*):(\w+)([^\]]*)\](->|-)(?=\((?:\w+)?:(\w+))")
LABEL = re.compile(r"\(\w*:(\w+)")
TYPE = re.compile(r"\[\w*:(\w+)")
PROPERTY = re.compile(r"\b[a-z]\d*\.(\w+)|\{(\w+):")
STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'")


@dataclass(frozen=True)
class Mutant:
    """A wrong query made from `original` by changing `right` to `wrong`, and the expected diagnostic code.

    If SQL syntax was added, `right` is empty, and `wrong` is the name of the syntax.
    """

    text: str
    original: str
    right: str
    wrong: str
    code: str


class Mutator:
    """A generator of wrong queries from right ones; the same seed gives the same queries."""

    def __init__(self, rng: random.Random, schema: PropertyGraphSchema):
        self.rng = rng
        self.schema = schema
        self.names = {
            *schema.labels,
            *schema.relationship_types,
            *(key for label in schema.labels.values() for key in label.properties),
            *(key for pattern in schema.patterns for key in pattern.properties),
        }

    def reversed(self, query: str) -> Mutant | None:
        """Reverse a relationship that the schema allows in one direction only; None without such a relationship."""
        found = [match for match in RELATIONSHIP.finditer(query) if self._one_way(match)]
        if not found:
            return None
        match = self.rng.choice(found)
        start, end = match.start(2), match.end(6)
        inner = query[match.end(2) : match.start(6)]
        opposite = f"<-{inner}-" if match[2] == "-" else f"-{inner}->"
        return Mutant(query[:start] + opposite + query[end:], query, query[start:end], opposite, "reversed_direction")

    def _one_way(self, match: re.Match[str]) -> bool:
        start, end = (match[1], match[7]) if match[2] == "-" else (match[7], match[1])
        ways = {(pattern.start, pattern.end) for pattern in self.schema.relationship_types.get(match[4], ())}
        return (start, end) in ways and (end, start) not in ways

    def misspelt(self, query: str, kind: str, errors: int) -> Mutant | None:
        """Put `errors` typing errors into a name of `kind` (`label`, `type`, `property`); None without such a name."""
        pattern, code = {
            "label": (LABEL, "unknown_label"),
            "type": (TYPE, "unknown_relationship_type"),
            "property": (PROPERTY, "unknown_property"),
        }[kind]
        strings = [match.span() for match in STRINGS.finditer(query)]
        places = []
        for match in pattern.finditer(query):
            group = next(number for number in range(1, pattern.groups + 1) if match[number] is not None)
            if match[group] in self.names and not any(a <= match.start() < b for a, b in strings):
                places.append(match.span(group))
        if not places:
            return None
        start, end = self.rng.choice(places)
        right = query[start:end]
        wrong = self._typed_wrong(right, errors)
        return Mutant(query[:start] + wrong + query[end:], query, right, wrong, code)

    def _typed_wrong(self, word: str, errors: int) -> str:
        while True:
            wrong = word
            for _ in range(errors):
                wrong = self._one_error(wrong)
            if wrong not in self.names and wrong[:1].isalpha() and wrong.lower() != word.lower():
                return wrong

    def _one_error(self, word: str) -> str:
        place = self.rng.randrange(len(word))
        match self.rng.randrange(4):
            case 0:
                return word[:place] + word[place + 1 :]
            case 1:
                return word[:place] + self.rng.choice(LETTERS) + word[place:]
            case 2:
                return word[:place] + self.rng.choice(LETTERS) + word[place + 1 :]
        place = min(place, max(len(word) - 2, 0))
        return word[:place] + word[place + 1 : place + 2] + word[place : place + 1] + word[place + 2 :]

    def sql_habit(self, query: str) -> Mutant | None:
        """Put a piece of SQL syntax into a query: GROUP BY, HAVING, SELECT, SELECT with FROM, LIKE, `==` or `!=`."""
        returned = query.rfind("RETURN ")
        head, tail = query[:returned], query[returned:]
        habits = [
            (head + tail + " GROUP BY n", "GROUP BY"),
            (head + tail + " HAVING count(*) > 1", "HAVING"),
            (head + "SELECT " + tail.removeprefix("RETURN "), "SELECT"),
            ("SELECT " + tail.removeprefix("RETURN ") + " FROM Person n", "SELECT"),
        ]
        if " = " in STRINGS.sub("", query) and " = " in query:
            habits.append((query.replace(" = ", " == ", 1), "=="))
        if " <> " in query:
            habits.append((query.replace(" <> ", " != ", 1), "!="))
        if " WHERE " in query:
            habits.append((query.replace(" WHERE ", " WHERE n.name LIKE '%a%' AND ", 1), "LIKE"))
        text, habit = self.rng.choice(habits)
        return Mutant(text, query, "", habit, "syntax")
