"""Text that holds numbers and dates, as in an export."""

import pytest

from graphground.cypher import validate
from graphground.cypher.schema import Combination, Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.text_values import TextValues
from graphground.graphs.schemas.statistics import LabelStatistics, PropertyStatistics, Statistics

ORDERS = PropertyGraphSchema(
    "orders",
    {
        "Order": Label(
            "Order",
            dict.fromkeys(("orderID", "freight", "placed", "shipped", "paid", "hired", "note"), "str"),
            texts={
                "orderID": TextValues("int", "10248", checked=True, sorts=True),
                "freight": TextValues("float", "32.38", checked=True),
                "placed": TextValues("date", "2014-07-04", checked=True, sorts=True),
                "shipped": TextValues("month_day_year", "Mar 25, 2015", checked=True),
                "hired": TextValues("other_date", "3/4/2015"),
                "paid": TextValues("bool", "yes", words=("yes", "no")),
            },
        ),
        "Item": Label(
            "Item", {"itemNo": "str", "name": "str"}, texts={"itemNo": TextValues("code", "000012", width=6)}
        ),
    },
    (
        RelationshipPattern(
            "ORDERS",
            "Order",
            "Item",
            {"quantity": "str", "unitPrice": "str"},
            texts={
                "quantity": TextValues("int", "12", checked=True),
                "unitPrice": TextValues("float", "9.50", checked=True),
            },
        ),
    ),
)


def fixed(query: str) -> str | None:
    return validate(query, ORDERS).suggested_query


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("o.freight > 500", "toFloat(o.freight) > 500"),
        ("o.freight >= '500'", "toFloat(o.freight) >= 500"),
        ("o.orderID = 10248", "o.orderID = '10248'"),
        ("o.freight IN [1, 2.5]", "o.freight IN [1, 2.5]"),
        ("i.itemNo = 12", "i.itemNo = '000012'"),
        ("o.placed > date('2015-01-31')", "date(o.placed) > date('2015-01-31')"),
        ("o.placed.year = 2015", "date(o.placed).year = 2015"),
        ("o.paid = true", "o.paid = 'yes'"),
        ("r.quantity * r.unitPrice > 100", "toInteger(r.quantity) * toFloat(r.unitPrice) > 100"),
        ("right(o.placed, '4') = '2015'", "right(o.placed, 4) = '2015'"),
    ],
)
def test_a_comparison_is_repaired_with_a_conversion_of_the_values(condition: str, right: str) -> None:
    query = "MATCH (o:Order)-[r:ORDERS]->(i:Item) WHERE {} RETURN i.name LIMIT 5"
    assert fixed(query.format(condition)) == (query.format(right) if condition != right else None)


@pytest.mark.parametrize(
    ("returned", "right"),
    [
        ("max(o.freight) AS most", "max(toFloat(o.freight)) AS most"),
        ("sum(o.freight) AS total", "sum(toFloat(o.freight)) AS total"),
        ("o.orderID ORDER BY o.freight DESC LIMIT 1", "o.orderID ORDER BY toFloat(o.freight) DESC LIMIT 1"),
        ("o.freight AS f ORDER BY f LIMIT 1", "o.freight AS f ORDER BY toFloat(f) LIMIT 1"),
    ],
)
def test_text_that_holds_numbers_is_reported_if_it_is_sorted_or_summed(returned: str, right: str) -> None:
    report = validate(f"MATCH (o:Order) RETURN {returned}", ORDERS)
    assert report.diagnostics[0].code == "text_compared"
    assert report.suggested_query == f"MATCH (o:Order) RETURN {right}"


def test_a_date_with_the_name_of_its_month_is_converted_by_the_format_of_the_values() -> None:
    query = fixed("MATCH (o:Order) WHERE o.shipped >= date('2014-01-01') RETURN count(o)")
    assert query is not None
    assert "split('JanFebMarAprMayJunJulAugSepOctNovDec', left(o.shipped, 3))" in query


