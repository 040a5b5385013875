"""Divides a question into names and plain words: of all divisions, the one with the lowest total cost.

Every stretch of words that may be a name costs something by the evidence for it (an exact name, a likely misspelling, a
capital letter), and every word left plain costs something too: much for a capitalised or unknown word, nothing for a
word that the schema or plain English explains. So a misspelt name of two words beats an exact half of it (`Las eags` is
`Las Vegas`, not `Las Cruces` and a strange word), and `band` is a name only if nothing else explains it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphground.cypher.names.lexicon import COMMON, CONNECTORS
from graphground.cypher.names.words import MONTHS, WEEKDAYS, lemma, word_lists
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.spans import QUOTED, Span, Word, begins_sentence, fold
from graphground.graphs.entities.verdicts.judging import Judgement, align, word_ranks
from graphground.graphs.question.meanings import CONCEPT

Judge = Callable[[Sequence[str]], list[Judgement]]

MAX_FUZZY_WORDS = 5
"""The maximum number of words that are looked up together as a misspelt name."""
MAX_LOOKED_UP = 14
"""The maximum number of misspelt names to look up in each of the two rounds."""
JOINTS = frozenset(("and", "or", "+", "&"))
"""Words that join two names."""
APART = JOINTS | frozenset(("in", "at", "by", "to", "for", "on", "from", "with"))
"""Words that may separate two names."""
CALENDAR = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))
FREQUENT, RARE = 1_500, 8_000
"""Ranks of English words: a more frequent word is hardly ever a name by itself, and a rarer one easily."""
PART_OF_NAME = 0.5
"""The chance that a name is meant of which a text has several words."""
ALIKE = 0.85
"""The minimum similarity, ignoring spaces, at which a name is regarded as covering a whole text."""

PER_NAME, NUMBER = 0.3, 0.1
"""The cost of each name, so that one long name beats two short ones, and of a number that is no part of a name."""
LONGER = 0.01
"""How much less an exact name in lower case costs for each word: `video game industry` beside `video game`."""
ABSENT, FUZZY, PARTIAL = 2.2, 0.6, 0.5
"""The costs of a name that the graph does not have, of a misspelt name, and of a name longer than its mention."""
CAPITAL, CAPITAL_KNOWN, STRANGE, STRANGE_AMONG_CAPITALS, UNCOMMON, COMMON_WORD = 3.0, 0.8, 2.2, 1.3, 1.3, 0.3
"""The costs of leaving a word plain: capitalised, capitalised but explained, in no vocabulary, rare, and frequent."""
WITHIN, JOINED = 0.5, 1.0
"""How much more a part of a longer name costs and the whole less, and how much less a word joined to a name costs."""
SHARED, KNOWN_WORDS = 0.3, 0.5
"""How much more a name costs that shares a part with its neighbour, and an absent name whose words are known names."""
RARE_PART, FEW_NAMES = 0.7, 5
"""The minimum cost of leaving a word plain, and the maximum number of names with it, to look it up as a part of one."""
POSSIBLE, MAX_POSSIBLE = 2.0, 3
"""The cost above that of plain words up to which an exact name may be meant, and how many such names are kept."""
MAX_PARTS_LOOKED_UP = 4
"""The maximum number of stretches in lower case to look up as parts of names."""
CODE = 0.5
"""The cost of leaving a short word of letters and digits plain, such as `7x`: an exact name is cheaper."""
LOWERED = 0.3
"""How much less a well connected name in capital letters costs if the question has no capital letter at all."""
WORD_OF_NAME, LOWER_CASE = 0.15, 0.1
"""The costs of a plain word within a misspelt name that has this word, and of a strange word in lower case."""
UNEXPLAINED, LITTLE = 0.25, 0.25
"""How much less an exact name costs that nothing else explains, and the explanation from which that holds no more."""
DOUBTFUL, UNKNOWN_PROMINENCE = 3.5, 0.3
"""The cost above that of plain words up to which an exact name is considered, and the prominence of unread nodes."""
CAPITAL_FIRST, BEGINNING = 0.25, 0.25
"""How much of the following costs remains for the capitalised first word of a sentence, and how much more it costs to
leave it plain."""
EXPLAINED, PLAIN_NAME, OTHER_CASE = 3.0, 1.2, 0.6
"""The costs of taking for a name, without a capital letter, a word that the schema explains, that is frequent English,
and that the graph writes with a capital letter."""


@dataclass(frozen=True, slots=True)
class Found:
    """A part of a question that names something, or is written like a name: words `first` to `last` inclusive."""

    first: int
    last: int
    start: int
    end: int
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class _Item:
    first: int
    last: int
    cost: float
    found: Found


class Segmenter:
    """One question to divide.

    `spelt` and `near` say for each word how well a word of the schema explains it, from 0 to 1: by stem, concept or
    spelling, and by vectors. `prominence` says from 0 to 1 how well connected the nodes of candidates are, and `counts`
    how many names have each folded word.
    """

    def __init__(
        self,
        question: str,
        words: Sequence[Word],
        spelt: Sequence[float],
        near: Sequence[float],
        judge: Judge,
        prominence: Callable[[Sequence[Candidate]], Sequence[float]] | None = None,
        counts: Callable[[Sequence[str]], Sequence[int]] | None = None,
    ) -> None:
        self.question, self.words, self._judge, self._prominence = question, words, judge, prominence
        self._names_with: Sequence[int] = counts([word.folded for word in words]) if counts else [0] * len(words)
        self.quoted = [match.span(match.lastindex or 0) for match in QUOTED.finditer(question)]
        ranks = word_ranks()
        self.rank = [
            min((ranks[form] for form in _forms(word.folded) if form in ranks), default=None) for word in words
        ]
        self.spelt, self.near = spelt, near
        # A rare word near in meaning to a name of the schema is rather an instance of it: `suicide` of `mannerOfDeath`.
        self.explained = [
            max(its_spelt, its_near * _plainness_of(rank))
            for its_spelt, its_near, rank in zip(spelt, near, self.rank, strict=True)
        ]
        # So is a rare word of the same concept: `Bisexual`. Only names of the graph are read so.
        self._explained_name = [
            explained if its_spelt > CONCEPT else explained * _plainness_of(rank)
            for explained, its_spelt, rank in zip(self.explained, spelt, self.rank, strict=True)
        ]
        long = [question[word.start] for word in words if len(word.folded) > 3]
        # In `WHO DIRECTED HEAT` or `Which Films Were Directed By Mann` a capital letter says nothing.
        self.telling = not (len(long) > 3 and sum(map(str.isupper, long)) > 0.85 * len(long))
        self.capital = [
            self.telling and question[word.start].isupper() and word.folded not in CALENDAR and word.folded != "i"
            for word in words
        ]
        self.first = [
            begins_sentence(question, word.start) and not (place and self._is_initial(place - 1))
            for place, word in enumerate(words)
        ]
        self.mixed = self.telling and any(
            capital and not first and word.folded != "i"
            for capital, first, word in zip(self.capital, self.first, words, strict=True)
        )
        self.lowered = question == question.lower()
        self.plain = [self._plain_cost(place) for place in range(len(words))]
        self.possible: list[Found] = []

    def _is_initial(self, place: int) -> bool:
        word = self.words[place]
        return word.end - word.start == 1 and self.question[word.start].isupper() and word.folded != "i"

    def _is_common(self, place: int) -> bool:
        """Whether a word is a common word of questions, alone or contracted: `I'd`, `who's`."""
        word = self.words[place]
        text = self.question[word.start : word.end].replace("\u2019", "'").lower()
        return word.folded in COMMON or word.folded in JOINTS or ("'" in text and text.partition("'")[0] in COMMON)

    def _plain_cost(self, place: int) -> float:
        word = self.words[place]
        if any(start <= word.start < end for start, end in self.quoted):
            return CAPITAL
        if word.folded.isdecimal():
            return NUMBER  # so that `Girl 27` is one name
        letters = any(letter.isalpha() for letter in word.folded)
        common = self._is_common(place) or not letters
        if self.capital[place] and (not self.first[place] or (self._in_capitals(place) and len(word.folded) > 2)):
            return CAPITAL_KNOWN if common or self.explained[place] > 0.8 else CAPITAL
        if common or len(word.folded) < 3:
            return CODE if letters and self._names_with[place] and not word.folded.isalpha() else 0.0
        rank = self.rank[place]
        if rank is None:
            unknown = STRANGE_AMONG_CAPITALS if self.mixed and not self.capital[place] else STRANGE
            unknown = unknown if self.explained[place] < 0.6 else 0.4
            return unknown + (0.5 if self.capital[place] else 0.0)
        plainness = _plainness_of(rank)
        cost = (plainness * COMMON_WORD + (1 - plainness) * UNCOMMON) * (1 - self.explained[place])
        # A rare word with a capital letter is rather a name, even if the capital letter begins a sentence.
        return cost + (BEGINNING * (3 - 2 * plainness) * (1 - self.spelt[place]) if self.capital[place] else 0.0)

    def divide(self, exact: Sequence[Span]) -> list[Found]:
        """Return the names of the best division; `exact` are the names of the graph, which may overlap.

        `possible` then holds the names that words left plain may be: `folk` in "folk acts".
        """
        places = {word.start: number for number, word in reversed(list(enumerate(self.words)))}
        spans: dict[tuple[int, int], Span] = {}
        for span in exact:
            first = places.get(span.start)
            last = max((n for n, word in enumerate(self.words) if word.start < span.end), default=None)
            if first is not None and last is not None:
                known = spans.get((first, last))
                if known is None or span.end < known.end:  # without a possessive ending
                    spans[first, last] = span
        likely: dict[tuple[int, int], float] = {}
        for place, span in spans.items():
            if (cost := self._exact_cost(*place, span)) < self._left_plain(*place) + DOUBTFUL:
                likely[place] = cost
        runs = self._runs()
        names = self._exact({place: spans[place] for place in likely}, likely)
        items = [*names]
        # First the whole stretches that are written like names, then parts of those that were not found.
        whole = [run for run in runs if run not in likely]
        whole += [(first + 1, last) for first, last in whole if self.first[first] and first < last]
        items += self._fuzzy(whole)
        settled = {(item.first, item.last) for item in items}
        items += self._fuzzy(self._parts(runs, settled))
        items += self._parts_of_names({(its.first, its.last) for its in items if its.found.judgement.chance == 1.0})
        items += self._shared_parts(items)
        items += self._absent(runs, items)
        found = self._best(self._together(items, runs))
        taken = {number for its in found for number in range(its.first, its.last + 1)}
        free = [
            (item.cost - self._left_plain(item.first, item.last), item.found)
            for item in names
            if item.found.judgement.verdict != "not_found" and taken.isdisjoint(range(item.first, item.last + 1))
        ]
        self.possible = [its for cost, its in sorted(free, key=lambda pair: pair[0]) if cost < POSSIBLE][:MAX_POSSIBLE]
        return found

    def _exact(self, spans: Mapping[tuple[int, int], Span], costs: Mapping[tuple[int, int], float]) -> list[_Item]:
        texts = [self.question[span.start : span.end] for span in spans.values()]
        bare = [
            text if fold(text) == span.name else span.name for text, span in zip(texts, spans.values(), strict=True)
        ]
        judged = self._judge(texts)
        others = [n for n, its in enumerate(judged) if its.verdict == "not_found" and bare[n] != texts[n]]
        for number, judgement in zip(others, self._judge([bare[number] for number in others]), strict=True):
            judged[number] = judgement  # `cartoons`: the graph has the singular
        doubtful = [
            n
            for n, (first, last) in enumerate(spans)
            if judged[n].verdict != "not_found" and not self._shown(first, last) and first == last
        ]
        known = dict.fromkeys(doubtful, UNKNOWN_PROMINENCE)
        if self._prominence is not None and doubtful:
            best = [judged[number].candidates[0] for number in doubtful]
            known = dict(zip(doubtful, self._prominence(best), strict=True))
        items = []
        for number, ((first, last), span) in enumerate(spans.items()):
            cost = costs[first, last]
            if number in known:
                # Only a well connected node is meant by a plain word: `guitar`, hardly the node `play`.
                cost -= (
                    PLAIN_NAME * self._plainness(first, last) * known[number] * (0.5 if self.capital[first] else 1.0)
                )
                cost -= EXPLAINED * max(self.near[first] - 0.35, 0.0) * known[number] * (self.spelt[first] < 0.6)
                if self.lowered and is_capitalised(judged[number]):
                    cost = max(cost - LOWERED * known[number], min(cost, PER_NAME / 2))  # `korean` of `korean war`
            if judged[number].verdict != "not_found" or self._shown(first, last):
                items.append(self._item(first, last, cost, span.start, span.end, judged[number]))
        return items

    def _look_up(self, spans: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Judgement]:
        spans = list(dict.fromkeys(spans))
        return dict(zip(spans, self._judge([self.question[start:end] for start, end in spans]), strict=True))

    def _item(self, first: int, last: int, cost: float, start: int, end: int, judgement: Judgement) -> _Item:
        known = judgement.verdict != "not_found"
        if known and not self._shown(first, last) and not self.lowered and is_capitalised(judgement):
            cost += OTHER_CASE * (1.0 if self.mixed and first == last else self._plainness(first, last))
        return _Item(first, last, cost, Found(first, last, start, end, judgement))

    def _shown(self, first: int, last: int) -> bool:
        """Whether the stretch is marked as a name: quoted, or with a capital letter that does not begin a sentence."""
        start, end = self.words[first].start, self.words[last].end
        if any(low <= start and end <= high for low, high in self.quoted):
            return True
        capitals = [n for n in range(first, last + 1) if self.capital[n]]
        return any(not self.first[n] or self._in_capitals(n) for n in capitals) or len(capitals) > 1

    def _in_capitals(self, place: int) -> bool:
        """Whether a word is written in capitals, as `AIDS` is, which a sentence does not begin with by itself."""
        word = self.words[place]
        return word.end - word.start > 1 and self.question[word.start : word.end].isupper()

    def _follows_number(self, place: int) -> bool:
        """Whether a word stands after a number: `kg` in "120 kg"."""
        return place > 0 and self.words[place - 1].folded.replace(" ", "").isdecimal()

    def _plainness(self, first: int, last: int) -> float:
        """Return how plain the words are, from 0 to 1: 1 for frequent English words, 0 for unknown words."""
        values = []
        for place in range(first, last + 1):
            values.append(1.0 if self.words[place].folded in COMMON else _plainness_of(self.rank[place]))
        return min(values)

    def _exact_cost(self, first: int, last: int, span: Span) -> float:
        """Return the cost of taking an exact name for a name."""
        stretch = range(first, last + 1)
        words = [self.words[place] for place in stretch]
        if (span.start, span.end) in self.quoted:
            return 0.0
        content = [n for n in stretch if not self._is_common(n) and not self.words[n].folded.isdecimal()]
        if len(words) == 1 and self._is_common(first) and not self._in_capitals(first):
            return 9.0
        if len(words) == 1 and words[0].folded in word_lists()["units"] and self._follows_number(first):
            return 9.0
        if len(words) == 1 and len(words[0].folded) < 2 and words[0].folded.isascii():
            return 9.0
        explained = min((self._explained_name[place] for place in content), default=0.0)
        if self._shown(first, last):
            edges = sum(not self.capital[n] and self._is_common(n) for n in (first, last))
            alone = EXPLAINED / 2 * max(explained - 0.6, 0.0) if len(words) == 1 else 0.0
            return PER_NAME + 0.5 * edges * (len(words) > 1) + alone
        if not content:
            return 9.0
        if len(content) > 1:
            # Two plain words in this order are hardly a name by chance, unless they name a part of the schema.
            return EXPLAINED * max(explained - 0.7, 0.0) - LONGER * len(words)
        cost = EXPLAINED * max(explained - 0.35, 0.0) + PLAIN_NAME * self._plainness(first, last)
        # A word that nothing in the schema explains is rather a name that the graph has.
        cost -= UNEXPLAINED * max(1 - explained / LITTLE, 0.0)
        # A capital letter at the beginning of a sentence says a little.
        return PER_NAME + cost * (CAPITAL_FIRST if self.capital[first] else 1.0) / len(words)

    def _together(self, items: Sequence[_Item], runs: Sequence[tuple[int, int]]) -> list[_Item]:
        """Return the items with the costs that depend on each other.

        A part of a stretch that is a name as a whole costs more, and the whole less: `Universal Music`. A plain word
        beside a name that it is joined to costs less: `gold` in `crimson or gold`.
        """
        named = {(item.first, item.last) for item in items if item.found.judgement.verdict != "not_found"}
        whole = {run for run in runs if run in named and run[0] < run[1]}
        # An exact name around a run is the whole: `1993 World Trade Center bombing`.
        whole |= {
            (item.first, item.last)
            for item in items
            if item.found.judgement.chance == 1.0
            and any(item.first <= a and b <= item.last and (a, b) != (item.first, item.last) for a, b in whole)
        } & named
        exact = {(item.first, item.last) for item in items if item.found.judgement.chance == 1.0} & named
        beside = set()
        for item in items:
            margin = JOINED / 2 if item.found.judgement.chance == 1.0 else 0.0
            if (item.first, item.last) in named and item.cost < self._left_plain(item.first, item.last) + margin:
                its = {n for a, b in exact if a <= item.first <= item.last <= b for n in range(a, b + 1)}
                beside |= self._joined(item) - its  # `Blood and Sand` is one name, also where both words are names
        changed = []
        for item in items:
            cost = item.cost
            if any(a <= item.first and item.last <= b and (a, b) != (item.first, item.last) for a, b in whole):
                cost += WITHIN
            elif (item.first, item.last) in whole:
                cost -= WITHIN
            within = any(a <= item.first <= b and a < b for a, b in exact)  # `the Miami Heat`, not Miami and Heat
            if item.first == item.last and item.first in beside and not within and not self._is_common(item.first):
                cost -= JOINED
            changed.append(replace(item, cost=cost))
        return changed

    def _joined(self, item: _Item) -> set[int]:
        """Return the neighbours to which `and` or `or` joins a name: `garden` in `a garden or a road verge`."""
        found = set()
        for step, joint in ((-1, item.first - 1), (1, item.last + 1)):
            joint -= self._is_article(joint) if step < 0 else 0
            if 0 <= joint < len(self.words) and self.words[joint].folded in JOINTS:
                neighbour = joint + step
                neighbour += self._is_article(neighbour) if step > 0 else 0
                found.add(neighbour)
        return found

    def _is_article(self, place: int) -> bool:
        return 0 <= place < len(self.words) and self.words[place].folded in ("a", "an", "the")

    def _left_plain(self, first: int, last: int) -> float:
        return sum(self.plain[first : last + 1])

    def _runs(self) -> list[tuple[int, int]]:
        """Return the stretches that are written like names: capitalised or unknown words, and connectors between."""
        runs: list[tuple[int, int]] = []
        run: list[int] = []
        for place in range(len(self.words) + 1):
            if place < len(self.words) and run and self._separated(run[-1], place):
                self._close(run, runs)
                run = []
            if place < len(self.words) and self._continues(place, bool(run)):
                run.append(place)
            else:
                self._close(run, runs)
                run = []
        inside = [
            (numbers[0], numbers[-1])
            for start, end in self.quoted
            if (numbers := [n for n, word in enumerate(self.words) if start <= word.start and word.end <= end])
        ]
        return [*inside, *(run for run in runs if not any(a <= run[0] and run[1] <= b for a, b in inside))]

    def _continues(self, place: int, within: bool) -> bool:
        word = self.words[place]
        if self.capital[place]:
            return within or not (word.folded in COMMON and self.first[place])
        if self.is_strange(place):
            return True
        return within and (word.folded in CONNECTORS or word.folded.isdecimal())

    def is_strange(self, place: int) -> bool:
        """Whether a word may be a misspelt name: neither English, nor explained by the schema, nor a number."""
        word = self.words[place].folded
        rank = self.rank[place]
        return (
            (rank is None or (self.lowered and rank > RARE))
            and self.explained[place] < 0.6
            and word not in COMMON
            and len(word) > 2
            and any(letter.isalpha() for letter in word)
        )

    def _separated(self, last: int, place: int) -> bool:
        between = self.question[self.words[last].end : self.words[place].start]
        return any(mark in between for mark in ',;:?!()"\u201c\u201d') or (
            ". " in between and not self._is_initial(last)
        )

    def _close(self, run: list[int], runs: list[tuple[int, int]]) -> None:
        while (
            run
            and not self.capital[run[-1]]
            and (self.words[run[-1]].folded in CONNECTORS or self.words[run[-1]].folded in COMMON)
        ):
            run = run[:-1]
        if not run:
            return
        alone = len(run) == 1 and self.first[run[0]] and not self.is_strange(run[0])
        # The first word of a sentence may be a part of a name (`Disney films`), if it is no frequent word.
        if alone and (self._plainness(run[0], run[0]) > 0.98 or self.explained[run[0]] > 0.6):
            return
        runs.append((run[0], run[-1]))

    def _parts(self, runs: Sequence[tuple[int, int]], settled: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the stretches to look up after the runs themselves: parts of runs, and runs with their neighbours."""
        parts: dict[tuple[int, int], float] = {}
        for first, last in runs:
            if (first, last) in settled and not any(self.is_strange(n) for n in range(first, last + 1)):
                continue
            for a in range(max(0, first - 2), last + 1):
                for b in range(max(a, first), min(a + MAX_FUZZY_WORDS, last + 3, len(self.words))):
                    if (a, b) in settled or (a, b) in runs or any(self._separated(n, n + 1) for n in range(a, b)):
                        continue
                    edges = [self.words[n] for n in (a, b)]
                    if any(
                        word.folded in COMMON and not self.capital[n] for word, n in zip(edges, (a, b), strict=True)
                    ):
                        continue
                    outside = [*range(a, first), *range(last + 1, b + 1)]
                    if not any(self.capital[n] or self.is_strange(n) for n in range(a, b + 1)):
                        continue
                    # The longest parts of a run first, then its extensions: a neighbour of a misspelt word may belong
                    # to it (`good felas`), a word that the schema explains or that says little seldom does.
                    doubt = sum(self.explained[n] > 0.6 or self.plain[n] == 0 for n in outside)
                    parts[a, b] = (b - a) - 3 * len(outside) - 3 * doubt
        return sorted(parts, key=lambda part: -parts[part])

    def _fuzzy(self, stretches: Iterable[tuple[int, int]]) -> list[_Item]:
        spans = {}
        for first, last in list(dict.fromkeys(stretches))[:MAX_LOOKED_UP]:
            spans[first, last] = (self.words[first].start, self._end(first, last))
        judged = self._look_up(list(spans.values()))
        items = []
        for (first, last), (start, end) in spans.items():
            judgement = judged[start, end]
            if judgement.verdict == "not_found":
                judgement = part_of_names(self.question[start:end], judgement.candidates) or judgement
            elif not covers(self.question[start:end], judgement.candidates):
                continue
            if judgement.verdict == "not_found":
                continue
            best = judgement.candidates[0]
            exact = best.match in ("exact", "alias")
            cost = PER_NAME + (0.0 if exact else FUZZY - math.log(max(judgement.chance, 0.05)))
            if not exact and len(fold(best.matched or best.name).split()) > last - first + 1:
                cost += PARTIAL
            its_words = set(fold(best.matched or best.name).split())
            for place in range(first, last + 1):
                word = self.words[place].folded
                if not self.capital[place] and not self.is_strange(place) and word not in CONNECTORS:
                    # A plain word is seldom a part of a misspelt name, unless the name has just this word.
                    cost += WORD_OF_NAME if word in its_words else 0.6 + 1.2 * self.explained[place]
                elif self.mixed and not self.capital[place] and self.is_strange(place):
                    cost += LOWER_CASE  # other names of this question have capital letters
            items.append(self._item(first, last, cost, start, end, judgement))
        return items

    def _parts_of_names(self, known: Collection[tuple[int, int]]) -> list[_Item]:
        """Return the rare words and the phrases in lower case that few names have: `canton`, `st mellons`."""
        parts: dict[tuple[int, int], float] = {}
        for first in range(len(self.words)):
            for last in range(first, min(first + MAX_FUZZY_WORDS, len(self.words))):
                if not self._may_be_part(last) or (last > first and self._separated(last - 1, last)):
                    break
                left = self._left_plain(first, last)
                rare = min(self._names_with[first : last + 1]) <= FEW_NAMES
                if (first, last) not in known and rare and left >= (RARE_PART if first == last else PER_NAME):
                    parts[first, last] = left
        items = []
        chosen = sorted(parts, key=lambda part: -parts[part])[:MAX_PARTS_LOOKED_UP]
        spans = {part: (self.words[part[0]].start, self._end(*part)) for part in chosen}
        judged = self._look_up(list(spans.values()))
        for (first, last), span in spans.items():
            phrase = " ".join(word.folded for word in self.words[first : last + 1])
            having = [its for its in judged[span].candidates if f" {phrase} " in f" {fold(its.matched or its.name)} "]
            if 0 < len({its.key for its in having}) <= FEW_NAMES:
                cost = PER_NAME + (PARTIAL if first == last else 0.0)
                items.append(_Item(first, last, cost, Found(first, last, *span, _judge_parts(having))))
        return items

    def _may_be_part(self, place: int) -> bool:
        """Whether a word in lower case may be part of a name: some name has it, and the schema does not explain it."""
        return (
            self._names_with[place] > 0
            and not self.capital[place]
            and not self._is_common(place)
            and not self.words[place].folded.isdecimal()
            and self.explained[place] < 0.5
        )

    def _shared_parts(self, items: Sequence[_Item]) -> list[_Item]:
        """Return the names that share a part with the name that they are joined to.

        `Bob and Harvey Weinstein` names Bob Weinstein, and `World War I or II` World War II.
        """
        texts: dict[str, int] = {}
        for item in items:
            its = [self.question[word.start : word.end] for word in self.words[item.first : item.last + 1]]
            for place in self._joined(item) if item.found.judgement.chance == 1.0 and len(its) > 1 else ():
                if 0 <= place < len(self.words) and (self.capital[place] or self.is_strange(place)):
                    text = self.question[self.words[place].start : self.words[place].end]
                    for cut in range(1, len(its)):
                        texts[" ".join([text, *its[cut:]] if place < item.first else [*its[:cut], text])] = place
        found = []
        for (_, place), judgement in zip(texts.items(), self._judge(list(texts)), strict=True):
            if judgement.verdict != "not_found" and judgement.chance == 1.0:
                word = self.words[place]
                found.append(self._item(place, place, PER_NAME + SHARED, word.start, word.end, judgement))
        return found

    def _absent(self, runs: Sequence[tuple[int, int]], items: Sequence[_Item]) -> list[_Item]:
        """Return the runs that the graph does not have; a strange word in lower case need not be a name."""
        known = {(item.first, item.last) for item in items}
        absent = [
            run
            for run in runs
            if run not in known
            and not (run[0] == run[1] and self.first[run[0]])
            and (self._shown(*run) or any(self.capital[n] and self.rank[n] is None for n in range(run[0], run[1] + 1)))
        ]
        for first, last in list(absent):
            if self.first[first] and last > first and (first + 1, last) not in known and self.rank[first] is not None:
                absent.append((first + 1, last))  # `Did Jim Smith …`: the first word may only begin the sentence
        inside = [
            item.found
            for item in items
            if item.found.judgement.verdict != "not_found" and self._shown(item.first, item.last)
        ]
        for first, last in list(absent):
            absent += [gap for gap in self._gaps(first, last, inside) if gap not in known and gap not in absent]
        spans = {run: (self.words[run[0]].start, self._end(*run)) for run in absent}
        judged = self._look_up(list(spans.values())[:MAX_LOOKED_UP])
        covered = {n for found in inside for n in range(found.first, found.last + 1)}
        items = []
        for run, span in spans.items():
            if span in judged:
                its = judged[span]
                judgement = Judgement("not_found", its.candidates[:2], chance=its.chance)
                cost = ABSENT + 1.5 * sum(self.words[n].folded in APART for n in range(run[0] + 1, run[1]))
                if all(n in covered or self._is_common(n) for n in range(run[0], run[1] + 1)):
                    cost += KNOWN_WORDS
                items.append(_Item(*run, cost, Found(*run, *span, judgement)))
        return items

    def _gaps(self, first: int, last: int, inside: Sequence[Found]) -> list[tuple[int, int]]:
        """Return the parts of a run between words that may separate two names, and between known names."""
        breaks = {n for n in range(first + 1, last) if self.words[n].folded in APART}
        breaks.update(n for found in inside for n in range(found.first, found.last + 1))
        runs: list[tuple[int, int]] = []
        part: list[int] = []
        for place in range(first, last + 2):
            if place <= last and place not in breaks:
                part.append(place)
                continue
            while part and not self.capital[part[0]]:
                part = part[1:]
            self._close(part, runs)
            part = []
        return [run for run in runs if self._shown(*run)]

    def _end(self, first: int, last: int) -> int:
        """Return the end of a stretch without a possessive ending but with the full stop of an abbreviation."""
        word, question = self.words[last], self.question
        end = min((end for _, end in word.endings if question[end : end + 1] in ("'", "\u2019")), default=word.end)
        if question[end : end + 1] == "." and question[end - 2 : end - 1] in (".", " ", ""):
            end += 1
        return end

    def _best(self, items: Sequence[_Item]) -> list[Found]:
        """Return the names of the cheapest division of all words."""
        by_last: dict[int, list[_Item]] = {}
        for item in items:
            by_last.setdefault(item.last, []).append(item)
        costs: list[float] = [0.0]
        taken: list[_Item | None] = []
        for place in range(len(self.words)):
            chosen: _Item | None = None
            best = costs[place] + self.plain[place]
            for item in by_last.get(place, ()):
                cost = costs[item.first] + item.cost
                if cost < best - 1e-9:
                    best, chosen = cost, item
            costs.append(best)
            taken.append(chosen)
        found: list[Found] = []
        place = len(self.words)
        while place > 0:
            taken_here = taken[place - 1]
            if taken_here is None:
                place -= 1
            else:
                found.append(taken_here.found)
                place = taken_here.first
        return found[::-1]


