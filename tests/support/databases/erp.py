"""An ERP as CSV exports leave it: every value is text, numbers, dates and booleans too, each table in its own form."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tests.support.databases.example import ExampleDatabase, GraphScript

CUSTOMERS = [("Brightwater Grocers", "Leeds", "United Kingdom"), ("Chez Amandine", "Lyon", "France"),
             ("Delikatessen Vogel", "Bremen", "Germany"), ("Norrland Livs", "Umea", "Sweden"),
             ("Casa Figueroa", "Sevilla", "Spain"), ("Trattoria Bonelli", "Parma", "Italy"),
             ("Old Mill Pantry", "Bath", "United Kingdom"), ("Feinkost Zeller", "Graz", "Austria"),
             ("Maison Roquelaure", "Nantes", "France"), ("Harbour Street Deli", "Cork", "Ireland"),
             ("Quinta do Vale", "Braga", "Portugal"), ("Hotel Bergkristall", "Davos", "Switzerland"),
             ("Fjordmat", "Bergen", "Norway"), ("Kaffehuset Solsiden", "Malmo", "Sweden"),
             ("Bistro Wallonie", "Liege", "Belgium"), ("Gasthof Adler", "Ulm", "Germany"),
             ("Taberna Olivares", "Malaga", "Spain"), ("The Copper Kettle", "York", "United Kingdom"),
             ("Comptoir Marceau", "Lille", "France"), ("Pasticceria Ferrante", "Lecce", "Italy")]
VENDORS = [("Kestrel Tools", "Sheffield", "United Kingdom"), ("Molkerei Hainbach", "Kempten", "Germany"),
           ("Huilerie du Verdon", "Manosque", "France"), ("Salinas del Sur", "Cadiz", "Spain"),
           ("Torrefazione Lucchesi", "Lucca", "Italy"), ("Nordic Catch", "Tromso", "Norway"),
           ("Ashgrove Orchards", "Hereford", "United Kingdom"), ("Kakaohaus Brandt", "Hamburg", "Germany")]
GROUPS = {"Dairy": ["Hainbach Butter", "Alpine Goat Cheese", "Crema Fresca", "Aged Gouda Wheel"],
          "Beverages": ["Lucchesi Espresso", "Orchard Cider", "Elderflower Cordial", "Dark Malt Ale", "Green Sencha"],
          "Oils and Vinegars": ["Verdon Olive Oil", "Walnut Oil", "Sherry Vinegar"],
          "Seafood": ["Smoked Mackerel", "Tromso Cod Fillet", "Pickled Herring"],
          "Confectionery": ["Brandt Pralines", "Salted Caramels", "Nougat Bar", "Candied Ginger"],
          "Seasonings": ["Sea Salt Flakes", "Smoked Paprika", "Saffron Threads"],
          "Kitchenware": ["Kestrel Paring Knife", "Kestrel Whisk", "Copper Saucepan"]}
EMPLOYEES = [("Ines", "Calloway", "Sales Manager"), ("Tobias", "Renner", "Sales Representative"),
             ("Maud", "Achterberg", "Sales Representative"), ("Piotr", "Zielinski", "Sales Representative"),
             ("Sunniva", "Haugen", "Inside Sales Coordinator"), ("Marco", "Bellandi", "Vice President Sales")]


def build(graph: GraphScript) -> None:
    """220 orders of 20 customers; dates as `Mar 25, 2015` (orders), `25.03.2015` (employees), ISO (shipments)."""
    chance = random.Random(20150325)
    countries = {name: graph.node("Country", countryName=name, iso=name[:2].upper())
                 for name in sorted({row[2] for row in CUSTOMERS + VENDORS})}
    vendors = []
    for number, (name, city, country) in enumerate(VENDORS):
        vendor = graph.node("Vendor", vendorNo=f"{number + 1:05d}", vendorName=name, city=city,
                            phone=f"+{chance.randint(30, 49)} {chance.randint(1000, 9999)} {chance.randint(100, 999)}",
                            rating=str(chance.randint(1, 10)))
        vendors.append(vendor)
        graph.relate(vendor, "LOCATED_IN", countries[country])
    items: list[tuple[int, float]] = []
    for group_name, names in GROUPS.items():
        group = graph.node("ItemGroup", groupName=group_name, groupDescription=f"All articles of {group_name.lower()}")
        for name in names:
            price = chance.choice([4.5, 7.9, 9.65, 12.0, 18.4, 21.35, 38.0, 97.0, 110.5, 263.5])
            stock = chance.choice([0, 3, 9, 17, 39, 52, 85, 104, 120])
            item = graph.node("Item", itemNo=f"{len(items) + 7:06d}", itemName=name, listPrice=f"{price:.2f}",
                              unitsInStock=str(stock), discontinued=chance.choice(["true", "false", "false"]),
                              packaging=f"{chance.randint(6, 48)} pieces per box")
            items.append((item, price))
            graph.relate(item, "IN_GROUP", group)
            graph.relate(vendors[(len(items) * 3) % len(vendors)], "SUPPLIES", item)
    staff = []
    for number, (first, last, role) in enumerate(EMPLOYEES):
        hired = date(2003, 2, 11) + timedelta(days=411 * number)
        staff.append(graph.node("Employee", employeeID=str(number + 1), firstName=first, lastName=last, jobTitle=role,
                                hireDate=hired.strftime("%d.%m.%Y"), extension=f"0{chance.randint(100, 999)}"))
    for person in staff[1:5]:
        graph.relate(person, "REPORTS_TO", staff[0])
    graph.relate(staff[0], "REPORTS_TO", staff[5])
    customers = []
    for number, (name, city, country) in enumerate(CUSTOMERS):
        customer = graph.node("Customer", customerID=f"{name[:3].upper()}{number:02d}", companyName=name, city=city,
                              creditLimit=str(chance.choice([5000, 900, 12000, 25000, 800])),
                              postalCode=f"{chance.randint(1, 99):02d}{chance.randint(100, 999)}",
                              contactName=f"{chance.choice(['A', 'B', 'L', 'R'])}. {chance.choice(GIVEN)}")
        customers.append(customer)
        graph.relate(customer, "LOCATED_IN", countries[country])
    for number in range(220):
        day = date(2014, 7, 4) + timedelta(days=chance.randint(0, 660))
        freight = chance.choice([chance.uniform(0.5, 90), chance.uniform(90, 300), chance.uniform(500, 1100)])
        order = graph.node("Order", orderID=str(10248 + number), orderDate=day.strftime("%b %d, %Y"),
                           freight=f"{freight:.2f}", shipped=chance.choice(["yes", "no", "yes"]),
                           shippedDate=(day + timedelta(days=chance.randint(1, 40))).isoformat(),
                           shipCity=chance.choice(CUSTOMERS)[1])
        graph.relate(customers[(number * 7 + number // 9) % len(customers)], "PURCHASED", order)
        graph.relate(staff[chance.randrange(4)], "SOLD", order)
        for item, price in chance.sample(items, chance.randint(1, 4)):
            graph.relate(order, "ORDERS", item, quantity=str(chance.randint(1, 120)), unitPrice=f"{price:.2f}",
                         discount=chance.choice(["0", "0.05", "0.1", "0.25"]))


GIVEN = ["Moreau", "Lindqvist", "Hofer", "Serrano", "Doyle", "Conti", "Pires"]

QUESTIONS = """
? Which items does Kestrel Tools supply?
= MATCH (:Vendor {vendorName: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.itemName
@ Kestrel Tools -> Vendor.vendorName: Kestrel Tools
! MATCH (v:Vendor {name: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.name

? Who supplies Verdon Olive Oil?
= MATCH (v:Vendor)-[:SUPPLIES]->(:Item {itemName: 'Verdon Olive Oil'}) RETURN v.vendorName
@ Verdon Olive Oil -> Item.itemName: Verdon Olive Oil
! MATCH (i:Item {itemName: 'Verdon Olive Oil'})-[:SUPPLIES]->(v:Vendor) RETURN v.vendorName

? In which country is Chez Amandine located?
= MATCH (:Customer {companyName: 'Chez Amandine'})-[:LOCATED_IN]->(c:Country) RETURN c.countryName
@ Chez Amandine -> Customer.companyName: Chez Amandine

? Which customers are located in Sweden?
= MATCH (c:Customer)-[:LOCATED_IN]->(:Country {countryName: 'Sweden'}) RETURN c.companyName
@ Sweden -> Country.countryName: Sweden
! MATCH (c:Customer)-[:LOCATED_IN]->(k:Country) WHERE k.name = 'Sweden' RETURN c.companyName

? How many orders had a freight above 500?
= MATCH (o:Order) WHERE toFloat(o.freight) > 500 RETURN count(o)
! MATCH (o:Order) WHERE o.freight > 500 RETURN count(o)

? What is the highest freight of any order?
= MATCH (o:Order) RETURN max(toFloat(o.freight))
! MATCH (o:Order) RETURN max(o.freight)

? Which order had the lowest freight?
= MATCH (o:Order) RETURN o.orderID ORDER BY toFloat(o.freight) LIMIT 1
! MATCH (o:Order) RETURN o.orderID ORDER BY o.freight LIMIT 1

? What is the total freight of all orders?
= MATCH (o:Order) RETURN sum(toFloat(o.freight))
! MATCH (o:Order) RETURN sum(o.freight)

? What is the total revenue per item group?
= MATCH (o:Order)-[r:ORDERS]->(:Item)-[:IN_GROUP]->(g:ItemGroup) RETURN g.groupName, sum(toFloat(r.unitPrice) * toInteger(r.quantity))
! MATCH (o:Order)-[r:ORDERS]->(:Item)-[:IN_GROUP]->(g:ItemGroup) RETURN g.groupName, sum(r.unitPrice * r.quantity)

? How many units of Sea Salt Flakes were ordered in total?
= MATCH (:Order)-[r:ORDERS]->(:Item {itemName: 'Sea Salt Flakes'}) RETURN sum(toInteger(r.quantity))
@ Sea Salt Flakes -> Item.itemName: Sea Salt Flakes
! MATCH (:Order)-[r:ORDERS]->(:Item {itemName: 'Sea Salt Flakes'}) RETURN sum(r.quantity)

? Which items have fewer than 10 units in stock?
= MATCH (i:Item) WHERE toInteger(i.unitsInStock) < 10 RETURN i.itemName
! MATCH (i:Item) WHERE i.unitsInStock < 10 RETURN i.itemName

? Which items are discontinued?
= MATCH (i:Item) WHERE i.discontinued = 'true' RETURN i.itemName
! MATCH (i:Item) WHERE i.discontinued = true RETURN i.itemName

? Which items belong to the group Seafood?
= MATCH (i:Item)-[:IN_GROUP]->(:ItemGroup {groupName: 'Seafood'}) RETURN i.itemName
@ Seafood -> ItemGroup.groupName: Seafood

? Which item group does the Nougat Bar belong to?
= MATCH (:Item {itemName: 'Nougat Bar'})-[:IN_GROUP]->(g:ItemGroup) RETURN g.groupName
@ Nougat Bar -> Item.itemName: Nougat Bar

? Which orders did Fjordmat place?
= MATCH (:Customer {companyName: 'Fjordmat'})-[:PURCHASED]->(o:Order) RETURN o.orderID
@ Fjordmat -> Customer.companyName: Fjordmat
! MATCH (o:Order)-[:PURCHASED]->(:Customer {companyName: 'Fjordmat'}) RETURN o.orderID

? How many orders did Casa Figeroa place?
= MATCH (:Customer {companyName: 'Casa Figueroa'})-[:PURCHASED]->(o:Order) RETURN count(o)
@ Casa Figeroa -> Customer.companyName: Casa Figueroa

? Which items did Deliktessen Vogel order?
= MATCH (:Customer {companyName: 'Delikatessen Vogel'})-[:PURCHASED]->(:Order)-[:ORDERS]->(i:Item) RETURN DISTINCT i.itemName
@ Deliktessen Vogel -> Customer.companyName: Delikatessen Vogel

? Who does Tobias Renner report to?
= MATCH (:Employee {lastName: 'Renner'})-[:REPORTS_TO]->(e:Employee) RETURN e.firstName, e.lastName
@ Renner -> Employee.lastName: Renner

? Which employees report to Calloway?
= MATCH (e:Employee)-[:REPORTS_TO]->(:Employee {lastName: 'Calloway'}) RETURN e.lastName
@ Calloway -> Employee.lastName: Calloway

? Which employee sold the most orders?
= MATCH (e:Employee)-[:SOLD]->(o:Order) RETURN e.lastName, count(o) AS orders ORDER BY orders DESC LIMIT 1

? When was Sunniva Haugen hired?
= MATCH (e:Employee {lastName: 'Haugen'}) RETURN e.hireDate
@ Haugen -> Employee.lastName: Haugen

? How many orders were shipped after 1 January 2016?
= MATCH (o:Order) WHERE date(o.shippedDate) > date('2016-01-01') RETURN count(o)
! MATCH (o:Order) WHERE o.shippedDate > date('2016-01-01') RETURN count(o)

? How many orders were placed since 1 January 2016?
= MATCH (o:Order) WHERE o.orderDate ENDS WITH '2016' RETURN count(o)
! MATCH (o:Order) WHERE o.orderDate >= date('2016-01-01') RETURN count(o)
! MATCH (o:Order) WHERE o.orderDate.year = 2016 RETURN count(o)

? How many orders were shipped in the year 2015?
= MATCH (o:Order) WHERE date(o.shippedDate).year = 2015 RETURN count(o)
! MATCH (o:Order) WHERE o.shippedDate.year = 2015 RETURN count(o)

? Which customers have a credit limit of at least 12000?
= MATCH (c:Customer) WHERE toInteger(c.creditLimit) >= 12000 RETURN c.companyName
! MATCH (c:Customer) WHERE c.creditLimit >= 12000 RETURN c.companyName

? What is the average list price of items?
= MATCH (i:Item) RETURN avg(toFloat(i.listPrice))
! MATCH (i:Item) RETURN avg(i.listPrice)

? What is the most expensive item?
= MATCH (i:Item) RETURN i.itemName ORDER BY toFloat(i.listPrice) DESC LIMIT 1
! MATCH (i:Item) RETURN i.itemName ORDER BY i.listPrice DESC LIMIT 1

? Which item has the number 000012?
= MATCH (i:Item {itemNo: '000012'}) RETURN i.itemName
! MATCH (i:Item {itemNo: 12}) RETURN i.itemName

? Which vendors have a rating above 9?
= MATCH (v:Vendor) WHERE toInteger(v.rating) > 9 RETURN v.vendorName
! MATCH (v:Vendor) WHERE v.rating > 9 RETURN v.vendorName

? Which vendors are in Germany?
= MATCH (v:Vendor)-[:LOCATED_IN]->(:Country {countryName: 'Germany'}) RETURN v.vendorName
@ Germany -> Country.countryName: Germany

? Which items cost less than 10?
= MATCH (i:Item) WHERE toFloat(i.listPrice) < 10 RETURN i.itemName
! MATCH (i:Item) WHERE i.listPrice < 10 RETURN i.itemName

? Which customers ordered the Copper Saucepan?
= MATCH (c:Customer)-[:PURCHASED]->(:Order)-[:ORDERS]->(:Item {itemName: 'Copper Saucepan'}) RETURN DISTINCT c.companyName
@ Copper Saucepan -> Item.itemName: Copper Saucepan

? Which customers ordered the Coper Sausepan?
= MATCH (c:Customer)-[:PURCHASED]->(:Order)-[:ORDERS]->(:Item {itemName: 'Copper Saucepan'}) RETURN DISTINCT c.companyName
@ Coper Sausepan -> Item.itemName: Copper Saucepan

? How many orders have not been shipped?
= MATCH (o:Order {shipped: 'no'}) RETURN count(o)
! MATCH (o:Order) WHERE o.shipped = false RETURN count(o)

? In which city is the customer Hotel Bergkristal?
= MATCH (c:Customer {companyName: 'Hotel Bergkristall'}) RETURN c.city
@ Hotel Bergkristal -> Customer.companyName: Hotel Bergkristall

? What is the phone number of Nordic Catch?
= MATCH (v:Vendor {vendorName: 'Nordic Catch'}) RETURN v.phone
@ Nordic Catch -> Vendor.vendorName: Nordic Catch

? How many items does each vendor supply?
= MATCH (v:Vendor)-[:SUPPLIES]->(i:Item) RETURN v.vendorName, count(i)

? Which employees sold orders to Old Mill Pantry?
= MATCH (e:Employee)-[:SOLD]->(:Order)<-[:PURCHASED]-(:Customer {companyName: 'Old Mill Pantry'}) RETURN DISTINCT e.lastName
@ Old Mill Pantry -> Customer.companyName: Old Mill Pantry

? Which order lines had a discount above 0.1?
= MATCH (o:Order)-[r:ORDERS]->(i:Item) WHERE toFloat(r.discount) > 0.1 RETURN o.orderID, i.itemName
! MATCH (o:Order)-[r:ORDERS]->(i:Item) WHERE r.discount > 0.1 RETURN o.orderID, i.itemName

? How many customers are there in each country?
= MATCH (c:Customer)-[:LOCATED_IN]->(k:Country) RETURN k.countryName, count(c)
"""

ERP = ExampleDatabase("erp", build, QUESTIONS)
