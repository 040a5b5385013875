"""Prints paths and labels."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.printer import expressions
from graphground.cypher.printer.names import name

_SELECTORS = {
    "any": "ANY{}",
    "all": "ALL",
    "shortest": "SHORTEST{}",
    "all_shortest": "ALL SHORTEST",
    "any_shortest": "ANY SHORTEST",
    "shortest_groups": "SHORTEST{} GROUPS",
}


def path(node: tree.PathPattern) -> str:
    """Print a path: `p = (a)-[:KNOWS]->(b)`."""
    text = _elements(node.elements)
    if node.shortest is not None:
        text = f"{node.shortest}({text})"
    if node.selector is not None:
        count = f" {expressions.expression(node.selector.count)}" if node.selector.count is not None else ""
        selector = _SELECTORS[node.selector.kind].format(count)
        if node.selector.mode is not None:
            words, groups, _ = selector.partition(" GROUPS")
            selector = f"{words} {node.selector.mode}{groups}"
        text = f"{selector} {text}"
    return f"{name(node.variable.name)} = {text}" if node.variable is not None else text


def _elements(elements: list[tree.NodePattern | tree.RelationshipPattern | tree.ParenthesizedPath]) -> str:
    parts: list[str] = []
    before: tree.Node | None = None
    for element in elements:
        if isinstance(element, tree.NodePattern):
            grouped = bool(parts) and not isinstance(before, tree.RelationshipPattern)
            parts.append((" " if grouped else "") + _node(element))
        elif isinstance(element, tree.RelationshipPattern):
            parts.append(relationship(element))
        else:
            variable = f"{name(element.variable.name)} = " if element.variable is not None else ""
            inner = f"({variable}{_elements(element.elements)}{expressions.where(element.where)})"
            parts.append((" " if parts else "") + inner + _quantifier(element.quantifier))
        before = element
    return "".join(parts)


def _node(node: tree.NodePattern) -> str:
    return f"({_filling(node.variable, node.labels, '', node.properties, node.where)})"


def _filling(
    variable: tree.Variable | None,
    types: tree.LabelExpression | None,
    length: str,
    properties: tree.Expression | None,
    where: tree.Expression | None,
) -> str:
    text = name(variable.name) if variable is not None else ""
    if types is not None:
        text += f":{labels(types)}"
    text += length
    if properties is not None:
        text += (" " if text else "") + expressions.expression(properties)
    if where is not None:
        text += expressions.where(where)[0 if text else 1 :]
    return text


def relationship(node: tree.RelationshipPattern) -> str:
    """Print a relationship: `<-[r:KNOWS {since: 1999}]-{1,3}`."""
    inner = _filling(node.variable, node.types, _length(node.length), node.properties, node.where)
    middle = f"-[{inner}]-" if inner else "--"
    return (
        f"{'<' if node.direction == 'left' else ''}{middle}{'>' if node.direction == 'right' else ''}"
        f"{_quantifier(node.quantifier)}"
    )


def _length(node: tree.PathLength | None) -> str:
    if node is None:
        return ""
    if node.minimum is not None and node.minimum == node.maximum:
        return f"*{node.minimum}"
    if node.minimum is None and node.maximum is None:
        return "*"
    return f"*{'' if node.minimum is None else node.minimum}..{'' if node.maximum is None else node.maximum}"


def _quantifier(node: tree.PathQuantifier | None) -> str:
    if node is None:
        return ""
    if node.maximum is None:
        return "*" if node.minimum == 0 else "+" if node.minimum == 1 else f"{{{node.minimum},}}"
    return f"{{{node.minimum}}}" if node.minimum == node.maximum else f"{{{node.minimum},{node.maximum}}}"


def labels(node: tree.LabelExpression, inner: bool = False) -> str:
    """Print a label expression: `Person`, `A|B`, `!(A&B)`."""
    if isinstance(node, tree.LabelName):
        return name(node.name.text)
    if isinstance(node, tree.LabelWildcard):
        return "%"
    if isinstance(node, tree.LabelNot):
        return f"!{labels(node.operand, True)}"
    if isinstance(node, tree.DynamicLabel):
        return f"${node.kind}({expressions.expression(node.expression)})"
    assert isinstance(node, tree.LabelAnd | tree.LabelOr)
    joint = ("|:" if node.colon else "|") if isinstance(node, tree.LabelOr) else ":" if node.colon else "&"
    text = joint.join(
        labels(operand, not (isinstance(node, tree.LabelOr) and isinstance(operand, tree.LabelAnd)))
        for operand in node.operands
    )
    return f"({text})" if inner else text
