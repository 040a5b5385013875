"""Builds `graphs/bundled/world/world.json.gz`: territories, currencies, languages, scripts and time zones of the world.

    pip install babel && python -m release.world

The facts are those of the Unicode CLDR as Babel contains them, and of the time zone database of this machine. The graph
is as untidy as such sources are: nodes with several labels, names in several languages, shares of speakers as text,
several currencies called dollar, dates that are missing, and times with zones.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.core import get_global

BUILT = Path(__file__).resolve().parents[1] / "graphs" / "bundled" / "world" / "world.json.gz"
ENGLISH = Locale("en")
GROUPS = {"AQ", "CQ", "EA", "EU", "EZ", "IC", "QO", "UN", "XA", "XB", "ZZ"}
"""Codes that name no territory with inhabitants of its own, or only a part of another."""
AS_OF = datetime(2025, 7, 1, tzinfo=UTC)
LABELS = {
    "Territory": {"code": "str"},
    "Currency": {"code": "str", "symbol": "str", "decimals": "int"},
    "HistoricalCurrency": {"code": "str", "symbol": "str", "decimals": "int"},
    "Language": {"code": "str"},
    "OfficialLanguage": {"code": "str"},
    "Script": {"code": "str"},
    "TimeZone": {"utc_offset": "str", "observes_dst": "bool", "last_change": "datetime"},
}


def main() -> None:
    """Write the graph."""
    relations = [*currency_use(), *language_use(), *writing(), *zones_of_territories()]
    used = {end for relation in relations for end in (relation["subj_id"], relation["obj_id"])}
    entities = [
        entity
        for entity in [*territories(), *currencies(), *languages(), *scripts(), *zones()]
        if entity["eid"] in used
    ]
    sets = {entity["eid"] for entity in entities}
    relations = [relation for relation in relations if {relation["subj_id"], relation["obj_id"]} <= sets]
    for number, relation in enumerate(relations):
        relation["rid"] = str(number)
    document = {"schema": schema(entities, relations), "entities": entities, "relations": relations}
    BUILT.parent.mkdir(exist_ok=True)
    with BUILT.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=str).encode())
    print(f"{len(entities)} nodes, {len(relations)} relationships")


def schema(entities: list[dict[str, Any]], relations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of the document: every pattern that occurs."""
    label_of = {entity["eid"]: entity.get("labels", [entity["label"]]) for entity in entities}
    properties = {
        "USES_CURRENCY": {"since": "date", "until": "date", "legal_tender": "bool"},
        "SPEAKS": {"share": "str", "status": "str"},
        "WRITTEN_IN": {},
        "IN_TIME_ZONE": {},
    }
    patterns = sorted(
        {
            (start, relation["label"], end)
            for relation in relations
            for start in label_of[relation["subj_id"]]
            for end in label_of[relation["obj_id"]]
        }
    )
    return {
        "name": "world",
        "label_combinations": sorted({tuple(labels) for labels in label_of.values() if len(labels) > 1}),
        "entities": [{"label": label, "description": None, "properties": kinds} for label, kinds in LABELS.items()],
        "relations": [
            {"label": kind, "subj_label": start, "obj_label": end, "description": None, "properties": properties[kind]}
            for start, kind, end in patterns
        ],
    }


def entity(eid: str, labels: list[str], name: str, aliases: Iterable[str] = (), **properties: Any) -> dict[str, Any]:
    """Return a node; properties without a value and aliases that are its name are left out."""
    held = {key: value for key, value in properties.items() if value not in (None, "")}
    others = [" ".join(alias.split()) for alias in dict.fromkeys(aliases) if alias != name]
    several = {"labels": labels} if len(labels) > 1 else {}
    return {"eid": eid, "label": labels[0], **several, "name": name, "aliases": others, "properties": held}


def relation(kind: str, start: str, end: str, **properties: Any) -> dict[str, Any]:
    """Return a relationship; properties without a value are left out."""
    held = {key: value for key, value in properties.items() if value is not None}
    return {"label": kind, "subj_id": start, "obj_id": end, "properties": held}


def codes() -> list[str]:
    """Return the codes of the territories."""
    known = set(get_global("territory_currencies")) | set(get_global("territory_languages"))
    return sorted(code for code in known - GROUPS if code in ENGLISH.territories and len(code) == 2)


def territories() -> Iterator[dict[str, Any]]:
    """Yield the territories; the aliases are their names in the languages that are official there."""
    for code in codes():
        name = ENGLISH.territories[code]
        spoken = get_global("territory_languages").get(code, {})
        aliases = [code]
        for language, facts in spoken.items():
            if facts["official_status"]:
                aliases += [own] if (own := names_in(language, "territories").get(code)) else []
        yield entity(f"territory/{code}", ["Territory"], name, aliases, code=code)


def names_in(language: str, what: str) -> dict[str, str]:
    """Return what a language calls the territories or languages; empty if CLDR does not say."""
    try:
        return dict(getattr(Locale.parse(language), what))
    except (UnknownLocaleError, ValueError):
        return {}


