"""A bibliographic graph: papers by title and DOI, authors by full name, venues, institutions, topics."""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

SUBJECTS = ["Sediment Transport", "Coral Reef Recovery", "Groundwater Recharge", "Glacier Retreat", "Peatland Carbon",
            "River Delta Formation", "Coastal Erosion", "Soil Moisture Memory", "Permafrost Thaw", "Estuary Mixing"]
FRAMES = ["A Field Study of {}", "{} under Changing Rainfall", "Modelling {} with Sparse Data",
          "Rethinking {}", "{}: Evidence from Satellite Altimetry", "Long-Term Trends in {}"]
GIVEN = ["Amara", "Bastien", "Chiara", "Dilnoza", "Emeka", "Freya", "Goran", "Hanako", "Ismail", "Jolanta", "Kofi", "Leila"]
FAMILY = ["Okonjo", "Lefebvre", "Marchetti", "Yusupova", "Adeyemi", "Halvorsen", "Petrovic", "Morishita", "Benali",
          "Kowalczyk", "Mensah", "Farahani"]
VENUES = [("Journal of Applied Hydrology", "2190-4471"), ("Coastal Processes Letters", "1873-0062"),
          ("Annals of Cryospheric Science", "0921-1187"), ("Workshop on Earth Observation", "2411-9021")]
INSTITUTES = [("Institute for Delta Research", "NL"), ("Boreal Geoscience Centre", "FI"),
              ("Universidade de Aveiro", "PT"), ("Kigali School of Water Science", "RW"),
              ("Hokuto Marine Laboratory", "JP")]


