"""The facts of the bundled NBA graph, checked for consistency: each check is a function that yields mistakes."""

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from functools import cached_property

import pytest

from graphground.graphs.bundled import bundled_graph

AS_OF = date(2025, 10, 31)
FIRST_SEASON = 1945
"""The first season of a predecessor of a current team: the Rochester Royals in the NBL."""
IN_THE_ABA_BEFORE_THEIR_DRAFT = {"Player#spencer-haywood", "Player#george-mcginnis"}
NINE_YEARS_AFTER_THE_DRAFT = {"Player#arvydas-sabonis"}
WON_WITH_A_TEAM_THAT_FOLDED = {"receivesAward#ray-felix#nba-rookie-of-the-year-award#1954"}


class Facts:
    """The graph's document, with its relations grouped for the checks."""

    def __init__(self, document: dict):
        self.document = document
        self.entities = {entity["eid"]: entity for entity in document["entities"]}

    @cached_property
    def by_label(self) -> dict[str, list[dict]]:
        grouped = defaultdict(list)
        for entity in self.document["entities"]:
            grouped[entity["label"]].append(entity)
        return grouped

    @cached_property
    def relations(self) -> dict[str, list[dict]]:
        grouped = defaultdict(list)
        for relation in self.document["relations"]:
            grouped[relation["label"]].append(relation)
        return grouped

    def of(self, eid: str, label: str) -> list[dict]:
        return [relation for relation in self.relations[label] if relation["subj_id"] == eid]

    @cached_property
    def stints(self) -> dict[str, list[dict]]:
        grouped = {player["eid"]: [] for player in self.by_label["Player"]}
        for relation in self.relations["playsFor"]:
            grouped[relation["subj_id"]].append(relation)
        return grouped

    @cached_property
    def born(self) -> dict[str, date]:
        """The known dates of birth, by the eid of the player."""
        return {
            player["eid"]: date.fromisoformat(player["properties"]["date_of_birth"])
            for player in self.by_label["Player"]
            if "date_of_birth" in player["properties"]
        }

    def drafts(self) -> Iterator[tuple[str, int]]:
        for relation in self.relations["draftedBy"]:
            yield relation["subj_id"], relation["properties"]["year"]


Check = Callable[[Facts], Iterator[str]]
CHECKS: list[Check] = []


def checks(check: Check) -> Check:
    """Register a check."""
    CHECKS.append(check)
    return check


def years(stint: dict) -> tuple[int, int]:
    return stint["properties"]["start_year"], stint["properties"].get("end_year", AS_OF.year)


@checks
def a_career_begins_after_the_draft_and_at_most_five_years_after_it(facts: Facts) -> Iterator[str]:
    for player, year in facts.drafts():
        first = min(years(stint)[0] for stint in facts.stints[player])
        latest = year + (9 if player in NINE_YEARS_AFTER_THE_DRAFT else 5)
        if not year <= first <= latest and player not in IN_THE_ABA_BEFORE_THEIR_DRAFT:
            yield f"{player} was drafted in {year} and began in {first}"


@checks
def the_first_season_is_played_at_17_to_32_and_the_last_at_45_at_most(facts: Facts) -> Iterator[str]:
    for player, born in facts.born.items():
        first = min(years(stint)[0] for stint in facts.stints[player]) - born.year
        last = max(years(stint)[1] for stint in facts.stints[player]) - born.year
        if not 17 <= first <= 32 or last > 45:
            yield f"{player} played from the age of {first} to that of {last}"


@checks
def every_player_has_a_team_a_position_and_at_most_one_draft(facts: Facts) -> Iterator[str]:
    drafts = Counter(relation["subj_id"] for relation in facts.relations["draftedBy"])
    placed = {relation["subj_id"] for relation in facts.relations["playsPosition"]}
    for player, stints in facts.stints.items():
        if not stints or player not in placed or drafts[player] > 1:
            yield f"{player}: {len(stints)} stints, {drafts[player]} drafts"


@checks
def stints_follow_each_other_and_share_a_trade_year_at_most(facts: Facts) -> Iterator[str]:
    for player, stints in facts.stints.items():
        for before, after in itertools.pairwise(stints):
            if "end_year" not in before["properties"] or years(before)[1] > years(after)[0]:
                yield f"{player}: {before['rid']} is not over when {after['rid']} begins"
            if before["obj_id"] == after["obj_id"] and years(before)[1] == years(after)[0]:
                yield f"{player}: {before['rid']} and {after['rid']} are one stint"
        for stint in stints:
            if years(stint)[0] > years(stint)[1]:
                yield f"{player}: {stint['rid']} ends before it begins"


@checks
def a_stint_lies_within_the_life_of_the_team(facts: Facts) -> Iterator[str]:
    for relation in facts.relations["playsFor"]:
        founded = facts.entities[relation["obj_id"]]["properties"]["inception_year"]
        if years(relation)[0] < max(founded, FIRST_SEASON) or years(relation)[1] > AS_OF.year:
            yield f"{relation['rid']}: the team was founded in {founded}"


@checks
def an_award_lies_within_the_career_of_its_winner(facts: Facts) -> Iterator[str]:
    for award in facts.relations["receivesAward"]:
        season = award["properties"]["year"]
        playing = any(
            start < season <= end or start == season == end for start, end in map(years, facts.stints[award["subj_id"]])
        )
        if playing == (award["rid"] in WON_WITH_A_TEAM_THAT_FOLDED):
            yield f"{award['rid']}: the winner had no team in the season that ended in {season}"


@checks
def there_are_30_teams_in_divisions_of_five_and_conferences_of_three(facts: Facts) -> Iterator[str]:
    teams = Counter(relation["obj_id"] for relation in facts.relations["partOfDivision"])
    divisions = Counter(relation["obj_id"] for relation in facts.relations["partOfConference"])
    if len(facts.by_label["Team"]) != 30 or len(facts.relations["partOfDivision"]) != 30:
        yield f"{len(facts.by_label['Team'])} teams"
    if set(teams.values()) != {5} or len(teams) != 6:
        yield f"divisions: {teams}"
    if set(divisions.values()) != {3} or len(divisions) != 2:
        yield f"conferences: {divisions}"


@checks
def every_team_has_one_present_venue_and_its_venues_are_in_order(facts: Facts) -> Iterator[str]:
    for team in facts.by_label["Team"]:
        venues = facts.of(team["eid"], "hasHomeVenue")
        if [("end_year" in venue["properties"]) for venue in venues] != [True] * (len(venues) - 1) + [False]:
            yield f"{team['eid']}: not exactly the last venue is open"
        for before, after in itertools.pairwise(venues):
            if years(before)[1] > years(after)[0]:
                yield f"{before['rid']} and {after['rid']} overlap"
        for venue in venues:
            start, end = years(venue)
            if start >= end or start < team["properties"]["inception_year"]:
                yield f"{venue['rid']}: {start} to {end}"


@checks
def every_entity_has_a_relationship(facts: Facts) -> Iterator[str]:
    used = {end for relation in facts.document["relations"] for end in (relation["subj_id"], relation["obj_id"])}
    yield from sorted(set(facts.entities) - used)


@checks
def namesakes_have_distinguishing_descriptions(facts: Facts) -> Iterator[str]:
    for (label, name, _), count in Counter(
        (entity["label"], entity["name"], entity["description"]) for entity in facts.document["entities"]
    ).items():
        if count > 1:
            yield f"{count} of {label} {name!r} with one description"


@checks
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


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_facts_pass_each_check(facts, check):
    assert list(check(facts)) == []
