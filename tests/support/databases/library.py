"""A bibliographic graph: papers by title and DOI, authors by full name, venues, institutions, topics."""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

SUBJECTS = [
    "Sediment Transport", "Coral Reef Recovery", "Groundwater Recharge", "Glacier Retreat", "Peatland Carbon",
    "River Delta Formation", "Coastal Erosion", "Soil Moisture Memory", "Permafrost Thaw", "Estuary Mixing",
]  # fmt: skip
FRAMES = [
    "A Field Study of {}", "{} under Changing Rainfall", "Modelling {} with Sparse Data", "Rethinking {}",
    "{}: Evidence from Satellite Altimetry", "Long-Term Trends in {}",
]  # fmt: skip
GIVEN = [
    "Amara", "Bastien", "Chiara", "Dilnoza", "Emeka", "Freya", "Goran", "Hanako", "Ismail", "Jolanta", "Kofi",
    "Leila",
]  # fmt: skip
FAMILY = [
    "Okonjo", "Lefebvre", "Marchetti", "Yusupova", "Adeyemi", "Halvorsen", "Petrovic", "Morishita", "Benali",
    "Kowalczyk", "Mensah", "Farahani",
]  # fmt: skip
VENUES = [
    ("Journal of Applied Hydrology", "2190-4471"),
    ("Coastal Processes Letters", "1873-0062"),
    ("Annals of Cryospheric Science", "0921-1187"),
    ("Workshop on Earth Observation", "2411-9021"),
]
INSTITUTES = [
    ("Institute for Delta Research", "NL"),
    ("Boreal Geoscience Centre", "FI"),
    ("Universidade de Aveiro", "PT"),
    ("Kigali School of Water Science", "RW"),
    ("Hokuto Marine Laboratory", "JP"),
]


def build(graph: GraphScript) -> None:
    """Add 60 papers and 37 authors, two with the same full name; the DOI is unique, titles have a full-text index."""
    chance = random.Random(42)
    venues = [
        graph.node("Venue", title=title, issn=issn, kind="journal" if place < 3 else "workshop")
        for place, (title, issn) in enumerate(VENUES)
    ]
    institutes = [graph.node("Institution", label=label, country_code=code) for label, code in INSTITUTES]
    topics = [graph.node("Topic", term=subject.lower()) for subject in SUBJECTS]
    authors = []
    for number in range(36):
        full = f"{GIVEN[number % 12]} {FAMILY[(number * 5 + number // 12) % 12]}" if number else "Leila Farahani"
        author = graph.node(
            "Author",
            fullName=full,
            orcid=f"0000-0002-{number + 1200:04d}-{number * 37 % 9000 + 1000:04d}",
            hIndex=chance.randint(2, 60),
        )
        authors.append(author)
        graph.relate(author, "AFFILIATED_WITH", institutes[number % 5], since=1995 + number % 28)
    namesake = graph.node("Author", fullName="Leila Farahani", orcid="0000-0001-7777-0001", hIndex=4)
    graph.relate(namesake, "AFFILIATED_WITH", institutes[3], since=2019)
    papers = []
    for number in range(60):
        subject = number % 10
        title = FRAMES[number // 10].format(SUBJECTS[subject])
        paper = graph.node(
            "Publication",
            title=title,
            doi=f"10.{5100 + number % 7}/{chance.randint(10**5, 10**6)}",
            year=1998 + number % 26,
            pages=f"{number * 11 + 1}-{number * 11 + 9}",
            citations=chance.randint(0, 400),
            open_access=number % 3 == 0,
            abstract=f"We study {SUBJECTS[subject].lower()} in {number + 3} catchments and report " * 3,
        )
        papers.append(paper)
        graph.relate(paper, "PUBLISHED_IN", venues[number % 4], volume=str(number % 40 + 1))
        graph.relate(paper, "HAS_TOPIC", topics[subject])
        for place, author in enumerate(chance.sample(authors, chance.randint(1, 4))):
            graph.relate(author, "AUTHORED", paper, position=place + 1)
        for other in chance.sample(papers[:-1], min(3, len(papers) - 1)):
            graph.relate(paper, "CITES", other)
    graph.relate(namesake, "AUTHORED", papers[5], position=9)
    graph.statements = [
        "CREATE CONSTRAINT publication_doi FOR (p:Publication) REQUIRE p.doi IS UNIQUE",
        "CREATE CONSTRAINT author_orcid FOR (a:Author) REQUIRE a.orcid IS UNIQUE",
        "CREATE FULLTEXT INDEX publication_titles FOR (p:Publication) ON EACH [p.title]",
        "CREATE INDEX publication_year FOR (p:Publication) ON (p.year)",
    ]


LIBRARY = ExampleDatabase("library", build)
