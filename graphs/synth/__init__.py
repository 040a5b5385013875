"""Generates graphs of any size from a schema, as streams: for tests, benchmarks and schemas without data."""

from graphground.graphs.synth.graph import SyntheticGraph, synth

__all__ = ["SyntheticGraph", "synth"]
