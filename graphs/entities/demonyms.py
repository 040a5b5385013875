"""Adjectives of countries, for questions about `French painters` in a graph that contains `France`.

>>> countries_of("Nigerian")
('Nigeria',)
>>> countries_of("American")[0]
'United States'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphground.graphs.entities.candidate import Candidate, EntityLookup
from graphground.graphs.entities.spans import Word, words_of

# fmt: off
_TABLE = """
Afghan Afghanistan|Albanian Albania|Algerian Algeria|American United States/United States of America/USA
Andorran Andorra|Angolan Angola|Argentine Argentina|Argentinian Argentina|Armenian Armenia|Australian Australia
Austrian Austria|Azerbaijani Azerbaijan|Bahamian Bahamas/The Bahamas|Bahraini Bahrain|Bangladeshi Bangladesh
Barbadian Barbados|Belarusian Belarus|Belgian Belgium|Belizean Belize|Beninese Benin|Bhutanese Bhutan|Bolivian Bolivia
Bosnian Bosnia and Herzegovina|Brazilian Brazil|British United Kingdom/Great Britain|Bulgarian Bulgaria
Burmese Myanmar/Burma|Burundian Burundi|Cambodian Cambodia|Cameroonian Cameroon|Canadian Canada|Chadian Chad|Chilean Chile
Chinese People's Republic of China/China|Colombian Colombia|Congolese Democratic Republic of the Congo/Republic of the Congo
Croatian Croatia|Cuban Cuba|Cypriot Cyprus|Czech Czech Republic/Czechia|Danish Denmark/Kingdom of Denmark
Dominican Dominican Republic|Dutch Netherlands/Kingdom of the Netherlands|Ecuadorian Ecuador|Egyptian Egypt
English England/United Kingdom|Emirati United Arab Emirates|Eritrean Eritrea|Estonian Estonia|Ethiopian Ethiopia|Fijian Fiji
Filipino Philippines|Finnish Finland|French France|Gabonese Gabon|Gambian The Gambia/Gambia|Georgian Georgia|German Germany
Ghanaian Ghana|Greek Greece|Guatemalan Guatemala|Guinean Guinea|Guyanese Guyana|Haitian Haiti|Honduran Honduras
Hungarian Hungary|Icelandic Iceland|Indian India|Indonesian Indonesia|Iranian Iran|Iraqi Iraq|Irish Ireland/Republic of Ireland
Israeli Israel|Italian Italy|Ivorian Ivory Coast|Jamaican Jamaica|Japanese Japan|Jordanian Jordan|Kazakh Kazakhstan
Kenyan Kenya|Korean South Korea/Korea|Kuwaiti Kuwait|Kyrgyz Kyrgyzstan|Lao Laos|Laotian Laos|Latvian Latvia|Lebanese Lebanon
Liberian Liberia|Libyan Libya|Lithuanian Lithuania|Luxembourgish Luxembourg|Macedonian North Macedonia|Malagasy Madagascar
Malawian Malawi|Malaysian Malaysia|Maldivian Maldives|Malian Mali|Maltese Malta|Mauritanian Mauritania|Mauritian Mauritius
Mexican Mexico|Moldovan Moldova|Mongolian Mongolia|Montenegrin Montenegro|Moroccan Morocco|Mozambican Mozambique
Namibian Namibia|Nepalese Nepal|Nepali Nepal|Nicaraguan Nicaragua|Nigerian Nigeria|Nigerien Niger|Norwegian Norway|Omani Oman
Pakistani Pakistan|Palestinian State of Palestine/Palestine|Panamanian Panama|Paraguayan Paraguay|Peruvian Peru|Polish Poland
Portuguese Portugal|Qatari Qatar|Romanian Romania|Russian Russia|Rwandan Rwanda|Salvadoran El Salvador|Samoan Samoa
Saudi Saudi Arabia|Scottish Scotland|Senegalese Senegal|Serbian Serbia|Singaporean Singapore|Slovak Slovakia
Slovene Slovenia|Slovenian Slovenia|Somali Somalia|Soviet Soviet Union|Spanish Spain|Sudanese Sudan|Surinamese Suriname
Swedish Sweden|Swiss Switzerland|Syrian Syria|Taiwanese Taiwan|Tajik Tajikistan|Tanzanian Tanzania|Thai Thailand
Togolese Togo|Tongan Tonga|Tunisian Tunisia|Turkish Turkey|Turkmen Turkmenistan|Ugandan Uganda|Ukrainian Ukraine
Uruguayan Uruguay|Uzbek Uzbekistan|Venezuelan Venezuela|Vietnamese Vietnam|Welsh Wales|Yemeni Yemen|Yugoslav Yugoslavia
Zambian Zambia|Zimbabwean Zimbabwe
"""
# fmt: on
COUNTRIES = {
    adjective: tuple(countries.split("/"))
    for adjective, _, countries in (
        entry.strip().partition(" ") for entry in _TABLE.replace("\n", "|").split("|") if entry
    )
}
"""For each adjective, the possible names of its country in a graph."""


def countries_of(word: str) -> tuple[str, ...]:
    """Return the possible names of the country for a capitalised adjective; an empty tuple for any other word."""
    return COUNTRIES.get(word, ())


def demonyms_in(
    question: str, taken: Sequence[tuple[int, int]], lookup: EntityLookup, limit: int = 8
) -> Iterator[tuple[Word, list[Candidate]]]:
    """Yield each adjective in a question whose country is in the graph, with the entities that have the country's name.

    An adjective in a longer name, as in `French Open`, is left out. So is an adjective that overlaps one of the spans
    `taken`, pairs of a start and an end in the question. At most `limit` entities are looked up for each country name.
    """
    words = words_of(question)
    for place, word in enumerate(words):
        countries = countries_of(question[word.start : word.end])
        beside = [*(words[place - 1 : place] if place > 1 else ()), *words[place + 1 : place + 2]]
        if not countries or any(
            question[other.start].isupper() and not countries_of(question[other.start : other.end]) for other in beside
        ):
            continue
        if any(start < word.end and word.start < end for start, end in taken):
            continue
        for candidates in lookup.find_all(list(countries), mode="fuzzy", limit=limit):
            same = [candidate for candidate in candidates if candidate.match in ("exact", "alias")]
            if same:
                text = question[word.start : word.end]
                yield word, [replace(candidate, match="alias", matched=text) for candidate in same]
                break
