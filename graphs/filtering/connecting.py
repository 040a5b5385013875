"""Finds paths between labels; a filtered schema keeps them, so that queries over several hops remain possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from graphground.cypher.schema import PropertyGraphSchema

LONGEST_PATH = 4
MOST_PARALLEL = 4


class LabelGraph:
    """A schema as an undirected graph of labels; its edges hold the positions of patterns."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self.edges: dict[str, dict[str, list[int]]] = {label: {} for label in schema.labels}
        for place, pattern in enumerate(schema.patterns):
            self.edges[pattern.start].setdefault(pattern.end, []).append(place)
            if pattern.end != pattern.start:
                self.edges[pattern.end].setdefault(pattern.start, []).append(place)

    def between(self, left: str, right: str) -> list[int]:
        """Return the positions of the patterns between two labels, in either direction."""
        return self.edges[left].get(right, [])

    def components(self, labels: Iterable[str], patterns: Iterable[int]) -> list[set[str]]:
        """Return the groups of labels that the patterns at these positions connect."""
        group: dict[str, set[str]] = {label: {label} for label in labels}
        for place in patterns:
            pattern = self.schema.patterns[place]
            left, right = group.get(pattern.start), group.get(pattern.end)
            if left is None or right is None or left is right:
                continue
            left |= right
            for label in right:
                group[label] = left
        return list({id(members): members for members in group.values()}.values())

    def connection(
        self, start: set[str], goals: set[str], preferred: Mapping[int, float], longest: int = LONGEST_PATH
    ) -> list[int]:
        """Return the positions of the patterns on the shortest paths between two groups of labels.

        A path has at most `longest` patterns; the result is empty if there is no such path. `preferred` holds scores by
        the positions of patterns; of equally short paths, those with the best scores are kept.
        """
        depth = dict.fromkeys(start, 0)
        parents: dict[str, list[str]] = {}
        queue = deque(start)
        reached: list[str] = []
        limit = longest
        while queue:
            label = queue.popleft()
            if depth[label] >= limit:
                continue
            for neighbour in self.edges[label]:
                if neighbour not in depth:
                    depth[neighbour] = depth[label] + 1
                    queue.append(neighbour)
                if depth[neighbour] == depth[label] + 1:
                    parents.setdefault(neighbour, []).append(label)
                    if neighbour in goals and neighbour not in reached:
                        reached.append(neighbour)
                        limit = depth[neighbour]
        found: set[int] = set()
        frontier = set(reached)
        while frontier:
            label = frontier.pop()
            for parent in self._best(label, parents.get(label, []), preferred)[:MOST_PARALLEL]:
                found.update(self._chosen(parent, label, preferred))
                if depth[parent] > 0:
                    frontier.add(parent)
        return sorted(found)

    def _best(self, label: str, parents: list[str], preferred: Mapping[int, float]) -> list[str]:
        def best_score(parent: str) -> float:
            return max((preferred.get(place, 0.0) for place in self.between(parent, label)), default=0.0)

        best = max(map(best_score, parents), default=0.0)
        return [parent for parent in parents if best_score(parent) == best] if best else parents

    def _chosen(self, left: str, right: str, preferred: Mapping[int, float]) -> list[int]:
        places = self.between(left, right)
        scored = [place for place in places if preferred.get(place, 0.0) > 0]
        return scored or places
