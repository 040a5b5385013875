from pathlib import Path

import numpy as np
import pytest

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record, Search
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.vectors.building import STATIC, StaticEncoder, VectorsMissing, build_vectors, encoder

NAMES = {"Animal": ["dog", "cat", "horse"], "Food": ["bread", "wine", "cheese"], "Vehicle": ["car", "train", "ship"]}
RECORDS = [
    Record(f"{label}{number}", label, name) for label, names in NAMES.items() for number, name in enumerate(names)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_index(tmp_path / "things", RECORDS)
    return tmp_path / "things"


def test_search_by_meaning_finds_names_that_spelling_does_not(folder: Path) -> None:
    index = open_index(folder)
    build_vectors(index._files, StaticEncoder())
    index = open_index(folder)
    assert index.find("automobile", mode="vector")[0].name == "car"
    assert index.find("automobile")[0].match == "vector"
    assert index.find("puppy", label="Animal")[0].name == "dog"
    assert {candidate.label for candidate in index.find("automobile", label="Food", mode="vector")} == {"Food"}


def test_several_mentions_together_are_encoded_once_with_the_same_results_as_each_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_vectors(open_index(folder)._files, StaticEncoder())
    index, model, encoded = open_index(folder), encoder(STATIC), []
    mentions = ["automobile", "horse", "puppy", "", "bread", "vessel"]
    alone = {mode: [index.find(mention, mode=mode) for mention in mentions] for mode in ("auto", "vector")}
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda texts: encoded.append(list(texts)) or encode(texts))
    assert index.find_all(mentions) == alone["auto"]
    assert index.find_all(mentions, Search(mode="vector")) == alone["vector"]
    assert encoded == [["automobile", "puppy", "vessel"], ["automobile", "horse", "puppy", "bread", "vessel"]]


def test_a_correctly_spelled_mention_is_not_looked_up_by_meaning(folder: Path) -> None:
    build_vectors(open_index(folder)._files, StaticEncoder())
    assert [candidate.match for candidate in open_index(folder).find("horse", limit=1)] == ["exact"]


def test_without_vectors_the_mode_vector_reports_how_to_build_them_and_the_mode_auto_works(folder: Path) -> None:
    index = open_index(folder)
    with pytest.raises(VectorsMissing, match="graphground entities build --vectors"):
        index.find("automobile", mode="vector")
    assert index.find("breed")[0].name == "bread"


def test_only_chosen_labels_get_vectors(folder: Path) -> None:
    files = open_index(folder)._files
    assert build_vectors(files, StaticEncoder(), ["Food"])[0] == 3
    assert {candidate.label for candidate in open_index(folder).find("automobile", mode="vector")} == {"Food"}


def test_a_rebuilt_index_does_not_use_old_vectors(folder: Path) -> None:
    build_vectors(open_index(folder)._files, StaticEncoder())
    build_index(folder, RECORDS)
    with pytest.raises(VectorsMissing):
        open_index(folder).vectors()


def test_static_vectors_have_unit_length_or_are_zero_for_text_without_tokens() -> None:
    vectors = StaticEncoder().encode(["New York City", "Київ", "", "x" * 500])
    assert np.allclose(np.linalg.norm(vectors[:2], axis=1), 1, atol=1e-4)
    assert not vectors[2:].any()


def test_a_description_finds_its_entity_and_an_equally_near_name_comes_first(tmp_path: Path) -> None:
    build_index(
        tmp_path / "i",
        [
            Record("1", "Film", "Heat", (), "a thief and a policeman in Los Angeles"),
            Record("2", "Film", "Policeman", (), "a comedy"),
            Record("3", "Film", "Alien", (), "monsters in space"),
        ],
    )
    files = open_index(tmp_path / "i")._files
    assert build_vectors(files, StaticEncoder())[1] == 3
    index = open_index(tmp_path / "i")
    assert index.find("the one with a thief in Los Angeles", mode="vector")[0].name == "Heat"
    assert index.find("policeman", mode="vector")[0].name == "Policeman"
    build_vectors(files, StaticEncoder(), descriptions=False)
    assert open_index(tmp_path / "i").vectors().descriptions == 0


def test_a_description_shared_by_many_entities_gets_no_vector(tmp_path: Path) -> None:
    build_index(
        tmp_path / "i",
        [Record(str(number), "Taxon", f"Beetle {number}", (), "species of beetle") for number in range(11)]
        + [Record("x", "Taxon", "Ladybird", (), "a red one")],
    )
    assert build_vectors(open_index(tmp_path / "i")._files, StaticEncoder()) == (12, 1)
