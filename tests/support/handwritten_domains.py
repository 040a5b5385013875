"""Handwritten statements for the domains that the real data next to the project do not cover.

The facts are general knowledge. Classes, properties and the items below `OUR_NUMBERS` have Wikidata's own numbers; the
numbers from `OUR_NUMBERS` on are ours, because we did not look up those items.

    Q175036 | Guernica | P31 Q3305213, P170 Q5593, P571 1937

is an item, its English name and its statements: a value is an item, a date (day, month or year), `#32` (a quantity),
`#198 Q174728` (with its unit) or `"text"`; `{P580 1996}` holds qualifiers. Every label and every relationship type of
the domains occurs.
"""

import re
from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]
OUR_NUMBERS = 9_000_000_000
CLASSES = """
Q207694 | art museum | P279 Q33506
Q179700 | statue | P279 Q860861
Q644687 | international airport | P279 Q1248784
Q15632617 | fictional human | P279 Q95074
"""
ITEMS = {
    "art": """
Q175036 | Guernica | P31 Q3305213, P170 Q5593, P136 Q742333, P135 Q42934, P276 Q460889, P571 1937
Q12418 | Mona Lisa | P31 Q3305213, P170 Q762, P136 Q134307, P135 Q1474884, P276 Q19675, P571 1503
Q45585 | The Starry Night | P31 Q3305213, P170 Q5582, P136 Q191163, P135 Q166713, P276 Q188740, P571 1889-06
Q151952 | Venus de Milo | P31 Q179700, P170 Q9000000001, P135 Q9000000002, P276 Q19675
Q5593 | Pablo Picasso | P31 Q5, P19 Q8851, P21 Q6581097, P569 1881-10-25, P570 1973-04-08
Q762 | Leonardo da Vinci | P31 Q5, P21 Q6581097, P570 1519
Q5582 | Vincent van Gogh | P31 Q5, P21 Q6581097, P569 1853-03-30, P570 1890-07-29
Q9000000001 | Alexandros of Antioch | P31 Q5, P21 Q6581097
Q742333 | history painting |
Q134307 | portrait |
Q191163 | landscape art |
Q42934 | cubism | P31 Q968159, P580 1907
Q1474884 | High Renaissance | P31 Q968159
Q166713 | Post-Impressionism | P31 Q968159
Q9000000002 | Hellenistic sculpture | P31 Q968159
Q460889 | Museo Reina Sofía | P31 Q207694
Q19675 | Louvre Museum | P31 Q207694
Q188740 | Museum of Modern Art | P31 Q207694
Q8851 | Málaga |
Q6581097 | male |
""",
    "flight_accident": """
Q9000000010 | Pan Am Flight 103 | P31 Q744913, P137 Q8681, P121 Q9000000012, P1427 Q8691, P1444 Q8685, P276 Q9000000013,
 P585 1988-12-21, P1120 #270, P1561 #0, P3090 "103"
Q9000000011 | TWA Flight 800 | P31 Q744913, P137 Q9000000014, P121 Q9000000012, P1427 Q8685, P1444 Q46280, P585 1996-07-17,
 P1120 #230, P1561 #0, P3090 "800"
Q9000000012 | Boeing 747 | P176 Q66, P606 1969-02-09, P2050 #59.6 Q11573, P2043 #231 Q3710
Q9000000013 | Lockerbie |
Q9000000014 | Trans World Airlines | P571 1930, P17 Q30
Q8681 | Pan Am | P571 1927, P17 Q30
Q66 | Boeing | P571 1916-07-15, P17 Q30
Q8691 | Heathrow Airport | P31 Q644687, P238 "LHR", P239 "EGLL", P17 Q145
Q8685 | John F. Kennedy International Airport | P31 Q644687, P238 "JFK", P239 "KJFK", P17 Q30
Q46280 | Charles de Gaulle Airport | P31 Q644687, P238 "CDG", P239 "LFPG", P17 Q142
Q30 | United States of America |
Q142 | France |
Q145 | United Kingdom |
""",
    "terrorist_attack": """
Q9000000020 | Oklahoma City bombing | P31 Q2223653, P8031 Q9000000021, P17 Q30, P533 Q9000000022, P520 Q9000000023,
 P276 Q34863, P585 1995-04-19, P1120 #168, P1339 #680
Q10806 | September 11 attacks | P31 Q2223653, P8031 Q9000000024, P17 Q30, P533 Q11208, P533 Q11235, P585 2001-09-11
Q9000000021 | Timothy McVeigh | P31 Q5, P27 Q30, P21 Q6581097, P569 1968-04-23
Q9000000024 | Mohamed Atta | P31 Q5, P27 Q79, P21 Q6581097, P569 1968-09-01
Q9000000022 | Alfred P. Murrah Federal Building |
Q9000000023 | truck bomb |
Q11208 | The Pentagon |
Q11235 | World Trade Center |
Q34863 | Oklahoma City |
Q79 | Egypt |
Q30 | United States of America | P31 Q6256
Q6581097 | male |
""",
    "fictional_character": """
Q9000000030 | Star Wars universe | P31 Q559618, P571 1977, P170 Q38222, P3931 Q9000000037
Q9000000031 | Luke Skywalker | P31 Q15632617, P1080 Q9000000030, P170 Q38222, P21 Q6581097, P22 Q9000000032, P25 Q9000000033,
 P463 Q9000000035, P19 Q9000000036
Q9000000032 | Anakin Skywalker | P31 Q15632617, P1080 Q9000000030, P170 Q38222, P21 Q6581097, P26 Q9000000033, P463 Q9000000035
Q9000000033 | Padmé Amidala | P31 Q15632617, P1080 Q9000000030, P21 Q6581072, P26 Q9000000032, P19 Q9000000038, P20 Q9000000036
Q9000000034 | Obi-Wan Kenobi | P31 Q15632617, P1080 Q9000000030, P21 Q6581097, P802 Q9000000032, P157 Q9000000032,
 P463 Q9000000035
Q9000000035 | Jedi | P31 Q14623646, P1080 Q9000000030, P159 Q9000000039
Q9000000036 | Polis Massa |
Q9000000037 | Lucasfilm |
Q9000000038 | Naboo |
Q9000000039 | Coruscant |
Q38222 | George Lucas |
Q6581097 | male |
Q6581072 | female |
""",
    "nba": """
Q128109 | Chicago Bulls | P31 Q13393265, P118 Q155223, P361 Q9000000040, P571 1966-01-16, P115 Q9000000042 {P580 1994}
Q121783 | Los Angeles Lakers | P31 Q13393265, P118 Q155223, P361 Q9000000041, P571 1947
Q9000000040 | Central Division | P31 Q3032333, P361 Q9000000043
Q9000000041 | Pacific Division | P31 Q3032333, P361 Q9000000044
Q9000000042 | United Center |
Q9000000043 | Eastern Conference |
Q9000000044 | Western Conference |
Q41421 | Michael Jordan | P31 Q5, P27 Q30, P21 Q6581097, P569 1963-02-17, P2048 #198 Q174728, P2067 #98 Q11570,
 P54 Q128109 {P580 1984, P582 1993}, P54 Q128109 {P580 1995, P582 1998}, P647 Q128109 {P585 1984}, P413 Q273199,
 P166 Q222047 {P585 1988}, P166 Q222047 {P585 1991}
Q134183 | Magic Johnson | P31 Q5, P27 Q30, P21 Q6581097, P569 1959-08-14, P2048 #206 Q174728,
 P54 Q121783 {P580 1979, P582 1991}, P647 Q121783 {P585 1979}, P413 Q212413, P166 Q222047 {P585 1987}
Q273199 | shooting guard |
Q212413 | point guard |
Q222047 | NBA Most Valuable Player Award |
Q30 | United States of America |
Q6581097 | male |
""",
}
DOMAINS = tuple(ITEMS)
_STATEMENT = re.compile(r'(P\d+) ("[^"]*"|[^,{]+?)(?: \{([^}]*)\})?(?:, *\n? *|$)')


