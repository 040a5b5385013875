"""Suspicious transfers between banks: generated ids, amounts and dates, hardly a name."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tests.support.databases.example import ExampleDatabase, GraphScript

BANKS = [("Rietvelt Bank", "NL"), ("Banque Sarlat", "FR"), ("Daugava Commercial Bank", "LV"), ("Caspian Trust", "AZ"),
         ("Harrow and Finch", "GB"), ("First Meridian Bank", "US"), ("Bank Zelenika", "ME"), ("Kreditbanken Aros", "DK"),
         ("Liman Finans", "TR"), ("Pearl Delta Bank", "HK")]
NATIONS = {"NL": "Netherlands", "FR": "France", "LV": "Latvia", "AZ": "Azerbaijan", "GB": "United Kingdom",
           "US": "United States", "ME": "Montenegro", "DK": "Denmark", "TR": "Turkey", "HK": "Hong Kong"}
OWNERS = ["Ostrava Holdings", "Blue Cormorant Shipping", "Tamarind Ventures", "Vantage Peak Consulting",
          "Meridian Freight Services", "Larkspur Trading", "Obsidian Minerals", "Quayside Estates"]


def build(graph: GraphScript) -> None:
    """900 reports of transfers from one bank to another, 40 accounts, 8 owners, 30 alerts."""
    chance = random.Random(4507)
    nations = {code: graph.node("Country", code=code, name=name, tld=f".{code.lower()}") for code, name in NATIONS.items()}
    banks = []
    for number, (name, code) in enumerate(BANKS):
        bank = graph.node("Entity", entity_id=f"E{number * 7919 % 9000 + 1000}", legal_name=name, bic=f"{name[:4].upper()}{code}2X",
                          risk_grade=str(chance.randint(1, 12)))
        banks.append(bank)
        graph.relate(bank, "COUNTRY", nations[code])
    owners = [graph.node("Owner", owner_ref=f"OW-{number + 17:06d}", legal_name=name,
                         registered=(date(1999, 5, 1) + timedelta(days=700 * number)).isoformat())
              for number, name in enumerate(OWNERS)]
    accounts = []
    for number in range(40):
        bank = number % 10
        account = graph.node("Account", iban=f"{BANKS[bank][1]}{chance.randint(10, 99)}{chance.randint(10**11, 10**12 - 1)}",
                             opened=(date(2008, 1, 9) + timedelta(days=61 * number)).isoformat(),
                             balance=f"{chance.uniform(5, 9e6):.2f}", frozen=chance.choice(["0", "0", "1"]))
        accounts.append(account)
        graph.relate(account, "HELD_AT", banks[bank])
        graph.relate(owners[number % 8], "CONTROLS", account, share=str(chance.choice([25, 50, 100, 9])))
    for number in range(900):
        day = date(2009, 3, 2) + timedelta(days=chance.randint(0, 3000))
        report = graph.node("Report", report_sar_id=str(221000 + number * 3), amount=round(chance.uniform(1e3, 4e7), 2),
                            begin_date=day.strftime("%b %d, %Y"),
                            end_date=(day + timedelta(days=chance.randint(1, 300))).strftime("%b %d, %Y"),
                            transactions=chance.choice([1, 2, 5, 9, 12, 40, 100, None]), checksum=f"{chance.getrandbits(64):016x}")
        origin, beneficiary = chance.sample(range(10), 2)
        graph.relate(banks[origin], "FILED", report)
        graph.relate(report, "ORIGINATOR", banks[origin])
        graph.relate(report, "BENEFITS", banks[beneficiary])
        if number % 30 == 0:
            alert = graph.node("Alert", alert_key=f"AL{number:05d}", severity=chance.choice(["low", "high", "critical"]),
                               raised=f"{day.isoformat()}T0{number % 10}:15:00Z")
            graph.relate(alert, "RAISED_FOR", report)
            graph.relate(alert, "CONCERNS", accounts[number % 40])
    graph.statements = ["CREATE CONSTRAINT report_key FOR (r:Report) REQUIRE r.report_sar_id IS UNIQUE",
                        "CREATE CONSTRAINT account_key FOR (a:Account) REQUIRE a.iban IS UNIQUE",
                        "CREATE INDEX report_amount FOR (r:Report) ON (r.amount)"]


QUESTIONS = """
? Which banks sent the most money to Latvia in 2014?
= MATCH (b:Entity)<-[:ORIGINATOR]-(r:Report)-[:BENEFITS]->(:Entity)-[:COUNTRY]->(:Country {name: 'Latvia'}) WHERE r.begin_date ENDS WITH '2014' RETURN b.legal_name, sum(r.amount) AS total ORDER BY total DESC
@ Latvia -> Country.name: Latvia
! MATCH (b:Entity)<-[:ORIGINATOR]-(r:Report)-[:BENEFITS]->(:Entity)-[:COUNTRY]->(:Country {name: 'Latvia'}) WHERE r.begin_date.year = 2014 RETURN b.legal_name, sum(r.amount) AS total ORDER BY total DESC

