"""An ERP database as CSV exports leave it: all values are text, even numbers, dates and booleans,
in varying formats."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tests.support.databases.example import ExampleDatabase, GraphScript

CUSTOMERS = [
    ("Brightwater Grocers", "Leeds", "United Kingdom"),
    ("Chez Amandine", "Lyon", "France"),
    ("Delikatessen Vogel", "Bremen", "Germany"),
    ("Norrland Livs", "Umea", "Sweden"),
    ("Casa Figueroa", "Sevilla", "Spain"),
    ("Trattoria Bonelli", "Parma", "Italy"),
    ("Old Mill Pantry", "Bath", "United Kingdom"),
    ("Feinkost Zeller", "Graz", "Austria"),
    ("Maison Roquelaure", "Nantes", "France"),
    ("Harbour Street Deli", "Cork", "Ireland"),
    ("Quinta do Vale", "Braga", "Portugal"),
    ("Hotel Bergkristall", "Davos", "Switzerland"),
    ("Fjordmat", "Bergen", "Norway"),
    ("Kaffehuset Solsiden", "Malmo", "Sweden"),
    ("Bistro Wallonie", "Liege", "Belgium"),
    ("Gasthof Adler", "Ulm", "Germany"),
    ("Taberna Olivares", "Malaga", "Spain"),
    ("The Copper Kettle", "York", "United Kingdom"),
    ("Comptoir Marceau", "Lille", "France"),
    ("Pasticceria Ferrante", "Lecce", "Italy"),
]
VENDORS = [
    ("Kestrel Tools", "Sheffield", "United Kingdom"),
    ("Molkerei Hainbach", "Kempten", "Germany"),
    ("Huilerie du Verdon", "Manosque", "France"),
    ("Salinas del Sur", "Cadiz", "Spain"),
    ("Torrefazione Lucchesi", "Lucca", "Italy"),
    ("Nordic Catch", "Tromso", "Norway"),
    ("Ashgrove Orchards", "Hereford", "United Kingdom"),
    ("Kakaohaus Brandt", "Hamburg", "Germany"),
]
GROUPS = {
    "Dairy": ["Hainbach Butter", "Alpine Goat Cheese", "Crema Fresca", "Aged Gouda Wheel"],
    "Beverages": ["Lucchesi Espresso", "Orchard Cider", "Elderflower Cordial", "Dark Malt Ale", "Green Sencha"],
    "Oils and Vinegars": ["Verdon Olive Oil", "Walnut Oil", "Sherry Vinegar"],
    "Seafood": ["Smoked Mackerel", "Tromso Cod Fillet", "Pickled Herring"],
    "Confectionery": ["Brandt Pralines", "Salted Caramels", "Nougat Bar", "Candied Ginger"],
    "Seasonings": ["Sea Salt Flakes", "Smoked Paprika", "Saffron Threads"],
    "Kitchenware": ["Kestrel Paring Knife", "Kestrel Whisk", "Copper Saucepan"],
}
EMPLOYEES = [
    ("Ines", "Calloway", "Sales Manager"),
    ("Tobias", "Renner", "Sales Representative"),
    ("Maud", "Achterberg", "Sales Representative"),
    ("Piotr", "Zielinski", "Sales Representative"),
    ("Sunniva", "Haugen", "Inside Sales Coordinator"),
    ("Marco", "Bellandi", "Vice President Sales"),
]


def build(graph: GraphScript) -> None:
    """Add 220 orders of 20 customers; dates as `Mar 25, 2015` (orders), `25.03.2015` (employees), ISO (shipments)."""
    chance = random.Random(20150325)
    countries = {
        name: graph.node("Country", countryName=name, iso=name[:2].upper())
        for name in sorted({row[2] for row in CUSTOMERS + VENDORS})
    }
    vendors = []
    for number, (name, city, country) in enumerate(VENDORS):
        vendor = graph.node(
            "Vendor",
            vendorNo=f"{number + 1:05d}",
            vendorName=name,
            city=city,
            phone=f"+{chance.randint(30, 49)} {chance.randint(1000, 9999)} {chance.randint(100, 999)}",
            rating=str(chance.randint(1, 10)),
        )
        vendors.append(vendor)
        graph.relate(vendor, "LOCATED_IN", countries[country])
    items: list[tuple[int, float]] = []
    for group_name, names in GROUPS.items():
        group = graph.node("ItemGroup", groupName=group_name, groupDescription=f"All articles of {group_name.lower()}")
        for name in names:
            price = chance.choice([4.5, 7.9, 9.65, 12.0, 18.4, 21.35, 38.0, 97.0, 110.5, 263.5])
            stock = chance.choice([0, 3, 9, 17, 39, 52, 85, 104, 120])
            item = graph.node(
                "Item",
                itemNo=f"{len(items) + 7:06d}",
                itemName=name,
                listPrice=f"{price:.2f}",
                unitsInStock=str(stock),
                discontinued=chance.choice(["true", "false", "false"]),
                packaging=f"{chance.randint(6, 48)} pieces per box",
            )
            items.append((item, price))
            graph.relate(item, "IN_GROUP", group)
            graph.relate(vendors[(len(items) * 3) % len(vendors)], "SUPPLIES", item)
    staff = []
    for number, (first, last, role) in enumerate(EMPLOYEES):
        hired = date(2003, 2, 11) + timedelta(days=411 * number)
        staff.append(
            graph.node(
                "Employee",
                employeeID=str(number + 1),
                firstName=first,
                lastName=last,
                jobTitle=role,
                hireDate=hired.strftime("%d.%m.%Y"),
                extension=f"0{chance.randint(100, 999)}",
            )
        )
    for person in staff[1:5]:
        graph.relate(person, "REPORTS_TO", staff[0])
    graph.relate(staff[0], "REPORTS_TO", staff[5])
    customers = []
    for number, (name, city, country) in enumerate(CUSTOMERS):
        customer = graph.node(
            "Customer",
            customerID=f"{name[:3].upper()}{number:02d}",
            companyName=name,
            city=city,
            creditLimit=str(chance.choice([5000, 900, 12000, 25000, 800])),
            postalCode=f"{chance.randint(1, 99):02d}{chance.randint(100, 999)}",
            contactName=f"{chance.choice(['A', 'B', 'L', 'R'])}. {chance.choice(GIVEN)}",
        )
        customers.append(customer)
        graph.relate(customer, "LOCATED_IN", countries[country])
    for number in range(220):
        day = date(2014, 7, 4) + timedelta(days=chance.randint(0, 660))
        freight = chance.choice([chance.uniform(0.5, 90), chance.uniform(90, 300), chance.uniform(500, 1100)])
        order = graph.node(
            "Order",
            orderID=str(10248 + number),
            orderDate=day.strftime("%b %d, %Y"),
            freight=f"{freight:.2f}",
            shipped=chance.choice(["yes", "no", "yes"]),
            shippedDate=(day + timedelta(days=chance.randint(1, 40))).isoformat(),
            shipCity=chance.choice(CUSTOMERS)[1],
        )
        graph.relate(customers[(number * 7 + number // 9) % len(customers)], "PURCHASED", order)
        graph.relate(staff[chance.randrange(4)], "SOLD", order)
        for item, price in chance.sample(items, chance.randint(1, 4)):
            graph.relate(
                order,
                "ORDERS",
                item,
                quantity=str(chance.randint(1, 120)),
                unitPrice=f"{price:.2f}",
                discount=chance.choice(["0", "0.05", "0.1", "0.25"]),
            )


GIVEN = ["Moreau", "Lindqvist", "Hofer", "Serrano", "Doyle", "Conti", "Pires"]

ERP = ExampleDatabase("erp", build)
