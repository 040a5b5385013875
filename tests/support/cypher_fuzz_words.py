"""The names, functions, operators and tokens from which random queries are made: see `cypher_fuzz`."""

LABELS = ["A", "B", "Person", "`a b`"]
TYPES = ["R", "S", "KNOWS"]
KEYS = ["x", "y", "name", "`a b`"]
FUNCTIONS = [
    ("toUpper", 1),
    ("size", 1),
    ("abs", 1),
    ("toString", 1),
    ("toInteger", 1),
    ("coalesce", 2),
    ("head", 1),
    ("keys", 1),
    ("labels", 1),
    ("type", 1),
    ("nodes", 1),
    ("length", 1),
    ("range", 2),
    ("substring", 2),
    ("split", 2),
    ("date", 1),
    ("duration", 1),
    ("id", 1),
    ("elementId", 1),
    ("reverse", 1),
    ("round", 2),
    ("exists", 1),
    ("properties", 1),
    ("startNode", 1),
    ("rand", 0),
    ("isEmpty", 1),
    ("point", 1),
    ("datetime", 0),
    ("tail", 1),
    ("left", 2),
    ("replace", 3),
    ("nullIf", 2),
    ("trim", 1),
    ("last", 1),
    ("relationships", 1),
    ("valueType", 1),
    ("toFloat", 1),
    ("sqrt", 1),
    ("sign", 1),
    ("toBoolean", 1),
]
AGGREGATES = ["count", "collect", "sum", "min", "max", "avg", "stDev"]
LEAVES = {
    "i": ["1", "2.5", "-3", "0x1F", "1e3", "$p", "null"],
    "s": ["'a'", "'b'", '"c"', "$p", "null"],
    "b": ["true", "false", "$p", "null"],
    "l": ["[1, 2]", "[]", "['a']", "$p", "[null]"],
    "m": ["{x: 1}", "$p", "{}"],
    "d": ["date()", "duration('P1D')", "datetime()"],
    "any": ["1", "'a'", "true", "null", "$p", "[1, 2]", "{x: 1}", "date()", "duration('P1D')"],
}
OPERATORS = [
    "+", "-", "*", "/", "%", "^", "=", "<>", "<", ">", "<=", ">=", "AND", "OR", "XOR", "IN", "STARTS WITH",
    "ENDS WITH", "CONTAINS", "=~", "||",
]  # fmt: skip
POOL = [
    "MATCH", "RETURN", "WITH", "WHERE", "UNWIND", "AS", "ORDER BY", "LIMIT", "SKIP", "UNION", "OPTIONAL", "CALL", "{",
    "}", "(", ")", "[", "]", ",", ".", ":", "|", "-", ">", "<", "=", "*", "+", "$", "1", "'a'", "2.5", "null", "true",
    "n", "m", "r", "a", "x", "count(*)", "collect(n)", "DISTINCT", "NOT", "IS NULL", "CASE", "WHEN", "END", "EXISTS",
    "COUNT", "n.x", "A", "R", "..", "CREATE", "SET", "DELETE", "MERGE", "date()", "&", "!", "%", "IN", "AND",
    "size(n)", "[1, 2]", "{x: 1}", "(n)-->()", "shortestPath", "FOREACH", "YIELD", "USING", "::",
]  # fmt: skip
