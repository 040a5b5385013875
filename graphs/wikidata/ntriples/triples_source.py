"""A dump of N-Triples as a source: two passes over the dump, for statements and for names, and more over an extract.

The first pass keeps only lines with predicates that the definition needs, in a compressed extract beside the workspace.
Each level of labels then takes up to five passes over the extract. They find the members of classes and the start items
of relationships, the subjects of statements, the candidates' statements, the parts of these statements, and the value
nodes. All findings are stored on disk, so that memory does not grow with the dump and the order of its lines does not
matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from graphground.graphs.definitions.model import IDENTICAL
from graphground.graphs.wikidata.dump_files import blocks, identity_of
from graphground.graphs.wikidata.names import with_fallback
from graphground.graphs.wikidata.ntriples import passes, predicates
from graphground.graphs.wikidata.ntriples.bits import ItemSet, SortedItems
from graphground.graphs.wikidata.ntriples.extract_file import frames
from graphground.graphs.wikidata.ntriples.passes import Found
from graphground.graphs.wikidata.ntriples.predicates import Predicates
from graphground.graphs.wikidata.ntriples.staging import Staging
from graphground.graphs.wikidata.parallel import BlockReader, mapped, processes_for
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan
from graphground.graphs.wikidata.source import Progress, SourceError, refuse_sparql
from graphground.graphs.wikidata.workspace import Workspace

FULL = "full dump"


class NTriplesSource:
    """A dump of triples, truthy or full, in any order: `NTriplesSource(Path("latest-all.nt.bz2"))`."""

    def __init__(self, path: Path, progress: Progress | None = None, *, processes: int | None = None) -> None:
        self.path, self._progress = Path(path), progress
        self._processes = processes or processes_for(self.path)
        self.broken = 0
        self._missing: list[str] = []

    @property
    def identity(self) -> str:
        """The dump's name, size and modification time, as one text."""
        return identity_of(self.path)

    @property
    def notes(self) -> list[str]:
        """Notes on data that a truthy dump does not have, and the number of lines that could not be read."""
        note = f"Lines of the dump that are not N-Triples and were left out: {self.broken:,}."
        lines = [note] if self.broken else []
        return [*self._missing, *lines]

    def check(self, plan: Plan) -> None:
        """Raise a `SourceError` if the definition has SPARQL conditions, which a dump cannot evaluate."""
        refuse_sparql(plan)

    def selects(self, plan: Plan, label: str) -> bool:
        """Return False: the candidates may still fail other conditions of the label, such as `linked_to`."""
        return False

    def close(self) -> None:
        """Do nothing: no file is open between passes."""

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Write the extract, and read the subclasses of the plan's classes."""
        needed_predicates = Predicates(plan)
        if not workspace.is_done("extract"):
            self._write_extract(needed_predicates, workspace)
        for root in plan.roots:
            with workspace.doing():
                workspace.add_classes(root, workspace.below(root))

    def _write_extract(self, needed_predicates: Predicates, workspace: Workspace) -> None:
        task = passes.Extract(
            needed_predicates.extract,
            predicates.direct(SUBCLASS_OF) if needed_predicates.plan.roots else b"",
            frozenset(map(predicates.claim, needed_predicates.plan.beyond_values)),
        )
        part, statements = workspace.extract.with_name(workspace.extract.name + ".part"), 0
        with part.open("wb") as file, workspace.doing("extract"):
            for found in self._pass("statements", task, self.path, self._processes):
                file.write(found.extract)
                statements += found.statements
                workspace.add_edges(_pairs(found, "edges"))
                workspace.add_redirects(_pairs(found, "redirects"))
            file.close()
            part.replace(workspace.extract)
            if statements:
                workspace.mark(FULL)

    def _predicates(self, plan: Plan, workspace: Workspace) -> Predicates:
        found = Predicates(plan, workspace.is_done(FULL))
        if not found.is_full and found.plan.beyond_values:
            self._missing = list(_missing(plan))
        return found

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Read the candidates of the labels, and their statements.

        Candidates are the members of classes and the start items of the relationships that select a label's items.
        """
        needed_predicates = self._predicates(plan, workspace)
        with _staging(workspace) as staging:
            self._members(needed_predicates, labels, workspace, staging)
        with _staging(workspace) as staging:
            self._statements(needed_predicates, labels, workspace, staging)

    def _members(
        self, needed_predicates: Predicates, labels: Sequence[str], workspace: Workspace, staging: Staging
    ) -> None:
        """Store the members of classes, and the start items of relationships that select items, as candidates."""
        plan = needed_predicates.plan
        ends: dict[bytes, list[tuple[int, ItemSet]]] = defaultdict(list)
        by_statement: dict[bytes, bytes] = {}
        for label in labels:
            number, node = plan.number(label), plan.node(label)
            if node.classes and not node.from_relationships:
                roots = {int(name[1:]) for name in node.classes}
                classes = set().union(*map(workspace.classes, roots)) if node.subclasses else roots
                ends[predicates.direct(plan.class_property(label))].append((number, SortedItems.of(classes)))
            for relationship, is_end in plan.selecting(label):
                if is_end or relationship.wikidata == IDENTICAL:
                    continue
                name = relationship.wikidata
                nodes = staging.items("SELECT item FROM nodes WHERE label = ?", [plan.number(relationship.end)])
                if name in needed_predicates.with_statements and plan.definition.ranks(relationship) != "best":
                    key = predicates.value(name)
                    by_statement[key] = predicates.claim(name)
                else:
                    key = predicates.direct(name)
                ends[key].append((number, nodes))
        if not ends:
            return
        task = passes.Members(
            {key: tuple(rules) for key, rules in ends.items()}, frozenset(by_statement), needed_predicates.extract
        )
        self._stage("members", task, workspace, staging)
        if staging.count("hits"):
            keys = staging.keys("key", "hits")
            self._stage("subjects", passes.Subjects(frozenset(by_statement.values()), keys), workspace, staging)
        for number in map(plan.number, labels):
            workspace.add_candidates(number, staging.members(number))

    def _statements(
        self, needed_predicates: Predicates, labels: Sequence[str], workspace: Workspace, staging: Staging
    ) -> None:
        """Read the statements of the candidates of labels, and of the items into which candidates were merged."""
        plan = needed_predicates.plan
        names = sorted(plan.wanted_of(labels))
        with_statements = [name for name in names if name in needed_predicates.with_statements]
        direct = {
            predicates.direct(name): int(name[1:]) for name in names if name not in needed_predicates.with_statements
        }
        claims = {predicates.claim(name): int(name[1:]) for name in with_statements}
        numbers = ", ".join(str(plan.number(label)) for label in labels)
        candidates = f"SELECT item FROM candidates WHERE label IN ({numbers})"
        items = staging.items(f"{candidates} UNION SELECT target FROM redirects WHERE item IN ({candidates})", ())
        self._stage("values", passes.Claims(direct, claims, items, needed_predicates.extract), workspace, staging)
        if staging.count("links"):
            parts = frozenset({*needed_predicates.parts(with_statements), predicates.RANK})
            self._stage("parts", passes.Parts(parts, staging.keys("key", "links")), workspace, staging)
        if staging.count("value_nodes"):
            task = passes.Details(frozenset(predicates.DETAILS), staging.keys("node", "value_nodes"))
            self._stage("details", task, workspace, staging)
        staging.store(workspace)

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Read the names of nodes and values in one pass over the dump."""
        self._predicates(plan, workspace)
        languages = frozenset(language.encode() for language in with_fallback(plan.definition.languages))
        seen = "SELECT item FROM nodes UNION SELECT item FROM values_seen"
        with _staging(workspace) as staging:
            items = staging.items(f"{seen} UNION SELECT target FROM redirects WHERE item IN ({seen})", ())
            articles = f"<https://{plan.definition.wikipedia}.wikipedia.org/wiki/".encode()
            task = passes.Names(items, languages, articles)
            for found in self._pass("names", task, self.path, self._processes):
                staging.add(found)
            workspace.add_names((item, texts.names(plan.definition.languages)) for item, texts in staging.texts())

    def _stage(self, step: str, task: BlockReader[Found], workspace: Workspace, staging: Staging) -> None:
        """Run a pass over the extract, and store its findings in the temporary tables."""
        processes = min(self._processes, processes_for(workspace.extract))
        for found in self._pass(step, task, workspace.extract, processes, frames):
            staging.add(found)

    def _pass(
        self,
        step: str,
        task: BlockReader[Found],
        path: Path,
        processes: int,
        pieces: Callable[[Path, Callable[[int], None]], Iterator[bytes]] = blocks,
    ) -> Iterator[Found]:
        size = path.stat().st_size if path.exists() else 0

        def read(done: int) -> None:
            if self._progress is not None:
                self._progress(step, done, size)

        for found in mapped(_same, task, pieces(path, read), processes):
            self.broken += found.broken
            yield found