def currencies() -> Iterator[dict[str, Any]]:
    """Yield the currencies; one that no territory uses today is historical too."""
    current = {
        code for uses in get_global("territory_currencies").values() for code, _, until, _ in uses if until is None
    }
    for code, name in sorted(ENGLISH.currencies.items()):
        decimals = get_global("currency_fractions").get(code, get_global("currency_fractions")["DEFAULT"])[0]
        labels = ["Currency", *([] if code in current else ["HistoricalCurrency"])]
        symbol = names_in_symbols(code)
        yield entity(f"currency/{code}", labels, name, code=code, symbol=symbol, decimals=decimals)


def names_in_symbols(code: str) -> str | None:
    """Return the narrow symbol of a currency as its own users write it, such as `$`; None if it has none."""
    for territory, uses in get_global("territory_currencies").items():
        if any(used == code and until is None for used, _, until, _ in uses):
            for language in get_global("territory_languages").get(territory, {}):
                try:
                    symbol = Locale.parse(f"{language}_{territory}").currency_symbols.get(code)
                except (UnknownLocaleError, ValueError):
                    continue
                if symbol and symbol != code:
                    return " ".join(str(symbol).split())
    return None


def languages() -> Iterator[dict[str, Any]]:
    """Yield the languages; the alias is the language's own name."""
    official = {
        code
        for spoken in get_global("territory_languages").values()
        for code, facts in spoken.items()
        if facts["official_status"] in ("official", "de_facto_official")
    }
    for code, name in sorted(ENGLISH.languages.items()):
        own = names_in(code, "languages").get(code)
        labels = ["Language", *(["OfficialLanguage"] if code in official else [])]
        yield entity(f"language/{code}", labels, name, [own] if own else [], code=code)


def scripts() -> Iterator[dict[str, Any]]:
    """Yield the scripts."""
    for code, name in sorted(ENGLISH.scripts.items()):
        yield entity(f"script/{code}", ["Script"], name, code=code)


def zones() -> Iterator[dict[str, Any]]:
    """Yield the time zones, with the last change of their offset before `AS_OF`."""
    aliases: dict[str, list[str]] = {}
    for old, new in sorted(get_global("zone_aliases").items()):
        aliases.setdefault(new, []).append(old)
    for windows, name in sorted(get_global("windows_zone_mapping").items()):
        aliases.setdefault(name, []).append(windows)
    for name in sorted(get_global("zone_territories")):
        try:
            zone = ZoneInfo(name)
        except (KeyError, OSError):
            continue
        offset = AS_OF.astimezone(zone).strftime("%z")
        change = last_change(zone)
        yield entity(
            f"zone/{name}",
            ["TimeZone"],
            name,
            aliases.get(name, []),
            utc_offset=f"UTC{offset[:3]}:{offset[3:]}",
            observes_dst=any((AS_OF + timedelta(days=days)).astimezone(zone).dst() for days in range(0, 366, 14)),
            last_change=change.isoformat() if change else None,
        )


def last_change(zone: ZoneInfo) -> datetime | None:
    """Return the moment before `AS_OF` from which the zone has had its offset, in the zone; None if before 1970."""
    late, start = AS_OF, datetime(1970, 1, 1, tzinfo=UTC)
    offset = late.astimezone(zone).utcoffset()
    early = late
    while early.astimezone(zone).utcoffset() == offset:
        late, early = early, early - timedelta(days=20)
        if early < start:
            return None
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) / 2
        early, late = (early, middle) if middle.astimezone(zone).utcoffset() == offset else (middle, late)
    return late.replace(microsecond=0).astimezone(zone)


def currency_use() -> Iterator[dict[str, Any]]:
    """Yield which territory used which currency, and when."""
    known = set(codes())
    for territory, uses in sorted(get_global("territory_currencies").items()):
        for code, since, until, tender in uses if territory in known else ():
            yield relation(
                "USES_CURRENCY",
                f"territory/{territory}",
                f"currency/{code}",
                since=date(*since).isoformat() if since else None,
                until=date(*until).isoformat() if until else None,
                legal_tender=tender,
            )


def language_use() -> Iterator[dict[str, Any]]:
    """Yield which languages are spoken in which territory; the share is text, as in a printed table."""
    known = set(codes())
    for territory, spoken in sorted(get_global("territory_languages").items()):
        for code, facts in spoken.items() if territory in known else ():
            share = facts["population_percent"]
            if share >= 1 or facts["official_status"]:
                yield relation(
                    "SPEAKS",
                    f"territory/{territory}",
                    f"language/{code.split('_')[0]}",
                    share=f"{share:g} %",
                    status=facts["official_status"] or "none",
                )


def writing() -> Iterator[dict[str, Any]]:
    """Yield the script in which a language is usually written."""
    for code, likely in sorted(get_global("likely_subtags").items()):
        parts = likely.split("_")
        if "_" not in code and code in ENGLISH.languages and len(parts) > 1:
            yield relation("WRITTEN_IN", f"language/{code}", f"script/{parts[1]}")


def zones_of_territories() -> Iterator[dict[str, Any]]:
    """Yield the time zones of the territories."""
    for territory, names in sorted(get_global("territory_zones").items()):
        for name in names:
            yield relation("IN_TIME_ZONE", f"territory/{territory}", f"zone/{name}")


if __name__ == "__main__":
    main()
