"""A ticket platform that has been rewritten twice: half of its schema is no longer used.

Labels of the first version have one forgotten node, some properties are empty texts or null everywhere, some
constraints and indexes are on labels without nodes, and some relationship types no longer connect anything useful.
"""

from __future__ import annotations

import random

from tests.support.databases.example import ExampleDatabase, GraphScript

ACTS = [
    "The Paper Lanterns", "Velvet Harbour", "Marisol Quintero", "Northern Static", "Ganbatte Club",
    "Elodie et les Ombres", "Rust Cathedral", "Kwame and the Tides", "Ottoline", "Silver Birch Trio",
    "Low Tide Orchestra", "DJ Petrichor",
]  # fmt: skip
STAGES = ["Meadow Stage", "Boiler House", "Lakeside Tent", "Velodrome", "Chapel Yard", "The Orangery"]
FESTIVALS = [
    ("Solstice Fields", 2022),
    ("Solstice Fields", 2023),
    ("Harbour Lights", 2023),
    ("Quarry Echoes", 2023),
    ("Quarry Echoes", 2024),
    ("Frostbite Weekender", 2024),
]
GENRES = ["folk", "dream pop", "electronica", "post-punk", "chamber music", "afrobeat"]
TOWNS = ["Ravensburg", "Tavira", "Skagen", "Ghent"]


def build(graph: GraphScript) -> None:
    """Add 12 acts at 6 festivals and 300 visitors with tickets;
    `Usr`, `Booking_old`, `Gig` and `Promo` are leftovers."""
    chance = random.Random(1999)
    towns = [graph.node("Town", name=name, region="", population=chance.randint(8000, 260000)) for name in TOWNS]
    genres = [graph.node("Genre", name=name) for name in GENRES]
    stages = []
    for number, name in enumerate(STAGES):
        stage = graph.node(
            "Stage", name=name, capacity=chance.choice([300, 1200, 4000, 15000]), legacy_code="", surface=None
        )
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
        edition = graph.node(
            "Festival",
            title=f"{name} {year}",
            series=name,
            year=year,
            starts=f"{year}-0{number % 3 + 6}-1{number}",
            cancelled=False,
        )
        editions.append(edition)
        graph.relate(edition, "TAKES_PLACE_IN", towns[number % 4])
        for place, act in enumerate(chance.sample(acts, 6)):
            graph.relate(act, "PERFORMS_AT", edition, slot=place + 1, headliner=place == 0)
            graph.relate(stages[(place + number) % 6], "HOSTS", edition) if place < 2 else None
    for number in range(300):
        visitor = graph.node(
            "Visitor", email=f"visitor{number:03d}@example.org", birth_year=1955 + number % 50, fax=None, loyalty=""
        )
        ticket = graph.node(
            "Ticket",
            code=f"TK{chance.randint(10**6, 10**7 - 1)}",
            price_eur=chance.choice([49, 89, 129]),
            kind=chance.choice(["day", "weekend", "vip"]),
            refunded=chance.random() < 0.1,
        )
        graph.relate(visitor, "BOUGHT", ticket)
        graph.relate(ticket, "ADMITS_TO", editions[number % 6])
    old = graph.node("Usr", usr_nm="test", pwd_hash="x", lastlogin="")
    gig = graph.node("Gig", gig_title="TEST DO NOT USE", dt="")
    booking = graph.node("Booking_old", bk_id="0", stat="")
    promo = graph.node("Promo", promo_nm="", disc="")
    graph.relate(old, "HAS_BOOKING", booking)
    graph.relate(booking, "FOR_GIG", gig)
    graph.relate(promo, "APPLIES_TO_GIG", gig)
    graph.statements = [
        "CREATE CONSTRAINT venue_key FOR (v:Venue_v1) REQUIRE v.venue_id IS UNIQUE",
        "CREATE INDEX performer FOR (p:Performer) ON (p.perf_nm)",
        "CREATE CONSTRAINT ticket_code FOR (t:Ticket) REQUIRE t.code IS UNIQUE",
        "CREATE (:Seatmap {rows: 1})-[:DRAWN_FOR]->(:Venue_v1 {venue_id: 1})",
        "MATCH (s:Seatmap)-[r]->(v:Venue_v1) DELETE r, s, v",
    ]


FESTIVALS_DATABASE = ExampleDatabase("festivals", build)
