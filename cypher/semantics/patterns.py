"""Checks patterns: the variables that they declare or reuse, and the constructs not allowed in them."""

from __future__ import annotations

from typing import Literal

from graphground.cypher import tree
from graphground.cypher.diagnostics import Problem
from graphground.cypher.functions import VECTOR
from graphground.cypher.semantics import clauses, expressions
from graphground.cypher.semantics.checker import Binding, Checker
from graphground.cypher.types import ENTITY, FLOAT, LIST, NODE, NUMBER, PATH, RELATIONSHIP, STRING, Type, list_of

Where = Literal["match", "optional", "create", "merge", "insert", "exists"]
_RELATIONSHIPS = list_of(RELATIONSHIP)


def match(c: Checker, paths: list[tree.PathPattern], where: Where, mode: str | None = None) -> None:
    """Check all paths of one clause: declare all variables first, then check properties and conditions."""
    groups: dict[str, tree.Variable] = {}
    singles: set[str] = set()
    for path in paths:
        if path.shortest is not None:
            _check_shortest(c, path)
        _check_juxtaposition(c, path.elements)
        declare_elements(c, path.elements, where, groups, singles)
        if path.variable is not None:
            c.declare(path.variable, PATH)
    created: set[str] = set()
    for path in paths:
        # In Cypher 5 a CREATE may use variables that its earlier paths create; in Cypher 25 it may not.
        _check_path(c, path, where, created if c.cypher25 else set())
    if c.cypher25:
        check(c, paths, mode)
    if len(paths) > 1 and mode != "REPEATABLE ELEMENTS":
        for path in paths:
            if path.selector is not None and path.selector.kind != "all":
                c.bad_pattern(path.elements[0], "a path with SHORTEST or ANY must be the only path of its MATCH")
                break


def _check_shortest(c: Checker, path: tree.PathPattern) -> None:
    elements = path.elements
    start = path.start
    if path.variable is not None:
        # The message points to the function, not to the variable before it.
        rest = c.query.text[path.variable.end :]
        start = path.variable.end + len(rest) - len(rest.lstrip().lstrip("=").lstrip())
    if len(elements) != 3 or not isinstance(elements[1], tree.RelationshipPattern):
        c.problem_at(
            "pattern",
            start,
            path.end,
            f"{path.shortest}(…) takes one path of a single relationship, such as (a)-[:KNOWS*]-(b)",
        )
        return
    length = elements[1].length
    if elements[1].quantifier is not None:
        c.bad_pattern(elements[1], f"{path.shortest}(…) takes a length such as *1..3, not a quantifier")
    if elements[1].properties is not None:
        c.problem_at(
            "pattern",
            start,
            path.end,
            f"{path.shortest}(…) takes no properties of the relationship; test "
            "them in WHERE: all(r IN relationships(p) WHERE …)",
        )
    first, last = elements[0], elements[-1]
    if first.variable is not None and last.variable is not None and first.variable.name == last.variable.name:
        c.late.append(Problem("pattern", path.start, path.end, f"{path.shortest}(…) needs two different ends"))
    if length is not None and length.minimum is not None and length.minimum > 1:
        c.problem_at("pattern", length.start + 1, length.end, f"{path.shortest}(…) takes a minimal length of 0 or 1")


def _check_juxtaposition(
    c: Checker, elements: list[tree.NodePattern | tree.RelationshipPattern | tree.ParenthesizedPath]
) -> None:
    before: tree.Node | None = None
    for element in elements:
        if isinstance(element, tree.NodePattern) and isinstance(before, tree.NodePattern):
            c.bad_pattern(
                elements[0],
                "two nodes are next to each other: connect them with a relationship, or "
                "separate the paths with a comma",
            )
            return
        if isinstance(element, tree.ParenthesizedPath) and element.quantifier is None and len(elements) > 1:
            c.bad_pattern(
                elements[-1], "a path in parentheses needs a quantifier such as {1,3} to be part of a longer path"
            )
            return
        before = element


def declare_elements(
    c: Checker,
    elements: list[tree.NodePattern | tree.RelationshipPattern | tree.ParenthesizedPath],
    where: Where,
    groups: dict[str, tree.Variable],
    singles: set[str],
) -> None:
    """Add the variables of nodes and relationships to the scope."""
    alone = len(elements) == 1
    for element in elements:
        if isinstance(element, tree.ParenthesizedPath):
            _declare_parenthesized(c, element, where, groups, singles)
            continue
        variable = element.variable
        if isinstance(element, tree.NodePattern):
            if variable is not None:
                _bind(c, variable, NODE, element, where, alone)
            continue
        if element.length is not None:
            c.lengths.append(element)
        if element.quantifier is not None:
            c.quantified = True
        if variable is not None:
            grouped = element.length is not None or element.quantifier is not None
            _bind(c, variable, _RELATIONSHIPS if grouped else RELATIONSHIP, element, where, alone)
            if element.quantifier is not None:
                groups[variable.name] = variable


