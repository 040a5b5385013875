"""The facts of the bundled NBA graph, checked for consistency.

Each check is a function that yields mistakes; `test_every_check_finds_a_planted_mistake` shows that each check can find
a mistake.
"""

import copy
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from functools import cached_property

import pytest

from graphground.graphs.bundled import bundled_graph

AS_OF = date(2025, 10, 31)
ALIVE_OLDER_THAN = 1925
FIRST_SEASON = 1945
"""The first season of a predecessor of a current team: the Rochester Royals in the NBL."""
NO_AWARD_BEFORE = {"MVP": 1956, "FMVP": 1969, "ROY": 1953, "DPOY": 1983, "SIXTH": 1983, "MIP": 1986}
AWARDS = {
    "MVP": "NBA Most Valuable Player Award",
    "FMVP": "Bill Russell NBA Finals Most Valuable Player Award",
    "ROY": "NBA Rookie of the Year Award",
    "DPOY": "NBA Defensive Player of the Year Award",
    "SIXTH": "NBA Sixth Man of the Year Award",
    "MIP": "NBA Most Improved Player Award",
}
CO_ROOKIES = {1971: 2, 1995: 2, 2000: 2}
IN_THE_ABA_BEFORE_THEIR_DRAFT = {"Player#spencer-haywood", "Player#george-mcginnis"}
NINE_YEARS_AFTER_THE_DRAFT = {"Player#arvydas-sabonis"}
WON_WITH_A_TEAM_THAT_FOLDED = {"receivesAward#ray-felix#nba-rookie-of-the-year-award#1954"}
SAT_OUT_THEIR_FIRST_SEASON = {"Player#ben-simmons", "Player#blake-griffin"}


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
CHECKS: list[tuple[Check, Callable[[Facts], object]]] = []


def planting(mistake: Callable[[Facts], object]) -> Callable[[Check], Check]:
    """Register a check, with a mistake that it must find."""

    def register(check: Check) -> Check:
        CHECKS.append((check, mistake))
        return check

    return register


def years(stint: dict) -> tuple[int, int]:
    return stint["properties"]["start_year"], stint["properties"].get("end_year", AS_OF.year)


@planting(lambda f: f.of("Player#lebron-james", "draftedBy")[0]["properties"].update(year=2004))
def a_career_begins_after_the_draft_and_at_most_five_years_after_it(facts: Facts) -> Iterator[str]:
    for player, year in facts.drafts():
        first = min(years(stint)[0] for stint in facts.stints[player])
        latest = year + (9 if player in NINE_YEARS_AFTER_THE_DRAFT else 5)
        if not year <= first <= latest and player not in IN_THE_ABA_BEFORE_THEIR_DRAFT:
            yield f"{player} was drafted in {year} and began in {first}"


@planting(lambda f: f.entities["Player#lebron-james"]["properties"].update(date_of_birth="1989-12-30"))
def a_player_is_17_to_27_years_old_at_the_draft(facts: Facts) -> Iterator[str]:
    for player, year in facts.drafts():
        if player not in facts.born:
            continue
        age = (date(year, 6, 25) - facts.born[player]).days / 365.25
        if not 17 <= age <= 27:
            yield f"{player} was {age:.1f} years old at the draft of {year}"


@planting(lambda f: f.entities["Player#george-mikan"]["properties"].update(date_of_birth="1904-06-18"))
def the_first_season_is_played_at_17_to_32_and_the_last_at_45_at_most(facts: Facts) -> Iterator[str]:
    for player, born in facts.born.items():
        first = min(years(stint)[0] for stint in facts.stints[player]) - born.year
        last = max(years(stint)[1] for stint in facts.stints[player]) - born.year
        if not 17 <= first <= 32 or last > 45:
            yield f"{player} played from the age of {first} to that of {last}"


@planting(lambda f: f.document["relations"].remove(f.of("Player#george-mikan", "playsPosition")[0]))
def every_player_has_a_team_a_position_and_at_most_one_draft(facts: Facts) -> Iterator[str]:
    drafts = Counter(relation["subj_id"] for relation in facts.relations["draftedBy"])
    placed = {relation["subj_id"] for relation in facts.relations["playsPosition"]}
    for player, stints in facts.stints.items():
        if not stints or player not in placed or drafts[player] > 1:
            yield f"{player}: {len(stints)} stints, {drafts[player]} drafts"


@planting(lambda f: f.stints["Player#lebron-james"][0]["properties"].update(end_year=2012))
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


@planting(lambda f: f.stints["Player#george-mikan"][-1]["properties"].pop("end_year"))
def no_player_plays_for_longer_than_23_seasons(facts: Facts) -> Iterator[str]:
    for player, stints in facts.stints.items():
        if sum(end - start for start, end in map(years, stints)) > 23:
            yield player


