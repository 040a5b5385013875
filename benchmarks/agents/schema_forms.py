"""Compares the five schema forms of the zero-shot agent: tokens, and what each form keeps of the gold queries' names.

    python -m benchmarks.agents.schema_forms FOLDER [--each 50] [--seed 19]

The forms are those of "Enhancing Text2Cypher with Schema Filtering". The table also has `auto`, the default method of
`get_filtered_schema`. FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). For
a sample of the train questions of four graphs, each schema is read with the tool that the agent calls. No model is
called: the table shows coverage and tokens, not execution accuracy. A pattern counts as kept if the schema has its type
with both labels. The rules of `masked` and `auto` were tuned on art and soccer, so the results of these two graphs and
of the other two are also shown separately.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.engines.graphs_for_queries import TRAIN, records
from benchmarks.schemas.filtering import REPORTED, TUNED
from benchmarks.schemas.gold_elements import Elements, elements_of
from graphground.agents.question import Question
from graphground.agents.zero_shot import FORMS, SchemaForm, schema_call
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.schemas.filtering.filter import Method, filter_schema
from graphground.graphs.schemas.token_count import estimate_tokens
from graphground.graphs.storage.home import Home
from graphground.server.application import Application
from graphground.server.commands.options import open_graphs
from graphground.server.settings import read_settings
from graphground.tools.get_filtered_schema import MEANING
from graphground.tools.tool import Graphs

Form = SchemaForm | Method


@dataclass(frozen=True, slots=True)
class Reading:
    """The tokens of one schema, and whether it has all labels, patterns and properties of the gold query."""

    tokens: int
    labels: bool
    patterns: bool
    properties: bool

    @property
    def complete(self) -> bool:
        """Whether the schema has all labels, patterns and properties of the gold query."""
        return self.labels and self.patterns and self.properties


def reading(application: Application, graphs: Graphs, question: Question, form: Form, gold: Elements) -> Reading:
    """Read the schema for a question in one form, and compare its elements with those of the gold query."""
    tool, arguments = (
        schema_call(question, form)
        if form != "auto"
        else ("get_filtered_schema", question.on(question=question.text, method=form))
    )
    fields = json.loads(application.call(tool, arguments).payload)
    graph = graphs.get(question.graph)
    part = graph.schema
    if form not in ("enhanced", "base") and not fields.get("whole"):
        part = filter_schema(
            graph.schema, question.text, form, entities=graph.indexed_entities, embedder=MEANING
        ).schema
    return Reading(estimate_tokens(str(fields["schema"])), *kept(gold, part))


def kept(gold: Elements, part: PropertyGraphSchema) -> tuple[bool, bool, bool]:
    """Return three flags: whether a part of a schema has all labels, patterns and properties of a gold query."""
    patterns = {(pattern.type, pattern.start, pattern.end) for pattern in part.patterns}
    of_labels = {(label.name, key) for label in part.labels.values() for key in label.properties}
    of_types = {(type_, key) for type_, keys in part.relationship_properties.items() for key in keys}
    return (
        gold.labels <= part.labels.keys(),
        gold.patterns <= patterns,
        gold.properties <= of_labels and gold.type_properties <= of_types,
    )


def lines(readings: dict[tuple[str, Form], list[Reading]], graphs: Sequence[str]) -> Iterator[str]:
    """Yield a row of the table for each form."""
    of_form = {form: [found for graph in graphs for found in readings[graph, form]] for form in (*FORMS, "auto")}
    base = mean(found.tokens for found in of_form["base"])
    for form, found in of_form.items():
        tokens = mean(entry.tokens for entry in found)
        shares = [
            f"{100 * mean(values):.1f} %"
            for values in zip(
                *((entry.labels, entry.patterns, entry.properties, entry.complete) for entry in found), strict=True
            )
        ]
        row = [f"`{form}`", f"{tokens:.0f}", f"{100 * tokens / base:.0f} %", *shares]
        yield f"| {' | '.join(row)} |"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--each", type=int, default=50, help="number of questions of each graph")
    arguments.add_argument("--seed", type=int, default=19)
    options = arguments.parse_args()
    graphs = open_graphs(read_settings({"home": str(options.folder)}))
    application = Application(lambda: graphs)
    rng = random.Random(options.seed)
    readings: dict[tuple[str, Form], list[Reading]] = defaultdict(list)
    try:
        for graph in TRAIN:
            tasks = [task for task in records("cypherbench_tasks/train.jsonl.gz") if task["graph"] == graph]
            for task in rng.sample(tasks, min(options.each, len(tasks))):
                question = Question("1", graph, str(task["nl_question"]))
                gold = elements_of(str(task["gold_cypher"]))
                for form in (*FORMS, "auto"):
                    readings[graph, form].append(reading(application, graphs, question, form, gold))
    finally:
        application.close()
        end_engine(Home(options.folder), kill=True)
    for name, chosen in (("all", TRAIN), ("tuned on", TUNED), ("measured only", REPORTED)):
        print(f"\n{name}: {', '.join(chosen)}; {sum(len(readings[graph, 'base']) for graph in chosen)} questions\n")
        print("| form | mean tokens | of base | labels | patterns | properties | all |\n|---|---|---|---|---|---|---|")
        print("\n".join(lines(readings, chosen)), flush=True)


if __name__ == "__main__":
    main()
