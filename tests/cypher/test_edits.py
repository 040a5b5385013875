import pytest

from graphground.cypher import parse
from graphground.cypher.diagnostics import Edit, applied, reversed_text
from graphground.cypher.tree import RelationshipPattern


def turned(text: str) -> str:
    query = parse(f"MATCH (a){text}(b) RETURN a")
    return reversed_text(query.text, next(query.find(RelationshipPattern)))


@pytest.mark.parametrize(
    ("text", "other_way"),
    [
        ("-[r:hasCEO]->", "<-[r:hasCEO]-"),
        ("<-[:KNOWS*1..2]-", "-[:KNOWS*1..2]->"),
        ("-->", "<--"),
        ("<--", "-->"),
        ("-[:T {a: 1 - 2}]->{1,3}", "<-[:T {a: 1 - 2}]-{1,3}"),
        ("<-[:T]-{1,3}", "-[:T]->{1,3}"),
        ("-->+", "<--+"),
        ("<-[r:T WHERE r.x > 1]-*", "-[r:T WHERE r.x > 1]->*"),
        ("-[:`a>b` {x: '->'}]-> /* > */ {2}", "<-[:`a>b` {x: '->'}]- /* > */ {2}"),
        ("-[ /* ]-> */ r]->", "<-[ /* ]-> */ r]-"),
        ("<- [:T] -", "- [:T] ->"),
        ('<-[:T {a: [1, "x"]}]-', '-[:T {a: [1, "x"]}]->'),
        ("⟨—[:T]—", "—[:T]—>"),
        ("-[:A|B]-{,4}", "-[:A|B]-{,4}"),
        ("--", "--"),
        ("<-->", "<-->"),
    ],
)
def test_a_relationship_is_reversed_with_its_quantifier(text: str, other_way: str) -> None:
    assert turned(text) == other_way


def test_a_relationship_reversed_twice_is_unchanged() -> None:
    for text in ("-[r:T*0..]->", "<-[:A|B {since: $year}]-{1,}", "<-[:A&!B]-+", "-->", "- [ r ] -> {2}"):
        assert turned(turned(text)) == text


def test_of_two_overlapping_edits_the_outer_edit_is_applied() -> None:
    assert applied("abcdef", [Edit(2, 3, "X"), Edit(1, 5, "_"), Edit(5, 6, "!")]) == "a_!"


def test_insertions_at_one_position_stay_in_order_next_to_a_replacement() -> None:
    assert applied("abc", [Edit(1, 2, "B"), Edit(1, 1, "<"), Edit(1, 1, "<"), Edit(2, 2, ">")]) == "a<<B>c"


def test_an_edit_that_two_findings_share_is_applied_once() -> None:
    assert applied("MATCH (m:Movi)", [Edit(9, 13, "Movie"), Edit(9, 13, "Movie")]) == "MATCH (m:Movie)"
