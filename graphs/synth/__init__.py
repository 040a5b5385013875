"""Generates graphs of any size from a schema, as streams: for tests, benchmarks and schemas without data."""

from graphground.graphs.synth.graph import SyntheticGraph, synth
from graphground.graphs.synth.standin import stand_in
from graphground.graphs.synth.vocabulary import Link, Vocabulary

__all__ = ["Link", "SyntheticGraph", "Vocabulary", "stand_in", "synth"]