def handwritten_documents(domain: str) -> Iterator[Document]:
    """Yield the entity documents of a domain and of the classes."""
    for line in (CLASSES + ITEMS[domain]).replace("\n ", " ").strip().splitlines():
        if line:
            identifier, name, notation = (part.strip() for part in (line + " ").split(" | "))
            yield _document(identifier, name, notation)


def _document(identifier: str, name: str, notation: str) -> Document:
    document: Document = {
        "id": identifier,
        "type": "item",
        "labels": {"en": {"language": "en", "value": name}},
        "descriptions": {},
        "aliases": {},
        "claims": {},
        "sitelinks": {},
    }
    read = 0
    for statement in _STATEMENT.finditer(notation):
        assert statement.start() == read, f"{identifier}: {notation[read:]}"
        read = statement.end()
        property_, value, qualifiers = statement.groups()
        several = document["claims"].setdefault(property_, [])
        qualifier_snaks: dict[str, list[Document]] = {}
        for qualifier in filter(None, (qualifiers or "").split(", ")):
            key, _, text = qualifier.partition(" ")
            qualifier_snaks.setdefault(key, []).append(_snak(key, text))
        several.append(
            {
                "id": f"{identifier}${property_}-{len(several):05d}",
                "rank": "normal",
                "type": "statement",
                "mainsnak": _snak(property_, value),
                "qualifiers": qualifier_snaks,
            }
        )
    assert read == len(notation), f"{identifier}: {notation[read:]}"
    return document


def _snak(property_: str, text: str) -> Document:
    datatype, type_, value = _value(text)
    return {
        "snaktype": "value",
        "property": property_,
        "datatype": datatype,
        "datavalue": {"type": type_, "value": value},
    }


def _value(text: str) -> tuple[str, str, Any]:
    """Parse a value in the notation above; return its Wikidata datatype, the type of its data value,
    and the data value."""
    if text.startswith('"'):
        return "string", "string", text.strip('"')
    if text.startswith("#"):
        amount, _, unit = text[1:].partition(" ")
        address = f"http://www.wikidata.org/entity/{unit}" if unit else "1"
        return "quantity", "quantity", {"amount": f"+{amount}", "unit": address}
    if text.startswith("Q"):
        return "wikibase-item", "wikibase-entityid", {"entity-type": "item", "id": text}
    year, month, day = ([*text.split("-"), "00", "00"])[:3]
    return (
        "time",
        "time",
        {
            "time": f"+{year}-{month}-{day}T00:00:00Z",
            "precision": 9 + text.count("-"),
            "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
        },
    )
