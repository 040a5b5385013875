"""Lemma 1 of GraphRAFT (arXiv 2504.05478), on constrained decoding, with the tokenizers of published models."""

import random

import pytest

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.grammars import llguidance_matcher
from graphground.agents.decoding.search import beam, greedy
from graphground.agents.decoding.vocabulary import Vocabulary
from tests.agents.decoding.inputs import QUERIES, RandomModel
from tests.support.real_tokenizers import FAMILIES, NotInstalled, install

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", params=FAMILIES)
def vocabulary(request: pytest.FixtureRequest) -> Vocabulary:
    try:
        install()
    except NotInstalled as error:
        pytest.skip(str(error))
    return FAMILIES[request.param]()


def test_a_wide_beam_returns_every_query_and_greedy_decoding_the_likeliest_tokens(vocabulary: Vocabulary) -> None:
    constraint = Constraint.of_queries(QUERIES, vocabulary)
    spellable = set(QUERIES) - set(constraint.unspellable)
    assert len(spellable) > len(QUERIES) / 2
    assert vocabulary.family == "words" or not constraint.unspellable
    for seed in range(3):
        model = RandomModel(len(vocabulary), seed)
        found = beam(model, constraint, len(QUERIES))
        # Texts that a word-based tokenizer encodes alike count as one query.
        assert len(found) == len({vocabulary.spelled(query) for query in spellable})
        assert {decoded.query for decoded in found} <= spellable
        left, written = {tokens: query for query in spellable if (tokens := vocabulary.encoded(query))}, ()
        while True:
            following = {
                tokens[len(written)] if len(tokens) > len(written) else min(vocabulary.ends) for tokens in left
            }
            row = model.log_probabilities(written, 1)[0]
            best = max(sorted(following), key=lambda token: row[token])
            if best in vocabulary.ends:
                break
            written = (*written, best)
            left = {tokens: query for tokens, query in left.items() if tokens[: len(written)] == written}
        assert vocabulary.spelled(greedy(model, constraint).query) == vocabulary.spelled(left[written])


def test_with_every_tokenizer_a_walk_through_allowed_tokens_ends_at_a_query(vocabulary: Vocabulary) -> None:
    any_tokens = vocabulary.family != "words"
    constraint, rng = Constraint.of_queries(QUERIES, vocabulary, any_tokens=any_tokens), random.Random(4)
    for _ in range(60):
        state, written = constraint.start, list[int]()
        while (token := rng.choice(constraint.allowed(state).tolist())) not in vocabulary.ends:
            written.append(token)
            state = constraint.after(state, token)
        assert constraint.text_of(written) in QUERIES


def test_llguidance_accepts_the_tokens_of_the_queries(vocabulary: Vocabulary) -> None:
    if vocabulary.family == "words":
        with pytest.raises(ValueError, match="WordPiece tokenizer"):
            llguidance_matcher(QUERIES, vocabulary)
        return
    matcher = llguidance_matcher(QUERIES, vocabulary)
    for query in QUERIES[::5]:
        matcher.reset()
        for token in Constraint.of_queries([query], vocabulary).vocabulary.encode(query):
            assert matcher.consume_token(token), query
        assert matcher.is_accepting()
