"""The plan of a query that begins with EXPLAIN or PROFILE, as lines that an agent can read.

>>> plan_lines({"operatorType": "ProduceResults@neo4j", "args": {"Details": "n", "EstimatedRows": 4.0},
...             "children": [{"operatorType": "NodeByLabelScan@neo4j", "args": {"Details": "n:Team"}}]})
['ProduceResults n (about 4 rows)', '  NodeByLabelScan n:Team']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphground.cypher.wording import counted

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

PREFIX = re.compile(r"\s*(?:CYPHER[^;]*?\s)?(EXPLAIN|PROFILE)\b", re.IGNORECASE)
COLUMN = "plan"
MOST_LINES, LONGEST_LINE = 200, 400


def asks_for_plan(query: str | Query) -> bool:
    """Whether a query requests its plan, that is, begins with EXPLAIN or PROFILE."""
    return bool(PREFIX.match(query)) if isinstance(query, str) else bool(query.prefix)


def plan_lines(plan: Mapping[str, Any], depth: int = 0) -> list[str]:
    """Return a plan as lines, one per operator: the last step first, the steps that feed it indented below.

    ArcadeDB's plan is a text with the first step first; its lines are returned in this order, without the heading.
    """
    args = plan.get("args") or {}
    if not plan.get("children") and "Details" not in args and "string-representation" in args:
        lines = [line.rstrip() for line in str(args["string-representation"]).splitlines()]
        steps = [line for line in lines[2:] if line.strip()] if len(lines) > 1 and set(lines[1]) == {"="} else lines
        return [line[:LONGEST_LINE] for line in steps[:MOST_LINES]]
    words = [str(plan.get("operatorType", "")).partition("@")[0]]
    if args.get("Details"):
        words.append(str(args["Details"]))
    figures = []
    if "EstimatedRows" in args:
        figures.append(f"about {counted(round(float(args['EstimatedRows'])), 'row')}")
    if "dbHits" in plan:
        figures.append(f"{counted(int(plan.get('rows') or 0), 'row')}, {counted(int(plan['dbHits']), 'db hit')}")
    if figures:
        words.append(f"({'; '.join(figures)})")
    lines = [("  " * depth + " ".join(words))[:LONGEST_LINE]]
    for child in plan.get("children") or ():
        lines += plan_lines(child, depth + 1)
    return lines[:MOST_LINES]
