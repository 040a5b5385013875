"""A ticket platform that has been rewritten twice: half of its schema is dead.

Labels of the first version hold one forgotten node, properties are empty texts or null everywhere, constraints and
indexes stand on labels without nodes, and relationship types were left with nothing that leads anywhere.
"""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

ACTS = ["The Paper Lanterns", "Velvet Harbour", "Marisol Quintero", "Northern Static", "Ganbatte Club",
        "Elodie et les Ombres", "Rust Cathedral", "Kwame and the Tides", "Ottoline", "Silver Birch Trio",
        "Low Tide Orchestra", "DJ Petrichor"]
STAGES = ["Meadow Stage", "Boiler House", "Lakeside Tent", "Velodrome", "Chapel Yard", "The Orangery"]
FESTIVALS = [("Solstice Fields", 2022), ("Solstice Fields", 2023), ("Harbour Lights", 2023), ("Quarry Echoes", 2023),
             ("Quarry Echoes", 2024), ("Frostbite Weekender", 2024)]
GENRES = ["folk", "dream pop", "electronica", "post-punk", "chamber music", "afrobeat"]
TOWNS = ["Ravensburg", "Tavira", "Skagen", "Ghent"]


def build(graph: GraphScript) -> None:
    """12 acts at 6 festivals, 300 visitors with tickets; `Usr`, `Booking_old`, `Gig` and `Promo` are leftovers."""
    chance = random.Random(1999)
    towns = [graph.node("Town", name=name, region="", population=chance.randint(8000, 260000)) for name in TOWNS]
    genres = [graph.node("Genre", name=name) for name in GENRES]
    stages = []
    for number, name in enumerate(STAGES):
        stage = graph.node("Stage", name=name, capacity=chance.choice([300, 1200, 4000, 15000]), legacy_code="",
                           surface=None)
        stages.append(stage)
        graph.relate(stage, "IN_TOWN", towns[number % 4])
    acts = []
    for number, name in enumerate(ACTS):
        act = graph.node("Act", name=name, formed=1994 + number * 2, website="", myspace="", fee_eur=900 + 350 * number)
        acts.append(act)
        graph.relate(act, "PLAYS_GENRE", genres[number % 6])
    graph.relate(acts[0], "PLAYS_GENRE", genres[1])
    graph.relate(acts[1], "COVERED", acts[2])
    editions = []
    for number, (name, year) in enumerate(FESTIVALS):
        edition = graph.node("Festival", title=f"{name} {year}", series=name, year=year,
                             starts=f"{year}-0{number % 3 + 6}-1{number}", cancelled=False)
        editions.append(edition)
        graph.relate(edition, "TAKES_PLACE_IN", towns[number % 4])
        for place, act in enumerate(chance.sample(acts, 6)):
            graph.relate(act, "PERFORMS_AT", edition, slot=place + 1, headliner=place == 0)
            graph.relate(stages[(place + number) % 6], "HOSTS", edition) if place < 2 else None
    for number in range(300):
        visitor = graph.node("Visitor", email=f"visitor{number:03d}@example.org", birth_year=1955 + number % 50,
                             fax=None, loyalty="")
        ticket = graph.node("Ticket", code=f"TK{chance.randint(10**6, 10**7 - 1)}", price_eur=chance.choice([49, 89, 129]),
                            kind=chance.choice(["day", "weekend", "vip"]), refunded=chance.random() < 0.1)
        graph.relate(visitor, "BOUGHT", ticket)
        graph.relate(ticket, "ADMITS_TO", editions[number % 6])
    old = graph.node("Usr", usr_nm="test", pwd_hash="x", lastlogin="")
    gig = graph.node("Gig", gig_title="TEST DO NOT USE", dt="")
    booking = graph.node("Booking_old", bk_id="0", stat="")
    promo = graph.node("Promo", promo_nm="", disc="")
    graph.relate(old, "HAS_BOOKING", booking)
    graph.relate(booking, "FOR_GIG", gig)
    graph.relate(promo, "APPLIES_TO_GIG", gig)
    graph.statements = ["CREATE CONSTRAINT venue_key FOR (v:Venue_v1) REQUIRE v.venue_id IS UNIQUE",
                        "CREATE INDEX performer FOR (p:Performer) ON (p.perf_nm)",
                        "CREATE CONSTRAINT ticket_code FOR (t:Ticket) REQUIRE t.code IS UNIQUE",
                        "CREATE (:Seatmap {rows: 1})-[:DRAWN_FOR]->(:Venue_v1 {venue_id: 1})",
                        "MATCH (s:Seatmap)-[r]->(v:Venue_v1) DELETE r, s, v"]


