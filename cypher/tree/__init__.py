"""The tree of a query: one class per kind of clause, pattern and expression.

    >>> from graphground.cypher import parse
    >>> query = parse("MATCH (n:Person)-[:KNOWS]->(m) WHERE n.age > 3 RETURN m.name AS name")
    >>> match, returned = query.body.clauses
    >>> type(match).__name__, match.patterns[0].elements[0].labels.name.text
    ('Match', 'Person')
    >>> query.source(match.where), query.position(match.where.start)
    ('n.age > 3', (1, 37))
    >>> sorted({variable.name for variable in query.find(Variable)})
    ['m', 'n', 'name']

Every node has `start` and `end`, offsets into the text; `Query.position` makes a line and a column of an offset.
`children`, `walk`, `find` and `shape` work on every node. Fields are typed; lists are plain lists.
"""

from graphground.cypher.tree.clauses import (
    CallProcedure,
    CallSubquery,
    Clause,
    Create,
    Delete,
    Filter,
    Finish,
    Foreach,
    IndexHint,
    InTransactions,
    Let,
    LetItem,
    LoadCsv,
    Match,
    Merge,
    MergeAction,
    OrderAndPage,
    Projection,
    Remove,
    RemoveLabels,
    RemoveProperty,
    Return,
    ReturnItem,
    Search,
    Set,
    SetItem,
    SetLabels,
    SetProperties,
    SetProperty,
    SortItem,
    Unwind,
    Use,
    With,
    YieldItem,
)
from graphground.cypher.tree.expressions import (
    AllReduce,
    Binary,
    BooleanLiteral,
    Case,
    CaseComparison,
    ComparisonChain,
    CountStar,
    Expression,
    FloatLiteral,
    FunctionCall,
    HasLabels,
    IntegerLiteral,
    IsNormalized,
    IsNull,
    IsTyped,
    ListComprehension,
    ListLiteral,
    ListPredicate,
    MapEntry,
    MapLiteral,
    MapProjection,
    NullLiteral,
    Parameter,
    PatternComprehension,
    PatternExpression,
    ProjectedAll,
    ProjectedEntry,
    ProjectedProperty,
    ProjectedVariable,
    ProjectionItem,
    Property,
    Reduce,
    Slice,
    StringLiteral,
    Subquery,
    Subscript,
    Unary,
    Variable,
    WhenThen,
)
from graphground.cypher.tree.node import Name, Node, altered
from graphground.cypher.tree.patterns import (
    Direction,
    DynamicLabel,
    LabelAnd,
    LabelExpression,
    LabelName,
    LabelNot,
    LabelOr,
    LabelWildcard,
    NodePattern,
    ParenthesizedPath,
    PathLength,
    PathPattern,
    PathQuantifier,
    PathSelector,
    RelationshipPattern,
)
from graphground.cypher.tree.queries import (
    Braced,
    Command,
    Conditional,
    Next,
    Query,
    QueryBody,
    SingleQuery,
    Union,
    When,
)

__all__ = [
    "AllReduce", "Binary", "BooleanLiteral", "Braced", "CallProcedure", "CallSubquery", "Case", "CaseComparison",
    "Clause", "Command", "ComparisonChain", "Conditional", "CountStar", "Create", "Delete", "Direction",
    "DynamicLabel", "Expression", "Filter", "Finish", "FloatLiteral", "Foreach", "FunctionCall", "HasLabels",
    "InTransactions", "IndexHint", "IntegerLiteral", "IsNormalized", "IsNull", "IsTyped", "LabelAnd",
    "LabelExpression", "LabelName", "LabelNot", "LabelOr", "LabelWildcard", "Let", "LetItem", "ListComprehension",
    "ListLiteral", "ListPredicate", "LoadCsv", "MapEntry", "MapLiteral", "MapProjection", "Match", "Merge",
    "MergeAction", "Name", "Next", "Node", "NodePattern", "NullLiteral", "OrderAndPage", "Parameter",
    "ParenthesizedPath", "PathLength", "PathPattern", "PathQuantifier", "PathSelector", "PatternComprehension",
    "PatternExpression", "ProjectedAll", "ProjectedEntry", "ProjectedProperty", "ProjectedVariable", "Projection",
    "ProjectionItem", "Property", "Query", "QueryBody", "Reduce", "RelationshipPattern", "Remove", "RemoveLabels",
    "RemoveProperty", "Return", "ReturnItem", "Search", "Set", "SetItem", "SetLabels", "SetProperties", "SetProperty",
    "SingleQuery", "Slice", "SortItem", "StringLiteral", "Subquery", "Subscript", "Unary", "Union", "Unwind", "Use",
    "Variable", "When", "WhenThen", "With", "YieldItem", "altered",
]
