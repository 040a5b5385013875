"""The SPARQL queries of a build. Each query lists the items that it is about, which bounds its cost.

>>> print(redirects([42]))
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT ?item ?target WHERE { VALUES ?item { wd:Q42 } ?item owl:sameAs ?target }
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from graphground.graphs.definitions.model import Node
from graphground.graphs.wikidata.statements import Wanted

_PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "bd": "http://www.bigdata.com/rdf#",
}
_PARTS = ("quantityAmount", "quantityUnit", "timeValue", "timePrecision")


def _query(body: str, *prefixes: str) -> str:
    return "".join(f"PREFIX {name}: <{_PREFIXES[name]}>\n" for name in prefixes) + body


def _items(numbers: Iterable[int]) -> str:
    return " ".join(f"wd:Q{number}" for number in numbers)


def subclasses(root: int) -> str:
    """Return the query for the direct and indirect subclasses of a class."""
    return _query(f"SELECT DISTINCT ?class WHERE {{ ?class wdt:P279* wd:Q{root} }}", "wd", "wdt")


def direct_subclasses(classes: Sequence[int]) -> str:
    """Return the query for direct subclasses of several classes, for endpoints where `subclasses` takes too long."""
    return _query(
        f"SELECT DISTINCT ?class WHERE {{ VALUES ?parent {{ {_items(classes)} }} ?class wdt:P279 ?parent }}",
        "wd",
        "wdt",
    )


def members(node: Node, class_property: str, classes: Sequence[int], ending: str = "") -> str:
    """Return the query for the members of some classes that satisfy a label's constraints.

    `ending` restricts the members to item numbers that end with these digits.
    """
    conditions = [f"?item wdt:{link.property} wd:{link.item} ." for link in node.linked_to]
    conditions += [f"?item wdt:{name} [] ." for name in node.has_property]
    if node.sparql:
        pattern = node.sparql.strip()
        conditions.append(pattern if pattern.endswith((".", "}")) else f"{pattern} .")
    if ending:
        conditions.append(f'FILTER(STRENDS(STR(?item), "{ending}"))')
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?class {{ {_items(classes)} }} "
        f"?item wdt:{class_property} ?class . {' '.join(conditions)} }}",
        *_PREFIXES,
    )


def subjects(name: str, ranks: str, ends: Sequence[int]) -> str:
    """Return the query for the items that have one of `ends` as the value of a property."""
    path = f"wdt:{name}" if ranks == "best" else f"p:{name}/ps:{name}"
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?end {{ {_items(ends)} }} ?item {path} ?end }}", "wd", "wdt", "p", "ps"
    )


def statements(items: Sequence[int], wanted: Wanted, in_full: Set[str]) -> str:
    """Return the query for the statements of items, of all ranks, as rows of subject ?s, predicate ?k and object ?v.

    A subject is a statement (then ?item and ?p give its item and property) or the value node of a quantity or time,
    which is read for the properties and qualifiers `in_full`. Normal ranks have no row. Every branch has constant
    predicates and no part is optional, because planners turn more general queries into scans of the whole store.
    """
    branches = []

    def row(name: str, predicate: str, condition: str = "") -> None:
        branches.append(
            f"{{ ?item p:{name} ?s . ?s {predicate} ?v{condition} BIND(p:{name} AS ?p) BIND({predicate} AS ?k) }}"
        )

    def parts(name: str, link: str) -> None:
        row(name, link)
        branches.extend(
            f"{{ ?item p:{name}/{link} ?s . ?s wikibase:{part} ?v BIND(wikibase:{part} AS ?k) }}" for part in _PARTS
        )

    for name, several in wanted.items():
        row(
            name, "wikibase:rank", " FILTER(?v != wikibase:NormalRank)"
        )  # most ranks are normal, so only others are returned
        row(name, f"ps:{name}")
        if name in in_full:
            parts(name, f"psv:{name}")
        for qualifier in sorted(several):
            row(name, f"pq:{qualifier}")
            if qualifier in in_full:
                parts(name, f"pqv:{qualifier}")
    body = f"VALUES ?item {{ {_items(items)} }}\n    " + "\n    UNION ".join(branches)
    return _query(
        f"SELECT DISTINCT ?item ?p ?s ?k ?v WHERE {{\n    {body}\n}}", "wd", "p", "ps", "psv", "pq", "pqv", "wikibase"
    )


def names(items: Sequence[int], languages: Sequence[str], wikipedia: str) -> str:
    """Return the query for names, descriptions and aliases in some languages, and for the articles of a Wikipedia."""
    among = ", ".join(f'"{language}"' for language in languages)
    return _query(
        f"""SELECT ?item ?kind ?text WHERE {{
    VALUES ?item {{ {_items(items)} }}
    {{ VALUES ?kind {{ rdfs:label skos:altLabel schema:description }} ?item ?kind ?text .
        FILTER(LANG(?text) IN ({among})) }}
    UNION {{ ?article schema:about ?item ; schema:isPartOf <https://{wikipedia}.wikipedia.org/> .
        BIND(schema:about AS ?kind) BIND(STR(?article) AS ?text) }}
}}""",
        "wd",
        "rdfs",
        "skos",
        "schema",
    )


def redirects(items: Sequence[int]) -> str:
    """Return the query for the items into which the given items were merged."""
    return _query(
        f"SELECT ?item ?target WHERE {{ VALUES ?item {{ {_items(items)} }} ?item owl:sameAs ?target }}", "wd", "owl"
    )
