"""Generates graphs of any size from a schema, as streams: for tests, benchmarks and schemas without data."""

from graphground.graphs.synth.graph import Link, SyntheticGraph, Vocabulary, synth

__all__ = ["Link", "SyntheticGraph", "Vocabulary", "synth"]