def _declare_parenthesized(
    c: Checker, path: tree.ParenthesizedPath, where: Where, groups: dict[str, tree.Variable], singles: set[str]
) -> None:
    if path.quantifier is None:
        declare_elements(c, path.elements, where, groups, singles)
        if path.variable is not None:
            c.declare(path.variable, PATH)
        return
    c.quantified = True
    outer = c.scope
    c.scope = dict(outer)
    inner: list[tree.Variable] = [
        element.variable
        for element in path.elements
        if not isinstance(element, tree.ParenthesizedPath) and element.variable is not None
    ]
    if path.variable is not None:
        c.bad_pattern(path.variable, "a path inside a quantified path cannot have a name")
        inner.append(path.variable)
    for variable in inner:
        if variable.name in groups:
            c.redefined(
                path, f"`{variable.name}` already names something in another quantified path; choose another name"
            )
        elif variable.name in outer:
            c.redefined(
                path, f"`{variable.name}` is used inside and outside of a quantified path; choose another name inside"
            )
        c.scope.pop(variable.name, None)
    _check_inside(c, path)
    declare_elements(
        c, [element for element in path.elements if not isinstance(element, tree.ParenthesizedPath)], where, {}, set()
    )
    if path.variable is not None:
        c.shadow(path.variable, PATH)
    inside = c.scope
    c.inner[path] = {variable.name: inside[variable.name] for variable in inner if variable.name in inside}
    c.scope = outer
    for variable in inner:
        bound = inside.get(variable.name)
        if bound is None:
            continue
        c.scope[variable.name] = Binding(variable.name, list_of(bound.type), bound.pattern)
        groups[variable.name] = variable


def _check_inside(c: Checker, path: tree.ParenthesizedPath) -> None:
    for element in path.elements:
        if isinstance(element, tree.ParenthesizedPath):
            c.bad_pattern(element, "quantified paths cannot be nested")
        elif isinstance(element, tree.RelationshipPattern) and (
            element.length is not None or element.quantifier is not None
        ):
            c.bad_pattern(element, "a variable length is not allowed inside a quantified path")
    if not any(isinstance(element, tree.RelationshipPattern) for element in path.elements):
        c.bad_pattern(path, "a quantified path needs at least one relationship")


def _bind(
    c: Checker,
    variable: tree.Variable,
    type_: Type,
    pattern: tree.NodePattern | tree.RelationshipPattern,
    where: Where,
    alone: bool,
) -> None:
    binding = c.scope.get(variable.name)
    if binding is None:
        c.shadow(variable, type_, pattern)
        return
    c.bindings[variable] = binding
    if where in ("create", "merge", "insert"):
        word = where.upper()
        if isinstance(pattern, tree.RelationshipPattern) or alone:
            c.redefined(variable, f"`{variable.name}` already exists; {word} would create it again")
        elif pattern.labels is not None or pattern.properties is not None:
            c.redefined(
                variable,
                f"`{variable.name}` already exists, so {word} cannot give it labels or properties here; use SET",
            )
    known = binding.type
    if not known.mask & type_.mask or (
        type_.mask == LIST.mask and known.inner is not None and not known.inner.mask & RELATIONSHIP.mask
    ):
        words = {1: "a node", 2: "a relationship"}.get(type_.mask, "a list of relationships")
        c.problem(
            "variable_type",
            variable,
            f"`{variable.name}` already has the type {known}, so it cannot be {words} here; choose another name",
        )
        return
    if known.mask != type_.mask:
        binding.type = type_


def _check_path(c: Checker, path: tree.PathPattern, where: Where, created: set[str]) -> None:
    for element in path.elements:
        if isinstance(element, tree.ParenthesizedPath):
            if where in ("create", "insert") or (where == "merge" and element.quantifier is not None):
                c.bad_pattern(element, f"{where.upper()} takes plain paths only")
                continue
            with c.within(scope={**c.scope, **c.inner.get(element, {})}):
                for inner in element.elements:
                    if not isinstance(inner, tree.ParenthesizedPath):
                        _check_element(c, inner, where, created)
                if element.where is not None:
                    expressions.condition(c, element.where)
        else:
            _check_element(c, element, where, created)
    if path.selector is not None and where in ("create", "merge", "insert"):
        c.bad_pattern(path.selector, f"{where.upper()} takes plain paths only")
    if path.shortest is not None and where in ("create", "merge", "insert"):
        c.bad_pattern(path, f"{path.shortest}(…) cannot be used in {where.upper()}")