? How many reports began on or after 1 January 2014?
= MATCH (r:Report) WHERE toInteger(right(r.begin_date, 4)) >= 2014 RETURN count(r)
! MATCH (r:Report) WHERE r.begin_date >= date('2014-01-01') RETURN count(r)

? Which reports did Rietvelt Bank file?
= MATCH (:Entity {legal_name: 'Rietvelt Bank'})-[:FILED]->(r:Report) RETURN r.report_sar_id
@ Rietvelt Bank -> Entity.legal_name: Rietvelt Bank
! MATCH (:Entity {name: 'Rietvelt Bank'})-[:FILED]->(r:Report) RETURN r.report_sar_id

? How many reports did Retvelt Bank file?
= MATCH (:Entity {legal_name: 'Rietvelt Bank'})-[:FILED]->(r:Report) RETURN count(r)
@ Retvelt Bank -> Entity.legal_name: Rietvelt Bank

? In which country is Caspian Trust?
= MATCH (:Entity {legal_name: 'Caspian Trust'})-[:COUNTRY]->(c:Country) RETURN c.name
@ Caspian Trust -> Entity.legal_name: Caspian Trust

? Which banks are in Denmark?
= MATCH (b:Entity)-[:COUNTRY]->(:Country {name: 'Denmark'}) RETURN b.legal_name
@ Denmark -> Country.name: Denmark

? What is the amount of report 221300?
= MATCH (r:Report {report_sar_id: '221300'}) RETURN r.amount
@ 221300 -> Report.report_sar_id: 221300
! MATCH (r:Report {report_sar_id: 221300}) RETURN r.amount

? Which bank benefits from report 221303?
= MATCH (:Report {report_sar_id: '221303'})-[:BENEFITS]->(b:Entity) RETURN b.legal_name
@ 221303 -> Report.report_sar_id: 221303
! MATCH (b:Entity)-[:BENEFITS]->(:Report {report_sar_id: '221303'}) RETURN b.legal_name

? What is the largest amount reported?
= MATCH (r:Report) RETURN max(r.amount)

? What is the total amount received by Harrow and Finch?
= MATCH (r:Report)-[:BENEFITS]->(:Entity {legal_name: 'Harrow and Finch'}) RETURN sum(r.amount)
@ Harrow and Finch -> Entity.legal_name: Harrow and Finch

? What is the total amount received by Harow and Fynch?
= MATCH (r:Report)-[:BENEFITS]->(:Entity {legal_name: 'Harrow and Finch'}) RETURN sum(r.amount)
@ Harow and Fynch -> Entity.legal_name: Harrow and Finch

? Which accounts does Tamarind Ventures control?
= MATCH (:Owner {legal_name: 'Tamarind Ventures'})-[:CONTROLS]->(a:Account) RETURN a.iban
@ Tamarind Ventures -> Owner.legal_name: Tamarind Ventures

? Which accounts does Tamarin Venturs control?
= MATCH (:Owner {legal_name: 'Tamarind Ventures'})-[:CONTROLS]->(a:Account) RETURN a.iban
@ Tamarin Venturs -> Owner.legal_name: Tamarind Ventures

? Which accounts have a balance above 1000000?
= MATCH (a:Account) WHERE toFloat(a.balance) > 1000000 RETURN a.iban
! MATCH (a:Account) WHERE a.balance > 1000000 RETURN a.iban

? What is the highest balance of an account?
= MATCH (a:Account) RETURN max(toFloat(a.balance))
! MATCH (a:Account) RETURN max(a.balance)

? Which accounts were opened before 2010?
= MATCH (a:Account) WHERE date(a.opened) < date('2010-01-01') RETURN a.iban
! MATCH (a:Account) WHERE a.opened < date('2010-01-01') RETURN a.iban

? Which accounts are frozen?
= MATCH (a:Account {frozen: '1'}) RETURN a.iban
! MATCH (a:Account) WHERE a.frozen = true RETURN a.iban
! MATCH (a:Account) WHERE a.frozen = 1 RETURN a.iban

? At which bank are the accounts of Larkspur Trading held?
= MATCH (:Owner {legal_name: 'Larkspur Trading'})-[:CONTROLS]->(:Account)-[:HELD_AT]->(b:Entity) RETURN DISTINCT b.legal_name
@ Larkspur Trading -> Owner.legal_name: Larkspur Trading

? Which owners have accounts at Bank Zelenika?
= MATCH (o:Owner)-[:CONTROLS]->(:Account)-[:HELD_AT]->(:Entity {legal_name: 'Bank Zelenika'}) RETURN DISTINCT o.legal_name
@ Bank Zelenika -> Entity.legal_name: Bank Zelenika

? Which alerts are critical?
= MATCH (a:Alert {severity: 'critical'}) RETURN a.alert_key

