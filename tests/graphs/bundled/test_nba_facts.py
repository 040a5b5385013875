"""The facts of the bundled NBA graph, checked for consistency: each check is a function that yields mistakes."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from graphground.graphs.bundled import bundled_graph


class Facts:
    """The graph's document, with its relations grouped for the checks."""

    def __init__(self, document: dict):
        self.document = document
        self.entities = {entity["eid"]: entity for entity in document["entities"]}
        self.by_label, self.relations = (grouped_by_label(document[part]) for part in ("entities", "relations"))


def grouped_by_label(items: list[dict]) -> dict[str, list[dict]]:
    grouped = defaultdict(list)
    for item in items:
        grouped[item["label"]].append(item)
    return grouped


def every_player_has_a_team_a_position_and_at_most_one_draft(facts: Facts) -> Iterator[str]:
    teams, positions, drafts = (
        Counter(relation["subj_id"] for relation in facts.relations[type_])
        for type_ in ("playsFor", "playsPosition", "draftedBy")
    )
    for player in (entity["eid"] for entity in facts.by_label["Player"]):
        if not teams[player] or not positions[player] or drafts[player] > 1:
            yield f"{player}: {teams[player]} teams, {drafts[player]} drafts"


def there_are_30_teams_in_divisions_of_five_and_conferences_of_three(facts: Facts) -> Iterator[str]:
    teams = Counter(relation["obj_id"] for relation in facts.relations["partOfDivision"])
    divisions = Counter(relation["obj_id"] for relation in facts.relations["partOfConference"])
    if len(facts.by_label["Team"]) != 30 or len(facts.relations["partOfDivision"]) != 30:
        yield f"{len(facts.by_label['Team'])} teams"
    if set(teams.values()) != {5} or len(teams) != 6:
        yield f"divisions: {teams}"
    if set(divisions.values()) != {3} or len(divisions) != 2:
        yield f"conferences: {divisions}"


def every_entity_has_a_relationship(facts: Facts) -> Iterator[str]:
    used = {end for relation in facts.document["relations"] for end in (relation["subj_id"], relation["obj_id"])}
    yield from sorted(set(facts.entities) - used)


def namesakes_have_distinguishing_descriptions(facts: Facts) -> Iterator[str]:
    for (label, name, _), count in Counter(
        (entity["label"], entity["name"], entity["description"]) for entity in facts.document["entities"]
    ).items():
        if count > 1:
            yield f"{count} of {label} {name!r} with one description"


def lists_hold_each_value_once(facts: Facts) -> Iterator[str]:
    for entity in facts.document["entities"]:
        for values in [entity["aliases"], *entity["properties"].values()]:
            if isinstance(values, list) and len(set(values)) != len(values):
                yield f"{entity['eid']}: {values}"
        if entity["name"] in entity["aliases"]:
            yield f"{entity['eid']}: its name is among its aliases"


@pytest.fixture(scope="module")
def facts() -> Facts:
    return Facts(json.load(bundled_graph("nba").open()))


@pytest.mark.parametrize(
    "check",
    [
        every_player_has_a_team_a_position_and_at_most_one_draft,
        there_are_30_teams_in_divisions_of_five_and_conferences_of_three,
        every_entity_has_a_relationship,
        namesakes_have_distinguishing_descriptions,
        lists_hold_each_value_once,
    ],
    ids=lambda check: check.__name__,
)
def test_the_facts_pass_each_check(facts, check):
    assert list(check(facts)) == []
