"""Suspicious transfers between banks: generated ids, amounts and dates, and hardly any names."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tests.support.databases.example import ExampleDatabase, GraphScript

BANKS = [
    ("Rietvelt Bank", "NL"),
    ("Banque Sarlat", "FR"),
    ("Daugava Commercial Bank", "LV"),
    ("Caspian Trust", "AZ"),
    ("Harrow and Finch", "GB"),
    ("First Meridian Bank", "US"),
    ("Bank Zelenika", "ME"),
    ("Kreditbanken Aros", "DK"),
    ("Liman Finans", "TR"),
    ("Pearl Delta Bank", "HK"),
]
NATIONS = {
    "NL": "Netherlands",
    "FR": "France",
    "LV": "Latvia",
    "AZ": "Azerbaijan",
    "GB": "United Kingdom",
    "US": "United States",
    "ME": "Montenegro",
    "DK": "Denmark",
    "TR": "Turkey",
    "HK": "Hong Kong",
}
OWNERS = [
    "Ostrava Holdings", "Blue Cormorant Shipping", "Tamarind Ventures", "Vantage Peak Consulting",
    "Meridian Freight Services", "Larkspur Trading", "Obsidian Minerals", "Quayside Estates",
]  # fmt: skip


def build(graph: GraphScript) -> None:
    """Add 10 banks in 10 countries, 900 reports of transfers between them, 40 accounts, 8 owners and 30 alerts."""
    chance = random.Random(4507)
    nations = {
        code: graph.node("Country", code=code, name=name, tld=f".{code.lower()}") for code, name in NATIONS.items()
    }
    banks = []
    for number, (name, code) in enumerate(BANKS):
        bank = graph.node(
            "Entity",
            entity_id=f"E{number * 7919 % 9000 + 1000}",
            legal_name=name,
            bic=f"{name[:4].upper()}{code}2X",
            risk_grade=str(chance.randint(1, 12)),
        )
        banks.append(bank)
        graph.relate(bank, "COUNTRY", nations[code])
    owners = [
        graph.node(
            "Owner",
            owner_ref=f"OW-{number + 17:06d}",
            legal_name=name,
            registered=(date(1999, 5, 1) + timedelta(days=700 * number)).isoformat(),
        )
        for number, name in enumerate(OWNERS)
    ]
    accounts = []
    for number in range(40):
        bank = number % 10
        account = graph.node(
            "Account",
            iban=f"{BANKS[bank][1]}{chance.randint(10, 99)}{chance.randint(10**11, 10**12 - 1)}",
            opened=(date(2008, 1, 9) + timedelta(days=61 * number)).isoformat(),
            balance=f"{chance.uniform(5, 9e6):.2f}",
            frozen=chance.choice(["0", "0", "1"]),
        )
        accounts.append(account)
        graph.relate(account, "HELD_AT", banks[bank])
        graph.relate(owners[number % 8], "CONTROLS", account, share=str(chance.choice([25, 50, 100, 9])))
    for number in range(900):
        day = date(2009, 3, 2) + timedelta(days=chance.randint(0, 3000))
        report = graph.node(
            "Report",
            report_sar_id=str(221000 + number * 3),
            amount=round(chance.uniform(1e3, 4e7), 2),
            begin_date=day.strftime("%b %d, %Y"),
            end_date=(day + timedelta(days=chance.randint(1, 300))).strftime("%b %d, %Y"),
            transactions=chance.choice([1, 2, 5, 9, 12, 40, 100, None]),
            checksum=f"{chance.getrandbits(64):016x}",
        )
        origin, beneficiary = chance.sample(range(10), 2)
        graph.relate(banks[origin], "FILED", report)
        graph.relate(report, "ORIGINATOR", banks[origin])
        graph.relate(report, "BENEFITS", banks[beneficiary])
        if number % 30 == 0:
            alert = graph.node(
                "Alert",
                alert_key=f"AL{number:05d}",
                severity=chance.choice(["low", "high", "critical"]),
                raised=f"{day.isoformat()}T0{number % 10}:15:00Z",
            )
            graph.relate(alert, "RAISED_FOR", report)
            graph.relate(alert, "CONCERNS", accounts[number % 40])
    graph.statements = [
        "CREATE CONSTRAINT report_key FOR (r:Report) REQUIRE r.report_sar_id IS UNIQUE",
        "CREATE CONSTRAINT account_key FOR (a:Account) REQUIRE a.iban IS UNIQUE",
        "CREATE INDEX report_amount FOR (r:Report) ON (r.amount)",
    ]


TRANSFERS = ExampleDatabase("transfers", build)