def build(graph: GraphScript) -> None:
    """60 papers, 36 authors, two of the same full name; the DOI is unique, titles have a full-text index."""
    chance = random.Random(42)
    venues = [graph.node("Venue", title=title, issn=issn, kind="journal" if place < 3 else "workshop")
              for place, (title, issn) in enumerate(VENUES)]
    institutes = [graph.node("Institution", label=label, country_code=code) for label, code in INSTITUTES]
    topics = [graph.node("Topic", term=subject.lower()) for subject in SUBJECTS]
    authors = []
    for number in range(36):
        full = f"{GIVEN[number % 12]} {FAMILY[(number * 5 + number // 12) % 12]}" if number else "Leila Farahani"
        author = graph.node("Author", fullName=full, orcid=f"0000-0002-{number + 1200:04d}-{number * 37 % 9000 + 1000:04d}",
                            hIndex=chance.randint(2, 60))
        authors.append(author)
        graph.relate(author, "AFFILIATED_WITH", institutes[number % 5], since=1995 + number % 28)
    namesake = graph.node("Author", fullName="Leila Farahani", orcid="0000-0001-7777-0001", hIndex=4)
    graph.relate(namesake, "AFFILIATED_WITH", institutes[3], since=2019)
    papers = []
    for number in range(60):
        subject = number % 10
        title = FRAMES[number // 10].format(SUBJECTS[subject])
        paper = graph.node("Publication", title=title, doi=f"10.{5100 + number % 7}/{chance.randint(10**5, 10**6)}",
                           year=1998 + number % 26, pages=f"{number * 11 + 1}-{number * 11 + 9}",
                           citations=chance.randint(0, 400), open_access=number % 3 == 0,
                           abstract=f"We study {SUBJECTS[subject].lower()} in {number + 3} catchments and report " * 3)
        papers.append(paper)
        graph.relate(paper, "PUBLISHED_IN", venues[number % 4], volume=str(number % 40 + 1))
        graph.relate(paper, "HAS_TOPIC", topics[subject])
        for place, author in enumerate(chance.sample(authors, chance.randint(1, 4))):
            graph.relate(author, "AUTHORED", paper, position=place + 1)
        for other in chance.sample(papers[:-1], min(3, len(papers) - 1)):
            graph.relate(paper, "CITES", other)
    graph.relate(namesake, "AUTHORED", papers[5], position=9)
    graph.statements = ["CREATE CONSTRAINT publication_doi FOR (p:Publication) REQUIRE p.doi IS UNIQUE",
                        "CREATE CONSTRAINT author_orcid FOR (a:Author) REQUIRE a.orcid IS UNIQUE",
                        "CREATE FULLTEXT INDEX publication_titles FOR (p:Publication) ON EACH [p.title]",
                        "CREATE INDEX publication_year FOR (p:Publication) ON (p.year)"]


QUESTIONS = """
? Who wrote Rethinking Glacier Retreat?
= MATCH (a:Author)-[:AUTHORED]->(:Publication {title: 'Rethinking Glacier Retreat'}) RETURN a.fullName
@ Rethinking Glacier Retreat -> Publication.title: Rethinking Glacier Retreat
! MATCH (p:Publication {name: 'Rethinking Glacier Retreat'})<-[:AUTHORED]-(a:Author) RETURN a.name

? Who wrote Rethinking Glacer Retreet?
= MATCH (a:Author)-[:AUTHORED]->(:Publication {title: 'Rethinking Glacier Retreat'}) RETURN a.fullName
@ Rethinking Glacer Retreet -> Publication.title: Rethinking Glacier Retreat

? Which papers did Emeka Halvorsen write?
= MATCH (:Author {fullName: 'Emeka Halvorsen'})-[:AUTHORED]->(p:Publication) RETURN p.title
! MATCH (p:Publication)-[:AUTHORED]->(:Author {fullName: 'Emeka Halvorsen'}) RETURN p.title

? Where was Rethinking Coastal Erosion published?
= MATCH (:Publication {title: 'Rethinking Coastal Erosion'})-[:PUBLISHED_IN]->(v:Venue) RETURN v.title
@ Rethinking Coastal Erosion -> Publication.title: Rethinking Coastal Erosion

? Which papers appeared in Coastal Processes Letters?
= MATCH (p:Publication)-[:PUBLISHED_IN]->(:Venue {title: 'Coastal Processes Letters'}) RETURN p.title
@ Coastal Processes Letters -> Venue.title: Coastal Processes Letters
! MATCH (v:Venue {name: 'Coastal Processes Letters'})<-[:PUBLISHED_IN]-(p:Publication) RETURN p.title

? What is the ISSN of Annals of Cryosferic Science?
= MATCH (v:Venue {title: 'Annals of Cryospheric Science'}) RETURN v.issn
@ Annals of Cryosferic Science -> Venue.title: Annals of Cryospheric Science

? Which papers have the topic permafrost thaw?
= MATCH (p:Publication)-[:HAS_TOPIC]->(:Topic {term: 'permafrost thaw'}) RETURN p.title
@ permafrost thaw -> Topic.term: permafrost thaw

? How many papers have the topic peatland carbon?
= MATCH (p:Publication)-[:HAS_TOPIC]->(:Topic {term: 'peatland carbon'}) RETURN count(p)
@ peatland carbon -> Topic.term: peatland carbon

? Which institution is Leila Farahani affiliated with?
= MATCH (:Author {fullName: 'Leila Farahani'})-[:AFFILIATED_WITH]->(i:Institution) RETURN i.label
@ Leila Farahani -> Author.fullName: Leila Farahani

? Which authors are affiliated with the Boreal Geoscience Centre?
= MATCH (a:Author)-[:AFFILIATED_WITH]->(:Institution {label: 'Boreal Geoscience Centre'}) RETURN a.fullName
@ Boreal Geoscience Centre -> Institution.label: Boreal Geoscience Centre

? Which authors are affiliated with the Hokuto Marin Labratory?
= MATCH (a:Author)-[:AFFILIATED_WITH]->(:Institution {label: 'Hokuto Marine Laboratory'}) RETURN a.fullName
@ Hokuto Marin Labratory -> Institution.label: Hokuto Marine Laboratory

? In which country is the Institute for Delta Research?
= MATCH (i:Institution {label: 'Institute for Delta Research'}) RETURN i.country_code
@ Institute for Delta Research -> Institution.label: Institute for Delta Research

? How many papers were published in 2015?
= MATCH (p:Publication {year: 2015}) RETURN count(p)
! MATCH (p:Publication {year: '2015'}) RETURN count(p)

? Which paper has the most citations?
= MATCH (p:Publication) RETURN p.title ORDER BY p.citations DESC LIMIT 1

? Which papers does Rethinking Estuary Mixing cite?
= MATCH (:Publication {title: 'Rethinking Estuary Mixing'})-[:CITES]->(p:Publication) RETURN p.title
@ Rethinking Estuary Mixing -> Publication.title: Rethinking Estuary Mixing

? Which papers cite A Field Study of Soil Moisture Memory?
= MATCH (p:Publication)-[:CITES]->(:Publication {title: 'A Field Study of Soil Moisture Memory'}) RETURN p.title
@ A Field Study of Soil Moisture Memory -> Publication.title: A Field Study of Soil Moisture Memory

? What is the DOI of Modelling Coral Reef Recovery with Sparse Data?
= MATCH (p:Publication {title: 'Modelling Coral Reef Recovery with Sparse Data'}) RETURN p.doi
@ Modelling Coral Reef Recovery with Sparse Data -> Publication.title: Modelling Coral Reef Recovery with Sparse Data

? In which year was Long-Term Trends in Peatland Carbon published?
= MATCH (p:Publication {title: 'Long-Term Trends in Peatland Carbon'}) RETURN p.year
@ Long-Term Trends in Peatland Carbon -> Publication.title: Long-Term Trends in Peatland Carbon

? How many authors has the Universidade de Aveiro?
= MATCH (a:Author)-[:AFFILIATED_WITH]->(:Institution {label: 'Universidade de Aveiro'}) RETURN count(a)
@ Universidade de Aveiro -> Institution.label: Universidade de Aveiro

? Which authors have an h-index above 50?
= MATCH (a:Author) WHERE a.hIndex > 50 RETURN a.fullName
! MATCH (a:Author) WHERE a.hIndex > '50' RETURN a.fullName

? Who is the first author of Rethinking Permafrost Thaw?
= MATCH (a:Author)-[:AUTHORED {position: 1}]->(:Publication {title: 'Rethinking Permafrost Thaw'}) RETURN a.fullName
@ Rethinking Permafrost Thaw -> Publication.title: Rethinking Permafrost Thaw

? Which papers in volume 12 or higher appeared in the Journal of Applied Hydrology?
= MATCH (p:Publication)-[r:PUBLISHED_IN]->(:Venue {title: 'Journal of Applied Hydrology'}) WHERE toInteger(r.volume) >= 12 RETURN p.title
@ Journal of Applied Hydrology -> Venue.title: Journal of Applied Hydrology
! MATCH (p:Publication)-[r:PUBLISHED_IN]->(:Venue {title: 'Journal of Applied Hydrology'}) WHERE r.volume >= 12 RETURN p.title

? What is the highest volume of the Jornal of Aplied Hydrology?
= MATCH (:Publication)-[r:PUBLISHED_IN]->(:Venue {title: 'Journal of Applied Hydrology'}) RETURN max(toInteger(r.volume))
@ Jornal of Aplied Hydrology -> Venue.title: Journal of Applied Hydrology
! MATCH (:Publication)-[r:PUBLISHED_IN]->(:Venue {title: 'Journal of Applied Hydrology'}) RETURN max(r.volume)

? Which papers are open access?
= MATCH (p:Publication) WHERE p.open_access RETURN p.title
! MATCH (p:Publication) WHERE p.open_access = 'true' RETURN p.title

? Which topics did authors of the Kigali School of Water Science publish on?
= MATCH (:Institution {label: 'Kigali School of Water Science'})<-[:AFFILIATED_WITH]-(:Author)-[:AUTHORED]->(:Publication)-[:HAS_TOPIC]->(t:Topic) RETURN DISTINCT t.term
@ Kigali School of Water Science -> Institution.label: Kigali School of Water Science

? How many papers appeared in each venue?
= MATCH (p:Publication)-[:PUBLISHED_IN]->(v:Venue) RETURN v.title, count(p)

? Which venues are workshops?
= MATCH (v:Venue {kind: 'workshop'}) RETURN v.title

? Which venues publish papers on glacier retreat?
= MATCH (:Topic {term: 'glacier retreat'})<-[:HAS_TOPIC]-(:Publication)-[:PUBLISHED_IN]->(v:Venue) RETURN DISTINCT v.title
@ glacier retreat -> Topic.term: glacier retreat

? Which author wrote the most papers?
= MATCH (a:Author)-[:AUTHORED]->(p:Publication) RETURN a.fullName, count(p) AS papers ORDER BY papers DESC LIMIT 1

? Which authors joined their institution after 2015?
= MATCH (a:Author)-[r:AFFILIATED_WITH]->(:Institution) WHERE r.since > 2015 RETURN a.fullName

? What topics does A Field Study of Estuary Mixing have?
= MATCH (:Publication {title: 'A Field Study of Estuary Mixing'})-[:HAS_TOPIC]->(t:Topic) RETURN t.term
@ A Field Study of Estuary Mixing -> Publication.title: A Field Study of Estuary Mixing

? Who wrote papers on coastal erossion?
= MATCH (a:Author)-[:AUTHORED]->(:Publication)-[:HAS_TOPIC]->(:Topic {term: 'coastal erosion'}) RETURN DISTINCT a.fullName
@ coastal erossion -> Topic.term: coastal erosion

? How many papers cite each paper?
= MATCH (q:Publication)-[:CITES]->(p:Publication) RETURN p.title, count(q)

? What is the ORCID of Hanako Morishita?
= MATCH (a:Author {fullName: 'Hanako Morishita'}) RETURN a.orcid

? Which papers were published before 2000?
= MATCH (p:Publication) WHERE p.year < 2000 RETURN p.title

? What is the average number of citations?
= MATCH (p:Publication) RETURN avg(p.citations)

? Which papers appeared in the Workshop on Earth Observation after 2010?
= MATCH (p:Publication)-[:PUBLISHED_IN]->(:Venue {title: 'Workshop on Earth Observation'}) WHERE p.year > 2010 RETURN p.title
@ Workshop on Earth Observation -> Venue.title: Workshop on Earth Observation

? On which pages is Rethinking Groundwater Recharge?
= MATCH (p:Publication {title: 'Rethinking Groundwater Recharge'}) RETURN p.pages
@ Rethinking Groundwater Recharge -> Publication.title: Rethinking Groundwater Recharge

? Which papers cited by Rethinking Coral Reef Recovery are open access?
= MATCH (:Publication {title: 'Rethinking Coral Reef Recovery'})-[:CITES]->(p:Publication) WHERE p.open_access RETURN p.title
@ Rethinking Coral Reef Recovery -> Publication.title: Rethinking Coral Reef Recovery

? Which institutions are in Finland (FI)?
= MATCH (i:Institution {country_code: 'FI'}) RETURN i.label
"""

LIBRARY = ExampleDatabase("library", build, QUESTIONS)