@planting(lambda f: f.entities["Player#kobe-bryant"]["properties"].update(date_of_death="2010-01-26"))
def no_player_plays_or_is_honoured_after_death(facts: Facts) -> Iterator[str]:
    for player, stints in facts.stints.items():
        died = facts.entities[player]["properties"].get("date_of_death")
        if died is None:
            if player in facts.born and facts.born[player].year < ALIVE_OLDER_THAN:
                yield f"{player} would be more than a hundred years old"
            continue
        latest = max(
            [years(stint)[1] for stint in stints]
            + [award["properties"]["year"] for award in facts.of(player, "receivesAward")]
        )
        if date.fromisoformat(died) > AS_OF or date.fromisoformat(died).year < latest:
            yield f"{player} died on {died} and was active in {latest}"
        if player in facts.born and not 25 <= date.fromisoformat(died).year - facts.born[player].year <= 100:
            yield f"{player} lived from {facts.born[player]} to {died}"


@planting(lambda f: f.stints["Player#dirk-nowitzki"][-1]["properties"].pop("end_year"))
def a_player_with_an_open_stint_is_under_42(facts: Facts) -> Iterator[str]:
    for player, stints in facts.stints.items():
        born = facts.born.get(player, AS_OF)
        if stints and "end_year" not in stints[-1]["properties"] and AS_OF.year - born.year > 41:
            yield f"{player} still plays"


@planting(lambda f: f.entities["Team#miami-heat"]["properties"].update(inception_year=2011))
def a_stint_lies_within_the_life_of_the_team(facts: Facts) -> Iterator[str]:
    for relation in facts.relations["playsFor"]:
        founded = facts.entities[relation["obj_id"]]["properties"]["inception_year"]
        if years(relation)[0] < max(founded, FIRST_SEASON) or years(relation)[1] > AS_OF.year:
            yield f"{relation['rid']}: the team was founded in {founded}"


@planting(lambda f: f.entities["Team#miami-heat"]["properties"].update(inception_year=2011))
def a_draft_year_lies_within_the_life_of_the_team(facts: Facts) -> Iterator[str]:
    for relation in facts.relations["draftedBy"]:
        if relation["properties"]["year"] < max(
            facts.entities[relation["obj_id"]]["properties"]["inception_year"], 1947
        ):
            yield relation["rid"]


@planting(lambda f: f.of("Player#lebron-james", "receivesAward")[0]["properties"].update(year=2003))
def an_award_lies_within_the_career_of_its_winner(facts: Facts) -> Iterator[str]:
    for award in facts.relations["receivesAward"]:
        season = award["properties"]["year"]
        playing = any(
            start < season <= end or start == season == end for start, end in map(years, facts.stints[award["subj_id"]])
        )
        if playing == (award["rid"] in WON_WITH_A_TEAM_THAT_FOLDED):
            yield f"{award['rid']}: the winner had no team in the season that ended in {season}"


@planting(lambda f: f.of("Player#lebron-james", "receivesAward")[1]["properties"].update(year=2011))
def an_award_is_given_every_year_to_one_player(facts: Facts) -> Iterator[str]:
    winners = defaultdict(Counter)
    for award in facts.relations["receivesAward"]:
        winners[facts.entities[award["obj_id"]]["name"]][award["properties"]["year"]] += 1
    for code, name in AWARDS.items():
        for year in range(NO_AWARD_BEFORE[code], 2026):
            due = CO_ROOKIES.get(year, 1) if code == "ROY" else 1
            if winners[name][year] != due:
                yield f"{name} {year}: {winners[name][year]} winners, not {due}"
        if min(winners[name]) < NO_AWARD_BEFORE[code]:
            yield f"{name} was given before it existed"


@planting(lambda f: f.stints["Player#wes-unseld"][0]["properties"].update(start_year=1967))
def a_rookie_of_the_year_plays_the_first_season(facts: Facts) -> Iterator[str]:
    for award in facts.relations["receivesAward"]:
        if facts.entities[award["obj_id"]]["name"] == AWARDS["ROY"]:
            first = years(facts.stints[award["subj_id"]][0])[0] + (
                2 if award["subj_id"] in SAT_OUT_THEIR_FIRST_SEASON else 1
            )
            if award["properties"]["year"] != first and award["rid"] not in WON_WITH_A_TEAM_THAT_FOLDED:
                yield f"{award['rid']}: first season ended in {first}"


@planting(lambda f: f.document["relations"].append(f.of("Player#wes-unseld", "receivesAward")[0]))
def no_player_is_most_improved_or_finals_mvp_twice_in_a_year(facts: Facts) -> Iterator[str]:
    for key, count in Counter(
        (award["subj_id"], award["obj_id"], award["properties"]["year"]) for award in facts.relations["receivesAward"]
    ).items():
        if count > 1:
            yield str(key)


@planting(lambda f: f.entities["Player#kobe-bryant"]["properties"].update(height_cm=250.0))
def heights_and_masses_are_those_of_basketball_players(facts: Facts) -> Iterator[str]:
    for player in facts.by_label["Player"]:
        height, mass = player["properties"].get("height_cm"), player["properties"].get("mass_kg")
        if height is not None and not 160 <= height <= 240:
            yield f"{player['eid']}: {height} cm"
        if mass is not None and not 60 <= mass <= 160:
            yield f"{player['eid']}: {mass} kg"
        if height and mass and not 19 <= mass / (height / 100) ** 2 <= 33:
            yield f"{player['eid']}: {height} cm and {mass} kg do not go together"