def _check_created(c: Checker, properties: tree.Expression, created: set[str], where: Where) -> None:
    for part in properties.walk():
        if isinstance(part, tree.Variable) and part.name in created:
            c.problem(
                "undefined_variable",
                part,
                f"`{part.name}` is created by this same {where.upper()}, so it has no value yet; use SET afterwards",
            )
            return


def _check_element(
    c: Checker, element: tree.NodePattern | tree.RelationshipPattern, where: Where, created: set[str]
) -> None:
    makes = ("create", "insert", "merge") if c.cypher25 else ("create", "insert")
    if element.variable is not None and where in makes:
        binding = c.bindings.get(element.variable)
        if binding is not None and binding.pattern is element:
            created.add(element.variable.name)
    if isinstance(element, tree.NodePattern):
        if element.labels is not None:
            label_expression(c, element.labels, "node")
            if where == "insert" and isinstance(element.labels, tree.LabelAnd) and element.labels.colon:
                message = "INSERT joins labels with &, not with a colon"
                c.problem_at("label_expression", element.labels.operator_starts[0], element.labels.end, message)
            if where in ("create", "merge", "insert"):
                _plain_labels(c, element.labels, where)
    else:
        _check_relationship(c, element, where)
    properties = element.properties
    if properties is not None:
        if where in makes:
            _check_created(c, properties, created, where)
        if isinstance(properties, tree.Parameter):
            if where in ("match", "optional", "merge", "exists"):
                word = "MERGE" if where == "merge" else "MATCH"
                c.bad_pattern(
                    properties, f"{word} takes no parameter in place of a map; write {{key: ${properties.name}.key}}"
                )
        else:
            with c.within(aggregates="star"):
                expressions.infer(c, properties)
    if element.where is not None:
        if where in ("create", "merge", "insert"):
            c.bad_pattern(element.where, f"{where.upper()} takes no WHERE inside a pattern")
        expressions.condition(c, element.where)


def _check_relationship(c: Checker, element: tree.RelationshipPattern, where: Where) -> None:
    types = element.types
    if where in ("create", "merge", "insert"):
        word = where.upper()
        if element.length is not None or element.quantifier is not None:
            c.bad_pattern(element, f"{word} takes no variable length")
        if not isinstance(types, tree.LabelName | tree.DynamicLabel):
            c.bad_pattern(element, f"{word} needs exactly one relationship type, such as -[:KNOWS]->")
            return
        if element.direction == "both" and where != "merge":
            c.bad_pattern(element, f"{word} needs a direction: --> or <--")
    if types is not None:
        described = element.variable is not None or element.properties is not None or element.length is not None
        if isinstance(types, tree.LabelOr) and types.colon and described:
            message = (
                "write alternative types as :A|B; the colon after | is not allowed beside a variable, properties "
                "or a length"
            )
            c.problem_at("label_expression", types.operator_starts[0], types.end, message)
        label_expression(c, types, "relationship")
    if element.length is not None:
        if types is not None:
            for part in types.walk():
                if isinstance(part, tree.LabelAnd | tree.LabelNot | tree.LabelWildcard):
                    c.problem(
                        "label_expression", part, "a relationship of variable length takes types joined by | only"
                    )
                    break
        if element.quantifier is not None:
            c.bad_pattern(element, "a length after * cannot be quantified again")
        if element.where is not None:
            c.bad_pattern(element.where, "a relationship of variable length takes no WHERE inside")


def _plain_labels(c: Checker, labels: tree.LabelExpression, where: Where) -> None:
    for part in labels.walk():
        if isinstance(part, tree.LabelOr | tree.LabelNot | tree.LabelWildcard):
            c.problem("label_expression", labels, f"{where.upper()} takes plain labels only, such as :A:B or :A&B")
            return


