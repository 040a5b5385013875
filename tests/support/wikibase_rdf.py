"""Entity documents as RDF, as Wikidata's exporter writes them: for local SPARQL stores and N-Triples dumps of tests.

The conversion follows https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format, and shares no code with the
program under test.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

W = "http://www.wikidata.org/"
WD, WDS, WDV, PROP = f"{W}entity/", f"{W}entity/statement/", f"{W}value/", f"{W}prop/"
WIKIBASE, XSD = "http://wikiba.se/ontology#", "http://www.w3.org/2001/XMLSchema#"
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
SCHEMA, SKOS, OWL = "http://schema.org/", "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/2002/07/owl#"
RANKS = {"preferred": "PreferredRank", "normal": "NormalRank", "deprecated": "DeprecatedRank"}


def uri(text: str) -> str:
    return f"<{text}>"


def literal(text: str, datatype: str = "", language: str = "") -> str:
    quoted = json.dumps(text, ensure_ascii=False).replace("\\/", "/").replace("\x7f", "\\u007F")
    return quoted + (f"@{language}" if language else f"^^<{datatype}>" if datatype else "")


def triples(document: dict[str, Any], *, truthy_only: bool = False) -> Iterator[str]:
    """Yield the N-Triples lines of an entity document."""
    item = uri(WD + document["id"])
    for key, predicate in (("labels", RDFS + "label"), ("descriptions", SCHEMA + "description")):
        for text in (document.get(key) or {}).values() if isinstance(document.get(key), dict) else ():
            yield f"{item} {uri(predicate)} {literal(text['value'], language=text['language'])} ."
    if isinstance(document.get("aliases"), dict):
        for texts in document["aliases"].values():
            for text in texts:
                yield f"{item} {uri(SKOS + 'altLabel')} {literal(text['value'], language=text['language'])} ."
    links = document.get("sitelinks")
    for site, link in links.items() if isinstance(links, dict) else ():
        if site == "enwiki":
            title = link["title"] if isinstance(link, dict) else link
            article = uri("https://en.wikipedia.org/wiki/" + quote(title.replace(" ", "_"), safe="/:(),'!*"))
            yield f"{article} {uri(SCHEMA + 'about')} {item} ."
            yield f"{article} {uri(SCHEMA + 'isPartOf')} {uri('https://en.wikipedia.org/')} ."
    redirect = document.get("redirects")
    if redirect:
        yield f"{uri(WD + redirect['from'])} {uri(OWL + 'sameAs')} {uri(WD + redirect['to'])} ."
    claims = document.get("claims")
    for name, statements in claims.items() if isinstance(claims, dict) else ():
        highest = max((_RANK_ORDER[ranked["rank"]] for ranked in statements), default=0)
        for statement in statements:
            is_best = statement["rank"] != "deprecated" and _RANK_ORDER[statement["rank"]] == highest
            yield from _statement(item, name, statement, is_best, truthy_only)


_RANK_ORDER = {"deprecated": 0, "normal": 1, "preferred": 2}


def _statement(item: str, name: str, statement: dict[str, Any], is_best: bool, truthy_only: bool) -> Iterator[str]:
    key = statement.get("id") or "x" + hashlib.md5(json.dumps(statement).encode()).hexdigest()
    node = uri(WDS + key.replace("$", "-", 1))
    simple, _ = _value(statement["mainsnak"], key)
    if is_best and simple:
        yield f"{item} {uri(PROP + 'direct/' + name)} {simple} ."
    if truthy_only:
        return
    yield f"{item} {uri(PROP + name)} {node} ."
    yield f"{node} {uri(RDF + 'type')} {uri(WIKIBASE + 'Statement')} ."
    if is_best:
        yield f"{node} {uri(RDF + 'type')} {uri(WIKIBASE + 'BestRank')} ."
    yield f"{node} {uri(WIKIBASE + 'rank')} {uri(WIKIBASE + RANKS[statement['rank']])} ."
    yield from _snak(node, name, statement["mainsnak"], "statement", key)
    for qualifier, snaks in (statement.get("qualifiers") or {}).items():
        for number, snak in enumerate(snaks):
            yield from _snak(node, qualifier, snak, "qualifier", f"{key}{qualifier}{number}")


def _snak(node: str, name: str, snak: dict[str, Any], kind: str, key: str) -> Iterator[str]:
    simple, full = _value(snak, key)
    if simple is None:
        yield f"{node} {uri(RDF + 'type')} {uri(W + 'prop/novalue/' + name)} ."
        return
    yield f"{node} {uri(PROP + kind + '/' + name)} {simple} ."
    if full:
        value = uri(WDV + hashlib.md5(repr(full).encode()).hexdigest())
        yield f"{node} {uri(PROP + kind + '/value/' + name)} {value} ."
        for predicate, thing in full:
            yield f"{value} {uri(WIKIBASE + predicate)} {thing} ."


def _value(snak: dict[str, Any], key: str) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the simple value of a snak (None for `novalue`), and the predicates and objects of its full value."""
    if snak["snaktype"] == "novalue":
        return None, []
    if snak["snaktype"] == "somevalue":
        return uri(f"{W}.well-known/genid/{hashlib.md5(key.encode()).hexdigest()}"), []
    type_, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if type_ == "wikibase-entityid":
        name = value.get("id") or f"{'P' if value['entity-type'] == 'property' else 'Q'}{value['numeric-id']}"
        return uri(WD + name), []
    if type_ == "monolingualtext":
        return literal(value["text"], language=value["language"]), []
    if type_ == "quantity":
        amount = literal(value["amount"], XSD + "decimal")
        unit = uri(WD + "Q199" if value["unit"] == "1" else value["unit"].replace("https:", "http:"))
        return amount, [("quantityAmount", amount), ("quantityUnit", unit)]
    if type_ == "time":
        time = rdf_time(value)
        # The exporter writes a time that it cannot convert as a plain literal, as it stands in the document.
        moment = literal(value["time"]) if time is None else literal(time, XSD + "dateTime")
        return moment, [
            ("timeValue", moment),
            ("timePrecision", literal(str(value["precision"]), XSD + "integer")),
            ("timeCalendarModel", uri(value["calendarmodel"].replace("https:", "http:"))),
        ]
    if type_ == "globecoordinate":
        point = f"Point({php_float(value['longitude'])} {php_float(value['latitude'])})"
        globe = (value.get("globe") or WD + "Q2").replace("https:", "http:")
        text = point if globe == WD + "Q2" else f"<{globe}> {point}"
        return literal(text, "http://www.opengis.net/ont/geosparql#wktLiteral"), []
    if snak.get("datatype") == "commonsMedia":
        return uri("http://commons.wikimedia.org/wiki/Special:FilePath/" + quote(value)), []
    if snak.get("datatype") in ("geo-shape", "tabular-data"):
        encoded = quote(value, safe=" ;@$!*(),/~:").replace(" ", "+")
        return uri("http://commons.wikimedia.org/data/main/" + encoded), []
    if snak.get("datatype") == "url":
        return uri(value), []
    return literal(value), []