def test_no_fix_is_suggested_if_no_conversion_is_certain_to_work() -> None:
    for condition in ("o.hired >= date('2014-01-01')", "o.hired.year = 2014"):
        report = validate(f"MATCH (o:Order) WHERE {condition} RETURN count(o)", ORDERS)
        assert report.suggested_query is None
        assert "No conversion is certain to work" in report.diagnostics[0].message


def test_plain_text_and_text_that_sorts_correctly_are_not_reported() -> None:
    for returned in (
        "max(o.placed) AS last",
        "o.orderID ORDER BY o.orderID LIMIT 3",
        "max(o.note) AS n",
        "o.note + ' (' + o.freight + ')' AS note LIMIT 1",
        "count(o.freight) AS n",
        "max(toFloat(o.freight)) AS most",
    ):
        assert not validate(f"MATCH (o:Order) RETURN {returned}", ORDERS).diagnostics


@pytest.mark.parametrize(
    ("query", "end"),
    [
        (
            "MATCH (o:Order) RETURN o.freight + 1 AS x",
            "+ joins text instead of adding numbers. Write toFloat(o.freight).",
        ),
        ("MATCH (o:Order) WHERE o.freight > '500' RETURN o.note", "Write toFloat(o.freight) > 500."),
        (
            "MATCH (n:Item)<--(:Order {freight: 1.5}) RETURN n.name",
            "Name the node n1, and compare toFloat(n1.freight) in WHERE.",
        ),
        (
            "MATCH (o:Order)-[:ORDERS {unitPrice: 1.5}]->() RETURN o.note",
            "Name the relationship r, and compare toFloat(r.unitPrice) in WHERE.",
        ),
    ],
)
def test_the_message_says_what_to_write_in_place_of_the_text(query: str, end: str) -> None:
    assert validate(query, ORDERS).diagnostics[0].message.endswith(end)


@pytest.mark.parametrize("condition", ["o.freight > '500'", "'500' < o.freight"])
def test_the_suggestion_for_a_number_in_quotes_replaces_the_whole_comparison(condition: str) -> None:
    diagnostic = validate(f"MATCH (o:Order) WHERE {condition} RETURN o.note", ORDERS).diagnostics[0]
    assert (diagnostic.found, diagnostic.suggestions) == (condition, ("toFloat(o.freight) > 500",))


def test_no_part_of_a_chain_of_comparisons_is_dropped() -> None:
    start = "MATCH (o:Order)-[r:ORDERS]->() WHERE "
    assert fixed(f"{start}'1' < o.freight < '5' RETURN o.note") == f"{start}1 < toFloat(o.freight) < 5 RETURN o.note"
    assert fixed(f"{start}r.quantity < r.unitPrice < $most RETURN o.note") is None


EVENTS = PropertyGraphSchema(
    "events",
    {
        "Event": Label(
            "Event",
            {"began": "date", "ended": "str", "opened": "str", "lodged": "str", "kind": "str", "open": "bool"},
            texts={
                "ended": TextValues("day_month_year", "25.12.2019", 0.5, checked=True, placeholders=("N/A",)),
                "opened": TextValues("date", "2019-12-25", checked=True, sorts=True),
                "lodged": TextValues("day_month_year", "25.12.2019", checked=True),
            },
        )
    },
    (),
)
LODGED = "date(right(e.lodged, 4) + '-' + substring(e.lodged, 3, 2) + '-' + left(e.lodged, 2))"


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("date(e.lodged).year", f"{LODGED}.year"),
        ("datetime(e.lodged)", f"datetime({LODGED})"),
        ("duration.inDays(e.began, e.lodged).days", f"duration.inDays(e.began, {LODGED}).days"),
        ("e.lodged - e.began", f"duration.inDays(e.began, {LODGED}).days"),
        ("avg(e.began)", None),
        ("stDev(e.open)", None),
    ],
)
def test_a_function_on_a_type_that_it_does_not_take_is_an_error(written: str, right: str | None) -> None:
    report = validate(f"MATCH (e:Event) RETURN {written} AS x", EVENTS)
    assert not report.valid
    assert report.suggested_query == (right and f"MATCH (e:Event) RETURN {right} AS x")


