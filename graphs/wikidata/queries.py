"""The SPARQL queries of a build. Each query lists the items or properties that it is about, which bounds its cost.

>>> print(property_types(["P569"]))
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT ?property ?type WHERE { VALUES ?property { wd:P569 } ?property wikibase:propertyType ?type }
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphground.graphs.definitions.model import Node

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


def prefixed(body: str) -> str:
    """Return a query with the prefixes for statements, values and merged items."""
    return _query(body, "wd", "wdt", "p", "ps", "psv", "pq", "pqv", "wikibase", "owl")


def _query(body: str, *prefixes: str) -> str:
    return "".join(f"PREFIX {name}: <{_PREFIXES[name]}>\n" for name in prefixes) + body


def item_list(numbers: Iterable[int]) -> str:
    """Return items for a VALUES clause: `item_list([42])` is `"wd:Q42"`."""
    return " ".join(f"wd:Q{number}" for number in numbers)


def subclasses(root: int) -> str:
    """Return the query for a class and its direct and indirect subclasses."""
    return _query(f"SELECT DISTINCT ?class WHERE {{ ?class wdt:P279* wd:Q{root} }}", "wd", "wdt")


def direct_subclasses(classes: Sequence[int]) -> str:
    """Return the query for the direct subclasses of several classes; used if the query `subclasses` takes too long."""
    return _query(
        f"SELECT DISTINCT ?class WHERE {{ VALUES ?parent {{ {item_list(classes)} }} ?class wdt:P279 ?parent }}",
        "wd",
        "wdt",
    )


def members(node: Node, class_property: str, classes: Sequence[int], ending: str = "") -> str:
    """Return the query for those members of some classes that satisfy the other conditions of a label.

    An item is a member of a class if the class is a value of its property `class_property`. If `ending` is not empty,
    only items whose number ends with these digits are returned.
    """
    conditions = [f"?item wdt:{link.property} wd:{link.item} ." for link in node.linked_to]
    conditions += [f"?item wdt:{name} [] ." for name in node.has_property]
    if node.sparql:
        pattern = node.sparql.strip()
        conditions.append(pattern if pattern.endswith((".", "}")) else f"{pattern} .")
    if ending:
        conditions.append(f'FILTER(STRENDS(STR(?item), "{ending}"))')
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?class {{ {item_list(classes)} }} "
        f"?item wdt:{class_property} ?class . {' '.join(conditions)} }}",
        *_PREFIXES,
    )


def subjects(name: str, ranks: str, ends: Sequence[int]) -> str:
    """Return the query for the items that have one of the items `ends` as a value of the property `name`.

    If `ranks` is `best`, only the best statements count; otherwise statements of every rank.
    """
    path = f"wdt:{name}" if ranks == "best" else f"p:{name}/ps:{name}"
    return _query(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?end {{ {item_list(ends)} }} ?item {path} ?end }}",
        "wd",
        "wdt",
        "p",
        "ps",
    )


def names(items: Sequence[int], languages: Sequence[str], wikipedia: str | None) -> str:
    """Return the query for names of items in some languages, and for the items into which the items were merged.

    With `wikipedia`, a language code such as `en`, the query also returns descriptions, aliases and the articles in
    this Wikipedia. Each row has a value for ?item and for one other variable, whose name is the kind of the value.

    The Wikipedia is compared in a filter: otherwise a planner may first read all its articles, and compare each article
    with every item.
    """
    codes = ", ".join(f'"{language}"' for language in languages)
    texts = {"label": "rdfs:label"}
    if wikipedia is not None:
        texts |= {"alias": "skos:altLabel", "description": "schema:description"}
    branches = {
        kind: f"?item {predicate} ?{kind} FILTER(LANG(?{kind}) IN ({codes}))" for kind, predicate in texts.items()
    }
    if wikipedia is not None:
        site = f"<https://{wikipedia}.wikipedia.org/>"
        branches["article"] = f"?article schema:about ?item ; schema:isPartOf ?site FILTER(?site = {site})"
    branches["same"] = "?item owl:sameAs ?same"
    variables = " ".join(f"?{kind}" for kind in branches)
    return _query(
        f"SELECT ?item {variables} WHERE {{\n    VALUES ?item {{ {item_list(items)} }}\n    "
        + "\n    UNION ".join(f"{{ {pattern} }}" for pattern in branches.values())
        + "\n}",
        "wd",
        "rdfs",
        "skos",
        "schema",
        "owl",
    )


def property_types(names: Sequence[str]) -> str:
    """Return the query for the datatypes of properties: rows with ?property, `wd:P569`, and ?type, `wikibase:Time`."""
    return _query(
        f"SELECT ?property ?type WHERE {{ VALUES ?property {{ {' '.join(f'wd:{name}' for name in names)} }} "
        "?property wikibase:propertyType ?type }",
        "wd",
        "wikibase",
    )