def label_expression(c: Checker, labels: tree.LabelExpression, kind: str) -> None:
    """Check the rules for `:`, `&`, `|`, `!` and `%` in one expression."""
    text = c.query.text
    if text[labels.start - 1] != ":" and text[: labels.start].rstrip()[-1:] not in (":", "("):
        c.modern = True
    if type(labels) is tree.LabelName:
        return
    colon: int | None = None
    symbols = False
    for part in labels.walk():
        if isinstance(part, tree.LabelAnd):
            for place in part.operator_starts:
                if text[place] != ":":
                    symbols = True
                elif colon is None or place < colon:
                    colon = place
        elif isinstance(part, tree.LabelOr):
            if part.colon and kind != "relationship":
                c.problem_at(
                    "label_expression", part.operator_starts[0], part.end, "write :A|B; a colon after | is not allowed"
                )
                return
            symbols = True
        elif isinstance(part, tree.LabelNot | tree.LabelWildcard):
            symbols = True
        elif isinstance(part, tree.DynamicLabel):
            expressions.infer(c, part.expression)
    if symbols and not (kind == "relationship" and isinstance(labels, tree.LabelOr)):
        c.modern = True
    if colon is None:
        return
    if kind != "relationship" and not symbols:
        c.colons.append(colon)
        return
    if kind == "relationship":
        c.problem_at(
            "label_expression", colon, labels.end, "a relationship has one type: combine types with |, not with a colon"
        )
    elif symbols:
        c.problem_at(
            "label_expression", colon, labels.end, "labels are joined either by colons or by & | ! %, not by both"
        )


def value(c: Checker, node: tree.PatternExpression) -> Type:
    """Check a path used as a value: outside conditions only shortestPath and allShortestPaths are allowed."""
    expression(c, node)
    if node.pattern.shortest is not None:
        return PATH if node.pattern.shortest == "shortestPath" else list_of(PATH)
    c.bad_pattern(
        node,
        "a pattern is a condition, not a value: write EXISTS { … } to test it, COUNT { … } to "
        "count it, or [pattern | value] to collect from it",
    )
    return list_of(PATH)


def expression(c: Checker, node: tree.PatternExpression) -> None:
    """Check a path in an expression, where it cannot introduce variables."""
    path = node.pattern
    if path.shortest is not None:
        _check_shortest(c, path)
    for element in path.elements:
        if isinstance(element, tree.ParenthesizedPath):
            continue
        if isinstance(element, tree.RelationshipPattern) and element.length is not None:
            c.lengths.append(element)
        variable = element.variable
        if variable is None:
            continue
        binding = c.scope.get(variable.name)
        if binding is None:
            if path.shortest is not None:
                c.undefined(variable)
            elif variable.name not in c.reported:
                c.problem(
                    "undefined_variable",
                    variable,
                    f"a pattern used as a condition cannot introduce the new variable `{variable.name}`; delete "
                    f"the variable, or write EXISTS {{ {c.query.source(path)} }}",
                )
            continue
        expected = (
            NODE
            if isinstance(element, tree.NodePattern)
            else (_RELATIONSHIPS if element.length is not None else RELATIONSHIP)
        )
        c.bindings[variable] = binding
        if not binding.type.mask & expected.mask:
            c.problem(
                "variable_type", variable, f"`{variable.name}` has the type {binding.type}, so it is not allowed here"
            )
    for element in path.elements:
        if not isinstance(element, tree.ParenthesizedPath):
            _check_element(c, element, "exists", set())


# Checks match modes and path modes, and the constructs that cannot be combined with them


def check(c: Checker, paths: list[tree.PathPattern], mode: str | None) -> None:
    """Check the paths after MATCH, `MATCH REPEATABLE ELEMENTS` or `MATCH DIFFERENT RELATIONSHIPS`."""
    written = [path.selector.mode if path.selector is not None else None for path in paths]
    if any(written):
        for path, path_mode in zip(paths, written, strict=True):
            if (path_mode or "WALK") != (written[0] or "WALK"):
                c.bad_pattern(path, "the paths of one MATCH must have the same mode; use two MATCH clauses")
            if path_mode is not None and any(
                isinstance(element, tree.RelationshipPattern) and element.length is not None
                for element in path.elements
            ):
                c.bad_pattern(path, f"{path_mode} takes quantifiers such as -->{{1,3}}, not lengths such as -[*1..3]->")
    if mode is None:
        return
    for path, path_mode in zip(paths, written, strict=True):
        if mode == "REPEATABLE ELEMENTS" and path_mode in ("TRAIL", "ACYCLIC"):
            c.bad_pattern(path, f"{mode} cannot be combined with {path_mode}")
        if path.shortest is not None:
            c.bad_pattern(path, f"{path.shortest}(…) cannot follow {mode}; write SHORTEST")
        elif mode == "REPEATABLE ELEMENTS":
            for element in path.elements:
                quantifier = getattr(element, "quantifier", None)
                length = getattr(element, "length", None)
                if (quantifier is not None and quantifier.maximum is None) or (
                    length is not None and length.maximum is None
                ):
                    c.bad_pattern(
                        element,
                        "with REPEATABLE ELEMENTS a path of any length may return endless "
                        "rows; give its length an upper bound, such as {1,5}",
                    )
                    break


