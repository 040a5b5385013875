from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from graphground.agents.decoding.automaton import Automaton

TEXTS = st.lists(st.text(alphabet="abc'\\é", max_size=6), max_size=12)


@settings(deadline=None)
@given(TEXTS)
def test_the_automaton_of_texts_accepts_these_texts_and_no_others(texts: list[str]) -> None:
    automaton = Automaton.of(text.encode() for text in texts)
    for length in range(4):
        for letters in product("abc'", repeat=length):
            text = "".join(letters)
            assert automaton.accepts(text.encode()) == (text in texts)
    assert all(automaton.accepts(text.encode()) for text in texts)


@settings(deadline=None)
@given(TEXTS)
def test_no_two_states_accept_the_same_endings(texts: list[str]) -> None:
    automaton = Automaton.of(text.encode() for text in texts)

    def rest(state: int) -> frozenset[bytes]:
        found = {b""} if automaton.final[state] else set()
        for symbol, target in zip(*(part.tolist() for part in automaton.edges(state)), strict=True):
            found |= {bytes((symbol,)) + end for end in rest(target)}
        return frozenset(found)

    rests = [rest(state) for state in range(len(automaton))]
    assert len(set(rests)) == len(rests)


def test_token_numbers_in_sequences_may_be_of_any_size() -> None:
    automaton = Automaton.of([(151_000, 7), (151_000, 8), (3,)])
    assert automaton.accepts((151_000, 8))
    assert not automaton.accepts((151_000,))
    assert automaton.step(automaton.start, 4) == -1
    assert len(automaton) == 3


def test_the_automaton_of_nothing_accepts_nothing() -> None:
    assert not Automaton.of(iter(())).accepts(b"")
    assert Automaton.of([b""]).accepts(b"")