@planting(lambda f: f.entities["Player#tim-duncan"]["properties"].update(height_cm=190.0))
def heights_fit_the_position(facts: Facts) -> Iterator[str]:
    lowest = {"center": 196, "power forward": 193, "small forward": 190, "shooting guard": 180, "point guard": 160}
    highest = {"center": 240, "power forward": 224, "small forward": 214, "shooting guard": 208, "point guard": 208}
    for relation in facts.relations["playsPosition"]:
        height = facts.entities[relation["subj_id"]]["properties"].get("height_cm")
        position = facts.entities[relation["obj_id"]]["name"]
        if height and not lowest[position] <= height <= highest[position]:
            yield f"{relation['rid']}: {height} cm"


@planting(lambda f: f.stints["Player#tim-duncan"][0]["properties"].update(sport_number=100))
def jersey_numbers_have_two_digits(facts: Facts) -> Iterator[str]:
    for relation in facts.relations["playsFor"]:
        if not 0 <= relation["properties"].get("sport_number", 0) <= 99:
            yield relation["rid"]


@planting(lambda f: f.stints["Player#tony-parker"][0]["properties"].update(sport_number=21))
def two_players_of_a_team_do_not_wear_the_same_number_for_years(facts: Facts) -> Iterator[str]:
    """Yield the stints of two players who wear the same number in the same team at the same time.

    An overlap of one year is allowed: in the year of the change, both players may have worn the number.
    """
    worn = defaultdict(list)
    for relation in facts.relations["playsFor"]:
        if "sport_number" in relation["properties"]:
            worn[relation["obj_id"], relation["properties"]["sport_number"]].append(relation)
    for same in worn.values():
        same.sort(key=years)
        for before, after in itertools.pairwise(same):
            if years(after)[0] < years(before)[1]:
                yield f"{before['rid']} and {after['rid']} wear {after['properties']['sport_number']}"


@planting(lambda f: f.relations["partOfDivision"][0].update(obj_id="Division#pacific-division"))
def there_are_30_teams_in_divisions_of_five_and_conferences_of_three(facts: Facts) -> Iterator[str]:
    teams = Counter(relation["obj_id"] for relation in facts.relations["partOfDivision"])
    divisions = Counter(relation["obj_id"] for relation in facts.relations["partOfConference"])
    if len(facts.by_label["Team"]) != 30 or len(facts.relations["partOfDivision"]) != 30:
        yield f"{len(facts.by_label['Team'])} teams"
    if set(teams.values()) != {5} or len(teams) != 6:
        yield f"divisions: {teams}"
    if set(divisions.values()) != {3} or len(divisions) != 2:
        yield f"conferences: {divisions}"


@planting(lambda f: f.of("Team#boston-celtics", "hasHomeVenue")[0]["properties"].pop("end_year"))
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


@planting(
    lambda f: (
        f.document["relations"].remove(f.of("Player#derrick-rose", "draftedBy")[0])
        or f.entities.update({"Venue#nowhere": {}})
    )
)
def every_entity_has_a_relationship(facts: Facts) -> Iterator[str]:
    used = {end for relation in facts.document["relations"] for end in (relation["subj_id"], relation["obj_id"])}
    yield from sorted(set(facts.entities) - used)


@planting(lambda f: f.document["entities"].append(f.entities["Player#kobe-bryant"]))
def namesakes_have_distinguishing_descriptions(facts: Facts) -> Iterator[str]:
    for (label, name, _), count in Counter(
        (entity["label"], entity["name"], entity["description"]) for entity in facts.document["entities"]
    ).items():
        if count > 1:
            yield f"{count} of {label} {name!r} with one description"


@planting(lambda f: f.entities["Player#kobe-bryant"]["aliases"].append("Kobe Bryant"))
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


@pytest.mark.parametrize("check", [check for check, _ in CHECKS], ids=lambda check: check.__name__)
def test_the_facts_pass_each_check(facts, check):
    assert list(check(facts)) == []


@pytest.mark.parametrize(("check", "plant"), CHECKS, ids=lambda part: part.__name__)
def test_every_check_finds_a_planted_mistake(facts, check, plant):
    planted = Facts(copy.deepcopy(facts.document))
    plant(planted)
    for cached in ("relations", "by_label", "stints", "born"):
        planted.__dict__.pop(cached, None)
    assert list(check(planted)) != []


def test_nearly_every_player_has_a_date_of_birth_a_draft_and_a_height(facts):
    players = len(facts.by_label["Player"])
    assert len(facts.born) >= players - 5
    assert len(facts.relations["draftedBy"]) >= 0.9 * players
    assert sum("height_cm" in player["properties"] for player in facts.by_label["Player"]) == players


def test_the_graph_has_players_of_every_decade(facts):
    beginners = Counter(min(years(stint)[0] for stint in stints) // 10 * 10 for stints in facts.stints.values())
    assert sum(beginners.values()) >= 400
    assert all(beginners[decade] >= 20 for decade in range(1950, 2020, 10)), beginners
    assert beginners[1940] >= 8, beginners
    assert beginners[2020] >= 15, beginners
