import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphground.agents.decoding.constraint import Constraint, NotSpellable
from graphground.agents.decoding.vocabulary import Vocabulary, byte_level, sentence_pieces, word_pieces
from tests.agents.decoding.inputs import QUERIES, byte_vocabulary

VOCABULARY = byte_vocabulary(QUERIES)


def walked(constraint: Constraint, rng: random.Random) -> tuple[int, ...]:
    """Choose random allowed tokens until an end token; return the tokens before the end token."""
    tokens: list[int] = []
    state = constraint.start
    while True:
        token = rng.choice(constraint.allowed(state).tolist())
        if token in constraint.vocabulary.ends:
            return tuple(tokens)
        tokens.append(token)
        state = constraint.after(state, token)


@pytest.mark.parametrize("any_tokens", [False, True])
def test_no_walk_through_allowed_tokens_ends_outside_the_queries(any_tokens: bool) -> None:
    constraint = Constraint.of_queries(QUERIES, VOCABULARY, any_tokens=any_tokens)
    rng = random.Random(5)
    seen = set()
    for _ in range(400):
        tokens = walked(constraint, rng)
        assert VOCABULARY.bytes_of(tokens).decode("utf-8") == constraint.text_of(tokens)
        seen.add(constraint.text_of(tokens))
    assert seen <= set(QUERIES)
    assert len(seen) > len(QUERIES) / 2


def test_exactly_the_tokens_that_can_continue_a_query_are_allowed() -> None:
    constraint = Constraint.of_queries(QUERIES, VOCABULARY, any_tokens=True)
    rng = random.Random(8)
    for _ in range(6):
        tokens = walked(constraint, rng)
        for written in range(len(tokens) + 1):
            text = VOCABULARY.bytes_of(tokens[:written])
            rests = {query.encode("utf-8")[len(text) :] for query in QUERIES if query.encode("utf-8").startswith(text)}
            expected = {
                number
                for number, token in enumerate(VOCABULARY.tokens)
                if (number in VOCABULARY.ends and b"" in rests)
                or (token and any(rest.startswith(token) for rest in rests))
            }
            state = constraint.state_of(tokens[:written])
            assert set(constraint.allowed(state).tolist()) == expected
            assert constraint.mask(state).sum() == len(expected)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6, unique=True))
def test_names_with_any_unicode_characters_are_decoded_unchanged(names: list[str]) -> None:
    queries = {f"MATCH (n {{name: '{name.encode('utf-8', 'replace').decode()}'}}) RETURN n" for name in names}
    for any_tokens in (False, True):
        constraint = Constraint.of_queries(queries, VOCABULARY, any_tokens=any_tokens)
        rng = random.Random(1)
        assert {constraint.text_of(walked(constraint, rng)) for _ in range(20)} <= queries


def test_an_expression_allows_values_that_are_not_listed() -> None:
    constraint = Constraint.of_expression(r"RETURN '(?:[^'\\]|\\['\\])*' = -?[0-9]{1,3}", VOCABULARY)
    for text in ("RETURN 'Ærø \\'東\\' \\\\' = -12", "RETURN '' = 7"):
        tokens = VOCABULARY.encode(text)
        assert constraint.complete(constraint.state_of(tokens))
        assert constraint.text_of(tokens) == text
    for text in ("RETURN 'a\\n' = 1", "RETURN '\\' = 1", "RETURN 'a' = 1234", "RETURN 'a'"):
        state = constraint.state_of(VOCABULARY.encode(text))
        assert state < 0 or not constraint.complete(state)


def test_after_prepare_the_masks_of_branching_states_are_known() -> None:
    constraint = Constraint.of_expression("'[^']*'", VOCABULARY)
    constraint.prepare()
    inside = constraint.after(constraint.start, VOCABULARY.encode("'")[0])
    assert len(constraint.allowed(inside)) > 256


def test_byte_level_tokens_are_decoded_from_their_letters() -> None:
    vocabulary = byte_level(["ĠRETURN", "Ã©", "<|end|>", "Ġ"], [2], [2], lambda text: [])
    assert vocabulary.tokens == (b" RETURN", "é".encode(), None, b" ")


def test_sentence_pieces_may_begin_with_a_space_that_is_not_part_of_the_query() -> None:
    pieces = ["<unk>", "</s>", "▁RETURN", "▁1", "RETURN", *(f"<0x{byte:02X}>" for byte in range(256))]
    vocabulary = sentence_pieces(pieces, [0, 1], [1], lambda text: [2, 3])
    for any_tokens in (False, True):
        constraint = Constraint.of_queries(["RETURN 1"], vocabulary, any_tokens=any_tokens)
        assert constraint.text_of((2, 3)) == "RETURN 1"
        assert constraint.complete(constraint.state_of((2, 3)))
        assert constraint.complete(constraint.state_of((4, 3))) == any_tokens
    spelled = Constraint.of_expression("RETURN [0-9]", vocabulary)
    assert spelled.text_of((2, 3)) == "RETURN 1"


WORDS = ["[UNK]", "[SEP]", "match", "(", "n", ")", "return", "he", "##at", "'", "1"]


def word_vocabulary() -> Vocabulary:
    def words(text: str) -> list[str]:
        return text.lower().replace("(", " ( ").replace(")", " ) ").replace("'", " ' ").split()

    def encode(text: str) -> list[int]:
        split = {"heat": [7, 8]}
        return [
            number for word in words(text) for number in split.get(word, [WORDS.index(word) if word in WORDS else 0])
        ]

    return word_pieces(WORDS, [0, 1], [1], encode, words)


def test_word_tokens_encode_the_query_with_its_spaces_and_its_case() -> None:
    query = "MATCH (n) RETURN 'Heat'"
    constraint = Constraint.of_queries([query, "MATCH (n) RETURN 'Łódź'"], word_vocabulary())
    assert constraint.unspellable == ("MATCH (n) RETURN 'Łódź'",)
    assert constraint.text_of(walked(constraint, random.Random(1))) == query


def test_a_space_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(NotSpellable, match=r"No given query can be written .*; the first is .RETURN 'Łódź'"):
        Constraint.of_queries(["RETURN 'Łódź'"], word_vocabulary())
    with pytest.raises(NotSpellable, match="No query was given"):
        Constraint.of_queries([], word_vocabulary())
    with pytest.raises(NotSpellable, match="regular expression cannot be followed"):
        Constraint.of_expression("RETURN 1", word_vocabulary())
    with pytest.raises(NotSpellable, match="leave out `any_tokens`"):
        Constraint.of_queries(["RETURN 1"], word_vocabulary(), any_tokens=True)
    few = Vocabulary("bytes", (b"R", None), frozenset((1,)), lambda text: [0] * len(text))
    with pytest.raises(NotSpellable, match="no token for the byte"):
        Constraint.of_queries(["RX"], few, any_tokens=True)
