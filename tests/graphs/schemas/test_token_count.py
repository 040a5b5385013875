from graphground.graphs.schemas.forms import estimate_tokens

# Token counts by cl100k_base, o200k_base, and the tokenizers of Claude 2 and DeepSeek, in this order.
COUNTED = {
    "(:Movie)-[:directedBy]->(:Person)": (10, 11, 10, 11),
    "(:AircraftModel {first_flight: date, service_entry: date, range_km: float})": (20, 21, 23, 22),
    "Nodes, each with name: str, eid: str, aliases: list[str]": (17, 17, 18, 19),
}


def test_the_estimate_is_close_to_the_counts_of_real_tokenizers():
    for text, counts in COUNTED.items():
        mean = sum(counts) / len(counts)
        assert abs(estimate_tokens(text) - mean) <= max(3, 0.2 * mean), (text, estimate_tokens(text), counts)


def test_an_empty_text_has_no_tokens_and_any_other_text_has_some():
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
    assert estimate_tokens("日本語") >= 1
