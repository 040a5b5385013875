"""Measures strangers' names, looked up by themselves: how often the right name comes first, and is called absent.

    python -m benchmarks.entities.strangers port hospital festival [--half held_out] [--misses 20]
    python -m benchmarks.entities.strangers messy --graph wd50k.json      # a SimpleKG file

The names are the `mentions` of `benchmarks/strangers/*_dev.jsonl`, as people wrote them in questions. The databases of
trades are indexed as a user's own database would be: nothing says which property names a node. Beside each mention that
is not a stored name already, the stored name is asked with one typing error.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.entities.mention_errors import with_error
from graphground.cypher.schema import Label
from graphground.cypher.text_values import text_values
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.paging import columns_of
from graphground.graphs.entities.spans import fold
from graphground.graphs.entities.verdicts.judging import CONSIDERED, judge
from graphground.graphs.schemas.extraction.profiles import Seen, naming_number, naming_property

FOLDER = Path(__file__).parents[1] / "strangers"


def records_of(nodes: list[dict[str, Any]], show: bool) -> Iterator[Record]:
    """Yield a record for each node and label, with the naming property that an extraction finds in these nodes."""
    by_label: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for node in nodes:
        for label in node["labels"]:
            by_label[label].append(node)
    for label, its in by_label.items():
        columns = {
            key: [node["properties"].get(key) for node in its] for key in {k for n in its for k in n["properties"]}
        }
        types = {key: "str" for key, column in columns.items() if all(isinstance(v, str | None) for v in column)}
        seen = []
        for key in types:
            values = [value for value in columns[key] if isinstance(value, str) and value.strip()]
            seen.append(Seen(key, values[:400], len(values) / len(its), text_values(values)))
        numbers = [
            (key, len({*column}) == len(its), min(column), max(column))
            for key, column in columns.items()
            if all(type(value) is int for value in column)
        ]
        naming = naming_property(label, seen) or naming_number(label, numbers, set())
        types |= {naming: "int"} if naming and naming not in types else {}
        if show:
            print(label, "->", naming)
        name, alias, description, others = columns_of(Label(label, types, naming=naming))
        for node in its:
            properties = node["properties"]
            yield Record(
                node["id"],
                label,
                str(properties[name]) if name and name in properties else None,
                [],
                properties.get(description) if description else None,
                {key: properties[key] for key in others if properties.get(key)},
                name or "name",
                alias or "aliases",
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", nargs="+")
    parser.add_argument("--half", default="dev")
    parser.add_argument("--index", type=Path, help="the index of the (one) database, if it has been built")
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    every: Counter[str] = Counter()
    for database in options.databases:
        mentions = {
            (written, str(stored))
            for line in (FOLDER / f"{database}_{options.half}.jsonl").read_text("utf-8").splitlines()
            for written, stored, *_ in json.loads(line).get("mentions", ())
        }
        if options.index:
            tally = ask(open_index(options.index), mentions, options.misses)
        else:
            with gzip.open(FOLDER / f"{database}.jsonl.gz", "rt", encoding="utf-8") as lines:
                nodes = [record for record in map(json.loads, lines) if record["type"] == "node"]
            with tempfile.TemporaryDirectory() as folder:
                build_index(Path(folder) / "names", records_of(nodes, options.misses > 0))
                tally = ask(open_index(Path(folder) / "names"), mentions, options.misses)
        print(f"{database}: {line_of(tally)}")
        every += tally
    print(f"all: {line_of(every)}")


def ask(index: EntityIndex, mentions: set[tuple[str, str]], misses: int) -> Counter[str]:
    """Look the mentions up; count what was asked, right first and called absent, by kind."""
    tally: Counter[str] = Counter()
    drawn = random.Random(7)
    asked = [("as written", *mention) for mention in sorted(mentions)]
    for stored in sorted({stored for _, stored in mentions}):
        if (
            len(stored) > 4
            and (misspelt := with_error(stored, "typing error", drawn))
            and fold(misspelt) != fold(stored)
        ):
            asked.append(("misspelt", misspelt, stored))
    for kind, mention, stored in asked:
        judgement = judge(mention, index.find(mention, limit=CONSIDERED), index)
        first = [candidate.name for candidate in judgement.candidates[:1]]
        tally[f"{kind}: asked"] += 1
        tally[f"{kind}: first"] += first == [stored]
        tally[f"{kind}: absent"] += judgement.verdict == "not_found"
        if (first != [stored] or judgement.verdict == "not_found") and misses > 0:
            misses -= 1
            shown = [(c.name, c.label, c.property, c.match, c.score) for c in judgement.candidates[:3]]
            print(f"  {kind}: {mention!r} means {stored!r}; {judgement.verdict} {judgement.chance:.2f} {shown}")
    return tally


def line_of(tally: Counter[str]) -> str:
    """Return the figures as a line."""
    return "; ".join(
        f"{kind} {tally[f'{kind}: first']} of {tally[f'{kind}: asked']} first, {tally[f'{kind}: absent']} called absent"
        for kind in ("as written", "misspelt")
    )


if __name__ == "__main__":
    main()