# Checks Cypher 25's SEARCH, which finds one node or relationship of a pattern by a vector or full-text index


_NUMBERS = list_of(NUMBER)
_COMPARISONS = frozenset({"=", "<", "<=", ">", ">="})


def search(c: Checker, clause: tree.Match, node: tree.Search) -> None:
    """Check a SEARCH and declare its score; the patterns of its MATCH are already in scope."""
    name = node.variable.name
    found = c.use(node.variable)
    own = {
        part.variable.name
        for path in clause.patterns
        for part in path.walk()
        if isinstance(part, tree.NodePattern | tree.RelationshipPattern) and part.variable is not None
    }
    if name in c.scope:
        if name not in own:
            c.bad_pattern(node.variable, f"`{name}` must be a variable of the pattern before SEARCH")
        else:
            c.expect(node.variable, found, ENTITY, "a node or a relationship")
            _check_pattern(c, clause, node, own)
    _check_wanted(c, node)
    if node.where is not None:
        for part in tree.conjuncts(node.where):
            _check_filter(c, part, name)
        expressions.condition(c, node.where)
    if node.skip is not None:
        if node.kind == "VECTOR":
            c.misplaced(node.skip, "SKIP cannot be combined with a VECTOR INDEX; request more rows with LIMIT")
        clauses.row_count(c, node.skip, "SKIP")
    clauses.row_count(c, node.limit, "LIMIT")
    if node.score is not None:
        c.declare(node.score, FLOAT)


def _check_pattern(c: Checker, clause: tree.Match, node: tree.Search, own: set[str]) -> None:
    if len(own) > 1:
        c.bad_pattern(
            node,
            f"a MATCH with SEARCH may contain only the variable `{node.variable.name}`, but this MATCH contains "
            f"{', '.join(f'`{name}`' for name in sorted(own))}; match the other variables in a separate MATCH",
        )
        return
    path = clause.patterns[0]
    selective = path.shortest is not None or (path.selector is not None and path.selector.kind != "all")
    long = any(
        isinstance(element, tree.ParenthesizedPath)
        or (isinstance(element, tree.RelationshipPattern) and (element.length or element.quantifier) is not None)
        for element in path.elements
    )
    if len(clause.patterns) > 1 or selective or long or len(path.elements) > 3:
        c.bad_pattern(
            node,
            "a MATCH with SEARCH takes a single node, or a single relationship of length one, without SHORTEST or ANY",
        )


def _check_wanted(c: Checker, node: tree.Search) -> None:
    found = expressions.infer(c, node.query)
    if node.kind == "FULLTEXT":
        c.expect(node.query, found, STRING)
    else:
        if _names(node.query, node.variable.name):
            c.bad_pattern(
                node.query,
                f"the vector to search for cannot come from `{node.variable.name}`, the variable of this SEARCH",
            )
        if found.mask != VECTOR.mask:
            c.expect(node.query, found, _NUMBERS, "a vector or a list of numbers")
    if node.analyzer is not None:
        c.expect(node.analyzer, expressions.infer(c, node.analyzer), STRING)


def _names(node: tree.Node, name: str) -> bool:
    return any(variable.name == name for variable in node.find(tree.Variable))


def _check_filter(c: Checker, node: tree.Expression, name: str) -> None:
    """Check the filter: with the index, Neo4j can only compare properties of the searched variable with values."""
    sides: list[tree.Expression] = []
    if isinstance(node, tree.ComparisonChain) and set(node.operators) <= _COMPARISONS:
        sides = node.operands
    elif isinstance(node, tree.Binary) and node.operator in (*_COMPARISONS, "IN"):
        sides = [node.left] if node.operator == "IN" else [node.left, node.right]
    elif isinstance(node, tree.IsNull):
        sides = [node.operand]
    properties = [
        side
        for side in sides
        if isinstance(side, tree.Property) and isinstance(side.subject, tree.Variable) and side.subject.name == name
    ]
    if not properties:
        c.bad_pattern(
            node,
            f"SEARCH filters by `{name}.property` compared with =, <, <=, >, >=, IN or IS "
            "NULL, joined by AND; put other conditions into a WHERE after it",
        )
    elif any(_names(child, name) for child in node.children() if child is not properties[0]):
        c.bad_pattern(
            node, f"`{name}.{properties[0].key.text}` cannot be compared with a value that comes from `{name}`"
        )
