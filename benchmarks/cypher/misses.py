"""Collects the queries that a check judged wrongly, for the file that `--misses` names."""

from __future__ import annotations

from graphground.cypher import Report

MISSES: list[str] = []
"""The lines of the file that `--misses` names."""


def miss(figure: str, *parts: object) -> None:
    MISSES.append("\t".join([figure, *(str(part).replace("\n", " ") for part in parts)]))


def errors_of(report: Report) -> list[str]:
    return sorted({diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"})
