import pytest

from graphground.graphs.entities.vectors.building import WordPiece

VOCABULARY = {
    piece: number
    for number, piece in enumerate(["play", "##er", "##s", "the", "'", "-", "cafe", "東", "京", "ab", "##c", "a"])
}


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("players", ["play", "##er", "##s"]),
        ("The PLAYER's", ["the", "play", "##er", "'"]),
        ("café", ["cafe"]),
        ("東京", ["東", "京"]),
        ("a-abc", ["a", "-", "ab", "##c"]),
        ("unknown", []),
        ("", []),
        ("\x00the\u200b", ["the"]),
        ("a" * 101, []),
    ],
)
def test_the_longest_known_piece_comes_first(text: str, pieces: list[str]) -> None:
    assert WordPiece(VOCABULARY).numbers(text) == [VOCABULARY[piece] for piece in pieces]