def php_float(number: float) -> str:
    """Return a number as PHP writes it in a text: with 14 significant digits."""
    text = f"{number:.14g}"
    if "e" not in text:
        return text
    digits, power = text.split("e")
    return f"{digits if '.' in digits else digits + '.0'}E{int(power):+d}"


def rdf_time(value: dict[str, Any]) -> str | None:
    """Return a time in XSD 1.1: with a year 0, only valid months and days, and Julian days converted to Gregorian days.

    None for the year 0, which documents must not contain.
    """
    sign, rest = value["time"][0], value["time"][1:]
    year, month, day = rest.split("T")[0].split("-")
    precision, number = value["precision"], int(year) * (-1 if sign == "-" else 1)
    if number == 0:
        return None
    month, day = min(max(int(month), 1), 12), max(int(day), 1)
    if precision <= 9:
        month = 1
    if precision <= 10:
        day = 1
    if precision >= 9 and number < 0:
        number += 1
    if precision >= 11 and value["calendarmodel"].endswith("Q1985786") and number >= -4712:
        # The distance between the calendars grows by a day in each century year that 400 does not divide.
        before_march = number - (1 if month < 3 else 0)
        shift = before_march // 100 - before_march // 400 - 2
        cycle = 400 * (number // 400) - 400  # Python's dates begin with the year 1, and the calendar repeats
        moved = date(number - cycle, month, 1) + timedelta(days=shift + day - 1)
        number, month, day = moved.year + cycle, moved.month, moved.day
    elif precision >= 11 and day > 28:
        leap = number < -4712 or (number % 4 == 0 and (number % 100 != 0 or number % 400 == 0))
        day = min(day, {2: 29 if leap else 28, 4: 30, 6: 30, 9: 30, 11: 30}.get(month, 31))
    return f"{'-' if number < 0 else ''}{abs(number):04d}-{month:02d}-{day:02d}T00:00:00Z"


DATATYPES = {
    "wikibase-item": "WikibaseItem",
    "wikibase-entityid": "WikibaseItem",
    "quantity": "Quantity",
    "time": "Time",
    "string": "String",
    "external-id": "ExternalId",
    "url": "Url",
    "commonsMedia": "CommonsMedia",
    "globe-coordinate": "GlobeCoordinate",
    "globecoordinate": "GlobeCoordinate",
    "monolingualtext": "Monolingualtext",
}
"""The RDF datatypes by the datatypes of snaks; old documents contain only the type of the value."""


def all_triples(documents: Iterable[dict[str, Any]], *, truthy_only: bool = False) -> Iterator[str]:
    """Yield the lines of documents, then the datatype of each property whose values all have one known datatype.

    With `truthy_only`, no datatypes are yielded.
    """
    types: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        yield from triples(document, truthy_only=truthy_only)
        for name, snak in _snaks(document):
            if "datavalue" in snak:
                types[name].add(DATATYPES.get(snak.get("datatype") or snak["datavalue"]["type"], ""))
    for name, several in types.items():
        if len(several) == 1 and several != {""} and not truthy_only:
            yield f"{uri(WD + name)} {uri(WIKIBASE + 'propertyType')} {uri(WIKIBASE + several.pop())} ."


def _snaks(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    claims = document.get("claims")
    for name, statements in claims.items() if isinstance(claims, dict) else ():
        for statement in statements:
            yield name, statement["mainsnak"]
            for qualifier, snaks in (statement.get("qualifiers") or {}).items():
                for snak in snaks:
                    yield qualifier, snak