QUESTIONS = """
? Which acts perform at Quarry Echoes 2024?
= MATCH (a:Act)-[:PERFORMS_AT]->(:Festival {title: 'Quarry Echoes 2024'}) RETURN a.name
@ Quarry Echoes 2024 -> Festival.title: Quarry Echoes 2024
! MATCH (a:Act)-[:PERFORMS_AT]->(:Festival {name: 'Quarry Echoes 2024'}) RETURN a.name

? At which festivals does Velvet Harbour perform?
= MATCH (:Act {name: 'Velvet Harbour'})-[:PERFORMS_AT]->(f:Festival) RETURN f.title
@ Velvet Harbour -> Act.name: Velvet Harbour
! MATCH (f:Festival)-[:PERFORMS_AT]->(:Act {name: 'Velvet Harbour'}) RETURN f.title

? Which genres does The Paper Lanterns play?
= MATCH (:Act {name: 'The Paper Lanterns'})-[:PLAYS_GENRE]->(g:Genre) RETURN g.name
@ The Paper Lanterns -> Act.name: The Paper Lanterns

? Which acts play chamber music?
= MATCH (a:Act)-[:PLAYS_GENRE]->(:Genre {name: 'chamber music'}) RETURN a.name
@ chamber music -> Genre.name: chamber music

? In which town does Harbour Lights 2023 take place?
= MATCH (:Festival {title: 'Harbour Lights 2023'})-[:TAKES_PLACE_IN]->(t:Town) RETURN t.name
@ Harbour Lights 2023 -> Festival.title: Harbour Lights 2023

? Which festivals take place in Skagen?
= MATCH (f:Festival)-[:TAKES_PLACE_IN]->(:Town {name: 'Skagen'}) RETURN f.title
@ Skagen -> Town.name: Skagen

? Which stages are in Tavira?
= MATCH (s:Stage)-[:IN_TOWN]->(:Town {name: 'Tavira'}) RETURN s.name
@ Tavira -> Town.name: Tavira

? What is the capacity of the Boiler House?
= MATCH (s:Stage {name: 'Boiler House'}) RETURN s.capacity
@ Boiler House -> Stage.name: Boiler House

? Which stages host Frostbite Weekender 2024?
= MATCH (s:Stage)-[:HOSTS]->(:Festival {title: 'Frostbite Weekender 2024'}) RETURN s.name
@ Frostbite Weekender 2024 -> Festival.title: Frostbite Weekender 2024
! MATCH (:Festival {title: 'Frostbite Weekender 2024'})-[:HOSTS]->(s:Stage) RETURN s.name

? When was Rust Cathedral formed?
= MATCH (a:Act {name: 'Rust Cathedral'}) RETURN a.formed
@ Rust Cathedral -> Act.name: Rust Cathedral

? When was Rust Cathedrl formed?
= MATCH (a:Act {name: 'Rust Cathedral'}) RETURN a.formed
@ Rust Cathedrl -> Act.name: Rust Cathedral

? How many tickets were sold for Solstice Fields 2022?
= MATCH (t:Ticket)-[:ADMITS_TO]->(:Festival {title: 'Solstice Fields 2022'}) RETURN count(t)
@ Solstice Fields 2022 -> Festival.title: Solstice Fields 2022

? How much money was made with tickets for Quary Echoes 2023?
= MATCH (t:Ticket)-[:ADMITS_TO]->(:Festival {title: 'Quarry Echoes 2023'}) RETURN sum(t.price_eur)
@ Quary Echoes 2023 -> Festival.title: Quarry Echoes 2023

? Which act is the headliner of Harbour Lights 2023?
= MATCH (a:Act)-[r:PERFORMS_AT]->(:Festival {title: 'Harbour Lights 2023'}) WHERE r.headliner RETURN a.name
@ Harbour Lights 2023 -> Festival.title: Harbour Lights 2023

? Which acts were formed after 2010?
= MATCH (a:Act) WHERE a.formed > 2010 RETURN a.name

? Which act has the highest fee?
= MATCH (a:Act) RETURN a.name ORDER BY a.fee_eur DESC LIMIT 1

? What is the average ticket price?
= MATCH (t:Ticket) RETURN avg(t.price_eur)

? How many tickets were refunded?
= MATCH (t:Ticket) WHERE t.refunded RETURN count(t)

? How many VIP tickets were sold?
= MATCH (t:Ticket {kind: 'vip'}) RETURN count(t)

? Which tickets did visitor042@example.org buy?
= MATCH (:Visitor {email: 'visitor042@example.org'})-[:BOUGHT]->(t:Ticket) RETURN t.code
@ visitor042@example.org -> Visitor.email: visitor042@example.org
! MATCH (:Visitor {name: 'visitor042@example.org'})-[:BOUGHT]->(t:Ticket) RETURN t.code

? Which festivals did visitor100@example.org attend?
= MATCH (:Visitor {email: 'visitor100@example.org'})-[:BOUGHT]->(:Ticket)-[:ADMITS_TO]->(f:Festival) RETURN f.title
@ visitor100@example.org -> Visitor.email: visitor100@example.org

? What is the population of Ghent?
= MATCH (t:Town {name: 'Ghent'}) RETURN t.population
@ Ghent -> Town.name: Ghent

? Which town has the most inhabitants?
= MATCH (t:Town) RETURN t.name ORDER BY t.population DESC LIMIT 1

? Which festivals started before 1 July 2023?
= MATCH (f:Festival) WHERE date(f.starts) < date('2023-07-01') RETURN f.title
! MATCH (f:Festival) WHERE f.starts < date('2023-07-01') RETURN f.title

? In which month does Solstice Fields 2023 start?
= MATCH (f:Festival {title: 'Solstice Fields 2023'}) RETURN date(f.starts).month
@ Solstice Fields 2023 -> Festival.title: Solstice Fields 2023
! MATCH (f:Festival {title: 'Solstice Fields 2023'}) RETURN f.starts.month

? How many acts perform at each festival?
= MATCH (a:Act)-[:PERFORMS_AT]->(f:Festival) RETURN f.title, count(a)

? Which act covered Marisol Quintero?
= MATCH (a:Act)-[:COVERED]->(:Act {name: 'Marisol Quintero'}) RETURN a.name
@ Marisol Quintero -> Act.name: Marisol Quintero

? Which act covered Marisol Quintera?
= MATCH (a:Act)-[:COVERED]->(:Act {name: 'Marisol Quintero'}) RETURN a.name
@ Marisol Quintera -> Act.name: Marisol Quintero

? Which editions of Solstice Fields are there?
= MATCH (f:Festival {series: 'Solstice Fields'}) RETURN f.title

? Which towns host festivals where Ottoline performs?
= MATCH (:Act {name: 'Ottoline'})-[:PERFORMS_AT]->(:Festival)-[:TAKES_PLACE_IN]->(t:Town) RETURN DISTINCT t.name
@ Ottoline -> Act.name: Ottoline

? Which genres are played at Quarry Echoes 2023?
= MATCH (g:Genre)<-[:PLAYS_GENRE]-(:Act)-[:PERFORMS_AT]->(:Festival {title: 'Quarry Echoes 2023'}) RETURN DISTINCT g.name
@ Quarry Echoes 2023 -> Festival.title: Quarry Echoes 2023

? Which stage has the largest capacity?
= MATCH (s:Stage) RETURN s.name ORDER BY s.capacity DESC LIMIT 1

? In which town is the Velodrome?
= MATCH (:Stage {name: 'Velodrome'})-[:IN_TOWN]->(t:Town) RETURN t.name
@ Velodrome -> Stage.name: Velodrome

? What fee does DJ Petrichor get?
= MATCH (a:Act {name: 'DJ Petrichor'}) RETURN a.fee_eur
@ DJ Petrichor -> Act.name: DJ Petrichor

? What fee does DJ Petrikor get?
= MATCH (a:Act {name: 'DJ Petrichor'}) RETURN a.fee_eur
@ DJ Petrikor -> Act.name: DJ Petrichor

? How many visitors were born before 1970?
= MATCH (v:Visitor) WHERE v.birth_year < 1970 RETURN count(v)

? Which acts play at the same festival as Northern Static?
= MATCH (:Act {name: 'Northern Static'})-[:PERFORMS_AT]->(:Festival)<-[:PERFORMS_AT]-(a:Act) RETURN DISTINCT a.name
@ Northern Static -> Act.name: Northern Static

? How many festivals took place in 2023?
= MATCH (f:Festival {year: 2023}) RETURN count(f)

? Which festivals does the Lakeside Tent host?
= MATCH (:Stage {name: 'Lakeside Tent'})-[:HOSTS]->(f:Festival) RETURN f.title
@ Lakeside Tent -> Stage.name: Lakeside Tent

? Which visitors bought a VIP ticket for Frostbite Weekender 2024?
= MATCH (v:Visitor)-[:BOUGHT]->(:Ticket {kind: 'vip'})-[:ADMITS_TO]->(:Festival {title: 'Frostbite Weekender 2024'}) RETURN v.email
@ Frostbite Weekender 2024 -> Festival.title: Frostbite Weekender 2024
"""

FESTIVALS_DATABASE = ExampleDatabase("festivals", build, QUESTIONS)