def is_capitalised(judgement: Judgement) -> bool:
    """Whether the graph writes the best candidate with a capital letter."""
    best = judgement.candidates[0]
    return (best.matched or best.name)[:1].isupper()


def _forms(word: str) -> list[str]:
    """Return a word and the words that it may be a form of: `churned`, `churn`."""
    forms = [word, lemma(word)]
    for ending, instead in (
        ("ed", ""),
        ("ed", "e"),
        ("ing", ""),
        ("ing", "e"),
        ("ly", ""),
        ("er", ""),
        ("ers", ""),
        ("est", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            bare = word.removesuffix(ending)
            doubled = bare[-1] == bare[-2] and bare[-3] in "aeiou"  # `bagged`
            forms += [bare + instead, bare[:-1]] if doubled else [bare + instead]
    return forms


def _plainness_of(rank: int | None) -> float:
    """Return how plain a word of this rank is, from 0 for a word outside the vocabulary to 1 for a frequent word."""
    if rank is None:
        return 0.0
    return 1 - min(max((rank - FREQUENT) / (RARE - FREQUENT), 0.0), 1.0)


def covers(text: str, candidates: Sequence[Candidate]) -> bool:
    """Whether the name of any candidate covers the whole text, and not just a part of it."""
    from rapidfuzz.distance import OSA

    folded = fold(text)
    for candidate in candidates:
        other = fold(candidate.matched or candidate.name)
        both = [*other.split(), *(fold(candidate.name).split() if candidate.matched else ())]
        if all(word in CONNECTORS for word in align(folded.split(), both).unmatched):
            return True
        if OSA.normalized_similarity(folded.replace(" ", ""), other.replace(" ", "")) >= ALIKE:
            return True
    return False


def part_of_names(text: str, candidates: Sequence[Candidate]) -> Judgement | None:
    """Return the candidates whose names have all words of a text, at least two: `Best Director`, `Shaq O'Neal`.

    A word may be in the plural, or the beginning of a word of the name; None if there are no such candidates.
    """
    words = [lemma(word) for word in fold(text).split() if word not in CONNECTORS]
    if len(words) < 2:
        return None
    found = []
    for candidate in candidates:
        name = [lemma(word) for word in fold(candidate.matched or candidate.name).split()]
        if all(any(word == its or (len(word) > 3 and its.startswith(word)) for its in name) for word in words):
            found.append(candidate)
    return _judge_parts(found) if found else None


def _judge_parts(candidates: list[Candidate]) -> Judgement:
    """Return the verdict on a text that is a part of the names of all candidates."""
    one = len({its.key for its in candidates}) == 1
    return Judgement("found" if one else "ambiguous", candidates, chance=PART_OF_NAME)
