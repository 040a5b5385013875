from dataclasses import asdict, replace

import pytest

from graphground.cypher.text_values import TextValues, find_placeholders, text_values, texts_of


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["32.38", "1007.64", "8"], "float"),
        (["7", "12", "-3"], "int"),
        (["1,234.50", "12.00", "1,000,000.00"], "grouped_float"),
        (["12,5", "3,75", "1,2"], "comma_float"),
        (["4.245.000", "1.380.000", "950.000"], "dotted_float"),
        (["30.100", "9.900", "12.500", "8.000", "1.100"], "dotted_float"),
        (["8,636", "334", "62,288", "7,437", "1,050", "2,212"], "grouped_float"),
        (["0.125", "3.500", "12.250"], "float"),
        (["€ 417", "€ 90", "€ 417"], "int"),
        (["1,200 kg", "900 kg", "1,350 kg", "800 kg", "1,100 kg", "2,000 kg", "3,100 kg"], "grouped_float"),
        (["yes", "no", "yes"], "bool"),
        (["true", "false", "false"], "bool"),
        (["2014-01-02"] * 3, "date"),
        (["2012-01-01 01:02:03"] * 3, "blank_datetime"),
        (["25 Mar 2015", "2 January 2016", "1 May 2001"], "day_month_name_year"),
        (["03/25/2015", "01/02/2014", "03/04/2015"], "month_day_year_digits"),
        (["3/4/2015", "12/25/2014", "1/1/2014"], "month_day_year_slash"),
        (["3.4.2015", "25.12.2014", "1.1.2014"], "day_month_year_point"),
        (["3/4/15", "12/25/14", "1/1/14"], "other_date"),
        (["2015/04/03", "2014/12/25", "2014/01/01"], "year_month_day"),
        (["20150403", "20141225", "20140101"], "compact_date"),
        (["20150403", "20149925", "20140101"], "int"),
        (["29/04/2024 22:00", "05/07/2024 19:00:30", "02/07/2023 06:00"], "day_month_year_time"),
        (["04/29/2024 22:00", "07/05/2024 19:00"] * 2, "month_day_year_time"),
        (["11/2025", "03/2026", "03/2026"], "month_year"),
    ],
)
def test_the_form_of_texts_is_recognised(values: list[str], form: str) -> None:
    found = text_values(values)
    assert found is not None
    assert found.form == form


@pytest.mark.parametrize(
    "values",
    [
        ["Heat", "Ronin", "12"],
        ["1.234", "12.345", "7.891"],  # thousands, or three decimals
        ["yes", "no", "maybe"],
        ["y", "true", "on"],
        [],
        ["12"],
        ["1.2.3", "2.0.1", "10.1.4"],
        ["SN1", "SN2", "SN3"],  # codes, although the letters are the same
        ["12 kg", "3 g", "4 kg"],
        ["01.02.2014", "x", "03.04.2015"],
    ],
)
def test_texts_without_a_common_form_are_plain_text(values: list[str]) -> None:
    assert text_values(values) is None


@pytest.mark.parametrize(
    ("values", "written"),
    [
        (["€ 417", "€ 90", "€ 1200"], "toInteger(replace(o.fee, '€ ', ''))"),
        (["$1,234.50", "$12.00", "$1,000.00"], "toFloat(replace(replace(o.fee, '$', ''), ',', ''))"),
        (["12.5 m2", "3 m2", "4 m2"], "toFloat(replace(o.fee, ' m2', ''))"),
    ],
)
def test_numbers_are_converted_without_their_unit(values: list[str], written: str) -> None:
    found = text_values(values)
    assert found is not None
    assert (found.converted("o.fee"), found.share) == (written, 1.0)