@pytest.mark.parametrize(
    "written",
    [
        "date(e.opened)",
        "min(e.began)",
        "e.began - duration('P1D')",
        "duration.inDays(e.began, date()).days",
        "e.ended IS NOT NULL",
    ],
)
def test_a_function_that_takes_the_type_is_right(written: str) -> None:
    assert validate(f"MATCH (e:Event) RETURN {written} AS x LIMIT 5", EVENTS).diagnostics == ()


DAYS = {
    "plain": TextValues("day_month_year", "25.12.2019", checked=True),
    "mixed": TextValues("day_month_year", "25.12.2019", 0.7, checked=True, placeholders=("n/a",)),
    "slash": TextValues("month_day_year_slash", "3/4/2015", checked=True),
    "sorted": TextValues("year_month_day", "2019/12/25", checked=True, sorts=True),
    "digits": TextValues("compact_date", "20191225", checked=True, sorts=True),
    "timed": TextValues("day_month_year_time", "25/12/2019 08:00", checked=True),
}
TIMED = (
    "localdatetime(substring(d.timed, 6, 4) + '-' + substring(d.timed, 3, 2) + '-' + substring(d.timed, 0, 2) + 'T' + "
    "substring(d.timed, 11))"
)
SORTED = "date(left(d.sorted, 4) + '-' + substring(d.sorted, 5, 2) + '-' + right(d.sorted, 2))"
DIGITS = "date(left(d.digits, 4) + '-' + substring(d.digits, 4, 2) + '-' + right(d.digits, 2))"
PLAIN = "date(right(d.plain, 4) + '-' + substring(d.plain, 3, 2) + '-' + left(d.plain, 2))"


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("d.sorted < date('2020-01-01')", f"{SORTED} < date('2020-01-01')"),
        ("d.sorted < '2020/01/01'", None),
        ("d.digits > 20200101", "d.digits > '20200101'"),
        ("d.digits STARTS WITH '2020-'", f"toString({DIGITS}) STARTS WITH '2020-'"),
        ("d.digits STARTS WITH '2020'", None),
        ("d.plain CONTAINS '2020-02'", f"toString({PLAIN}) CONTAINS '2020-02'"),
        ("d.plain = '2020-02-01'", "d.plain = '01.02.2020'"),
        ("d.slash = '2020-02-01'", "d.slash = '2/1/2020'"),
        ("d.plain.year = 2020", f"{PLAIN}.year = 2020"),
        ("d.timed >= '2020-01-01'", f"date({TIMED}) >= date('2020-01-01')"),
        ("d.timed STARTS WITH '2020'", f"toString({TIMED}) STARTS WITH '2020'"),
    ],
)
def test_dates_in_other_forms_are_compared_as_dates(written: str, right: str | None) -> None:
    diary = PropertyGraphSchema("diary", {"Day": Label("Day", dict.fromkeys(DAYS, "str"), texts=DAYS)}, ())
    query = "MATCH (d:Day) WHERE {} RETURN count(d)"
    assert validate(query.format(written), diary).suggested_query == (right and query.format(right))


def test_a_converted_text_keeps_its_place_in_descending_order_and_its_parts() -> None:
    diary = PropertyGraphSchema("diary", {"Day": Label("Day", dict.fromkeys(DAYS, "str"), texts=DAYS)}, ())
    mixed = DAYS["mixed"].converted("d.mixed")
    found = validate("MATCH (d:Day) RETURN d.plain ORDER BY d.mixed DESC LIMIT 2", diary).suggested_query
    assert found == f"MATCH (d:Day) RETURN d.plain ORDER BY {mixed} IS NULL, {mixed} DESC LIMIT 2"
    assert validate("MATCH (d:Day) RETURN d.mixed.year AS y", diary).suggested_query == (
        f"MATCH (d:Day) RETURN ({mixed}).year AS y"
    )