def _same(task: BlockReader[Found]) -> BlockReader[Found]:
    """Return the pass unchanged: a pass is its own block reader, so `mapped` need not create another."""
    return task


@contextmanager
def _staging(workspace: Workspace) -> Iterator[Staging]:
    """Run the block in a transaction, with temporary tables that are dropped at its end."""
    with workspace.doing():
        staging = Staging(workspace.database)
        yield staging
        staging.close()


def _pairs(found: Found, table: str) -> Iterable[tuple[int, int]]:
    for left, right in found.rows.get(table, ()):
        assert isinstance(left, int)
        assert isinstance(right, int)
        yield left, right


def _missing(plan: Plan) -> Iterator[str]:
    """Yield notes on data that a definition needs and a truthy dump does not have.

    Raises:
        SourceError: the ends of a relationship are the values of a qualifier, which a truthy dump does not contain.
    """
    definition = plan.definition
    for relationship in definition.relationships:
        if relationship.qualifier:
            raise SourceError(
                f"{relationship}: its end is a qualifier, which a truthy dump does not contain; use a full dump"
            )
    yield (
        "The dump is truthy: it contains only the best statements, without ranks, qualifiers, units or the precision "
        "of dates. 1 January is read as a year, the first day of another month as that month."
    )
    units = [
        f"{label}.{key}"
        for label, node in definition.nodes.items()
        for key, property_ in node.properties.items()
        if property_.unit is not None or property_.qualifiers
    ]
    if units:
        yield f"These properties have no values, because the dump has no units or qualifiers: {', '.join(units)}."
    qualified = [
        f"{relationship.type}.{key}"
        for relationship in definition.relationships
        for key, property_ in relationship.properties.items()
        if property_.wikidata != relationship.wikidata
    ]
    if qualified:
        names = ", ".join(dict.fromkeys(qualified))
        yield f"These properties have no values, because the dump has no qualifiers: {names}."
    of_every_rank = [
        relationship.type for relationship in definition.relationships if definition.ranks(relationship) != "best"
    ]
    if of_every_rank:
        types = ", ".join(dict.fromkeys(of_every_rank))
        yield f"The dump contains only the best statements, so relationships that have ended may be missing: {types}."