@pytest.mark.parametrize(
    ("values", "written"),
    [
        (["1998", "c1998", "n.d.", "2001", "1999"], "toInteger(o.year)"),
        (["£12.50", "9.99", "donated"], "toFloat(replace(o.year, '£', ''))"),
        (["1", "2A", "7X", "9"], None),
        (["007", "8", "x"], None),
        (["€ 5", "$ 7", "9", "x"], None),
    ],
)
def test_numbers_among_plain_texts_are_known_only_if_they_are_sought(values: list[str], written: str | None) -> None:
    found = text_values(values, mixed=True)
    assert (found and found.converted("o.year")) == written
    assert found is None or found.mixed
    assert text_values(values) is None


def test_ambiguous_dates_are_not_converted() -> None:
    found = text_values(["01/02/2014", "03/04/2015", "05/06/2015"])
    assert found is not None
    assert found.form == "other_date"
    assert found.converted("n.day") is None


def test_a_conversion_that_may_fail_is_suggested_only_after_the_database_tried_it() -> None:
    assert TextValues("date", "2014-01-02").converted("n.day") is None
    assert TextValues("date", "2014-01-02", checked=True).converted("n.day") == "date(n.day)"
    assert TextValues("float", "1.5").converted("n.price") == "toFloat(n.price)"


def test_texts_that_are_not_dates_are_excluded_from_the_conversion() -> None:
    found = TextValues("date", "2014-01-02", 0.95, checked=True).converted("n.day")
    assert found == r"CASE WHEN n.day =~ '\\d{4}-\\d{2}-\\d{2}' THEN date(n.day) END"


def test_sorting_as_text_is_correct_for_iso_dates_and_numbers_of_equal_length() -> None:
    def sorts(*values: str) -> bool:
        found = text_values(values)
        return found is not None and found.sorts

    assert sorts("2014-01-02", "2013-01-02", "2015-01-02")
    assert sorts("10248", "10249", "99999")
    assert not sorts("9", "10", "11")
    assert not sorts("Mar 25, 2015", "Jan 2, 2016", "May 1, 2001")


DAYS = [(f"2022-02-{day}", 1) for day in range(10, 20)]
NAMES = [(f"Ann B{letter}", 1) for letter in "abcdefghijklmnopqrs"]


@pytest.mark.parametrize(
    ("counts", "placeholders"),
    [
        ([("N/A", 30), ("", 19), *DAYS], ["", "N/A"]),
        ([("unbekannt", 4), *[(number, 1) for number in range(40)]], ["unbekannt"]),
        ([("-", 1), ("red", 5), ("green", 3), ("blue", 2)], ["-"]),
        ([("unknown", 9), *NAMES], ["unknown"]),
        ([("Ann Ba", 2), *NAMES[1:]], []),
        ([("none", 32), ("serious", 13), ("minor", 10)], []),
        ([("PG", 9), ("R", 7), ("12", 5), ("16", 4), ("18", 3)], []),
        ([("+", 9), ("-", 7)], []),
        ([("$", 3), ("€", 1), ("¥", 1), ("\u200b", 1), ("kr", 2), ("Rs", 2), ("zł", 1), ("R$", 1)], ["\u200b"]),
    ],
)
def test_a_text_for_a_missing_value_is_recognised_by_the_values_beside_it(
    counts: list[tuple[object, int]], placeholders: list[str]
) -> None:
    assert find_placeholders(counts) == placeholders


def test_placeholders_do_not_hide_the_form_of_the_other_values_whose_conversion_is_then_guarded() -> None:
    found = text_values([day for day, _ in DAYS] + ["N/A"] * 30)
    assert found is not None
    assert (found.form, found.share, found.placeholders) == ("date", 0.25, ("N/A",))
    converted = replace(found, checked=True).converted("n.day")
    assert converted is not None
    assert converted.startswith("CASE WHEN n.day =~")


def test_a_stored_format_of_another_version_is_not_read() -> None:
    stored = asdict(TextValues("date", "2014-01-02", words=("n/a",)))
    read = texts_of({"born": stored, "weight": {**stored, "form": "unit_float"}})
    assert read == {"born": TextValues("date", "2014-01-02", words=("n/a",))}