def test_words_for_a_missing_value_are_sought_beside_null() -> None:
    query = "MATCH (e:Event) WHERE {} RETURN e.kind LIMIT 5"
    wider = query.format("(e.ended IS NULL OR e.ended IN ['', 'N/A'])")
    assert validate(query.format("e.ended IS NULL"), EVENTS).suggested_query == wider
    assert validate(wider, EVENTS).suggested_query is None
    assert validate(query.format("e.lodged IS NULL"), EVENTS).diagnostics == ()
    kinds = PropertyStatistics(9, 9, 3, placeholders=(("-", 3),))
    data = Statistics({"Event": LabelStatistics("Event", 9, {"kind": kinds})})
    for other in ("", " OR e.kind = 'no'"):
        found = validate(query.format(f"e.kind IS NULL{other}"), EVENTS, data=data).suggested_query
        assert found == query.format(f"(e.kind IS NULL OR e.kind IN ['-']){other}")


def test_a_conversion_that_does_not_read_the_separators_is_replaced() -> None:
    texts = {
        "rate": TextValues("comma_float", "205,21", checked=True),
        "weight": TextValues("grouped_float", "1,250.5", checked=True),
        "cost": TextValues("float", "12.5", checked=True),
    }
    dig = PropertyGraphSchema("dig", {"Find": Label("Find", dict.fromkeys(texts, "str"), texts=texts)}, ())
    query = "MATCH (f:Find) WHERE toFloat(f.rate) > 300 AND toInteger(f.weight) > 3 AND toInteger(f.cost) > 3 RETURN count(f)"
    report = validate(query, dig)
    assert [finding.code for finding in report.diagnostics] == ["text_compared", "text_compared"]
    assert report.suggested_query == (
        "MATCH (f:Find) WHERE toFloat(replace(f.rate, ',', '.')) > 300 AND toInteger(replace(f.weight, ',', '')) > 3 "
        "AND toInteger(f.cost) > 3 RETURN count(f)"
    )


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("MATCH (b:Book) WHERE b.year > 2010 RETURN b", "MATCH (b:Book) WHERE toInteger(b.year) > 2010 RETURN b"),
        ("MATCH (b:Book) RETURN avg(b.year)", "MATCH (b:Book) RETURN avg(toInteger(b.year))"),
        ("MATCH (b:Book) WHERE b.year = 2010 RETURN b", "MATCH (b:Book) WHERE b.year = '2010' RETURN b"),
        ("MATCH (b:Book) WHERE b.year > '2010' RETURN b.year ORDER BY b.year", None),
        ("MATCH (b:Book) RETURN max(b.year)", None),
    ],
)
def test_text_with_some_numbers_is_a_number_only_where_the_query_takes_it_for_one(
    query: str, right: str | None
) -> None:
    year = {"year": TextValues("int", "1998", 0.8, mixed=True)}
    books = PropertyGraphSchema("library", {"Book": Label("Book", {"year": "str"}, texts=year)}, ())
    report = validate(query, books)
    assert report.suggested_query == right
    assert right or not any(finding.severity != "hint" for finding in report.diagnostics)


def test_the_label_of_all_nodes_decides_on_the_form_if_a_narrower_label_has_too_few_values() -> None:
    amount = {"amount": TextValues("dotted_float", "1.234,50")}
    cases = PropertyGraphSchema(
        "court",
        {"Case": Label("Case", {"amount": "str"}, texts=amount), "Appeal": Label("Appeal", {"amount": "str"})},
        (),
        label_combinations=frozenset({frozenset({"Case", "Appeal"})}),
        combinations=(
            Combination(frozenset({"Case"}), 9, ("amount",)),
            Combination(frozenset({"Case", "Appeal"}), 3, ("amount",)),
        ),
    )
    query = "MATCH (c:{}) WHERE {} > 1000 RETURN count(c)"
    read = "toFloat(replace(replace(c.amount, '.', ''), ',', '.'))"
    assert validate(query.format("Case", "c.amount"), cases).suggested_query == query.format("Case", read)
    assert validate(query.format("Appeal", "c.amount"), cases).suggested_query == query.format("Appeal", read)
