"""A schema of 2,000 labels, 5,000 patterns and 20,000 properties from real Wikidata names, and questions about it."""

import gzip
import json
import random
import re

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from tests.support.shared_data import SHARED

UNITS = ("", "_km", "_kg", "_year", "_count", "_code", "_usd", "_metre")


def camel(text: str, first_small: bool = False) -> str:
    """Convert to camel case: `big city` becomes `BigCity`."""
    words = re.findall(r"[A-Za-z]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name[:1].lower() + name[1:] if first_small else name


def large_schema(
    labels: int = 2000, patterns: int = 5000, properties: int = 20_000, seed: int = 7
) -> PropertyGraphSchema:
    """Build the schema; the same seed gives the same schema."""
    draw = random.Random(seed)
    with gzip.open(SHARED / "codex" / "types.en.json.gz", "rt", encoding="utf-8") as file:
        types = [entry["label"] for entry in json.load(file).values()]
    relations = json.loads((SHARED / "codex" / "relations.en.json").read_text(encoding="utf-8"))
    relation_names = [entry["label"] for entry in relations.values()]
    names = list(dict.fromkeys(name for text in types if (name := camel(text))))[:labels]
    nouns = [re.sub(r"[^a-z]+", "_", text.lower()).strip("_") for text in types if len(text) < 25 and text.isascii()]
    per_label: dict[str, dict[str, str]] = {name: {"name": "str"} for name in names}
    left = properties - len(names)
    while left > 0:
        unit = draw.choice(UNITS)
        key = draw.choice(nouns) + unit
        owner = per_label[draw.choice(names)]
        if key not in owner and key:
            owner[key] = "str" if unit in ("", "_code") else "int"
            left -= 1
    triples: dict[tuple[str, str, str], None] = {}
    while len(triples) < patterns:
        triples[camel(draw.choice(relation_names), True), draw.choice(names), draw.choice(names)] = None
    return PropertyGraphSchema(
        "large",
        {name: Label(name, keys) for name, keys in per_label.items()},
        tuple(RelationshipPattern(*triple) for triple in triples),
    )


def questions(schema: PropertyGraphSchema, many: int, seed: int = 11) -> list[tuple[str, RelationshipPattern, str]]:
    """Return questions in words, each with the pattern that it needs and the needed property of the start label."""
    draw = random.Random(seed)
    found = []
    while len(found) < many:
        pattern = draw.choice(schema.patterns)
        key = draw.choice(list(schema.labels[pattern.start].properties))
        words = " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", pattern.type)).lower()
        found.append(
            (
                f"What is the {key.replace('_', ' ')} of each {spoken(pattern.start)} whose {words} is a "
                f"{spoken(pattern.end)}?",
                pattern,
                key,
            )
        )
    return found


def spoken(label: str) -> str:
    """Convert from camel case: `BigCity` becomes `big city`."""
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", label)).lower()