? Which report was alert AL00060 raised for?
= MATCH (:Alert {alert_key: 'AL00060'})-[:RAISED_FOR]->(r:Report) RETURN r.report_sar_id
@ AL00060 -> Alert.alert_key: AL00060
! MATCH (r:Report)-[:RAISED_FOR]->(:Alert {alert_key: 'AL00060'}) RETURN r.report_sar_id

? Which account does alert AL00120 concern?
= MATCH (:Alert {alert_key: 'AL00120'})-[:CONCERNS]->(a:Account) RETURN a.iban
@ AL00120 -> Alert.alert_key: AL00120

? What is the BIC of Liman Finans?
= MATCH (b:Entity {legal_name: 'Liman Finans'}) RETURN b.bic
@ Liman Finans -> Entity.legal_name: Liman Finans

? What is the BIC of Liman Finanz?
= MATCH (b:Entity {legal_name: 'Liman Finans'}) RETURN b.bic
@ Liman Finanz -> Entity.legal_name: Liman Finans

? Which banks have a risk grade above 9?
= MATCH (b:Entity) WHERE toInteger(b.risk_grade) > 9 RETURN b.legal_name
! MATCH (b:Entity) WHERE b.risk_grade > 9 RETURN b.legal_name

? Which bank has the lowest risk grade?
= MATCH (b:Entity) RETURN b.legal_name ORDER BY toInteger(b.risk_grade) LIMIT 1
! MATCH (b:Entity) RETURN b.legal_name ORDER BY b.risk_grade LIMIT 1

? How many reports have more than 10 transactions?
= MATCH (r:Report) WHERE r.transactions > 10 RETURN count(r)

? Which report has the most transactions?
= MATCH (r:Report) WHERE r.transactions IS NOT NULL RETURN r.report_sar_id ORDER BY r.transactions DESC LIMIT 1

? When did report 221600 begin?
= MATCH (r:Report {report_sar_id: '221600'}) RETURN r.begin_date
@ 221600 -> Report.report_sar_id: 221600

? How much money went from First Meridian Bank to Turkey?
= MATCH (:Entity {legal_name: 'First Meridian Bank'})<-[:ORIGINATOR]-(r:Report)-[:BENEFITS]->(:Entity)-[:COUNTRY]->(:Country {name: 'Turkey'}) RETURN sum(r.amount)
@ First Meridian Bank -> Entity.legal_name: First Meridian Bank
@ Turkey -> Country.name: Turkey

? Which countries received money from Pearl Delta Bank?
= MATCH (:Entity {legal_name: 'Pearl Delta Bank'})<-[:ORIGINATOR]-(:Report)-[:BENEFITS]->(:Entity)-[:COUNTRY]->(c:Country) RETURN DISTINCT c.name
@ Pearl Delta Bank -> Entity.legal_name: Pearl Delta Bank

? When was Quayside Estates registered?
= MATCH (o:Owner {legal_name: 'Quayside Estates'}) RETURN o.registered
@ Quayside Estates -> Owner.legal_name: Quayside Estates

? Which owners were registered after 2005?
= MATCH (o:Owner) WHERE date(o.registered).year > 2005 RETURN o.legal_name
! MATCH (o:Owner) WHERE o.registered.year > 2005 RETURN o.legal_name

? What is the average amount of the reports of Kreditbanken Aros?
= MATCH (:Entity {legal_name: 'Kreditbanken Aros'})-[:FILED]->(r:Report) RETURN avg(r.amount)
@ Kreditbanken Aros -> Entity.legal_name: Kreditbanken Aros

? How many reports did each bank file?
= MATCH (b:Entity)-[:FILED]->(r:Report) RETURN b.legal_name, count(r)

? How many accounts does each owner control?
= MATCH (o:Owner)-[:CONTROLS]->(a:Account) RETURN o.legal_name, count(a)

? Which owners control an account with a share of 100?
= MATCH (o:Owner)-[c:CONTROLS]->(:Account) WHERE toInteger(c.share) = 100 RETURN DISTINCT o.legal_name
! MATCH (o:Owner)-[c:CONTROLS]->(:Account) WHERE c.share = 100 RETURN DISTINCT o.legal_name

? What is the top level domain of Montenegro?
= MATCH (c:Country {name: 'Montenegro'}) RETURN c.tld
@ Montenegro -> Country.name: Montenegro

? Which alerts concern accounts of Obsidian Minerals?
= MATCH (:Owner {legal_name: 'Obsidian Minerals'})-[:CONTROLS]->(:Account)<-[:CONCERNS]-(a:Alert) RETURN a.alert_key
@ Obsidian Minerals -> Owner.legal_name: Obsidian Minerals

? Which alerts were raised in 2012?
= MATCH (a:Alert) WHERE datetime(a.raised).year = 2012 RETURN a.alert_key
! MATCH (a:Alert) WHERE a.raised.year = 2012 RETURN a.alert_key
"""

TRANSFERS = ExampleDatabase("transfers", build, QUESTIONS)
