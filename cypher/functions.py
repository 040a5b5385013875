"""The standard functions of Neo4j 5.26 and of Cypher 25: their arguments and results.

    >>> FUNCTIONS["left"].arguments, FUNCTIONS["left"].required
    ((Type(String), Type(Integer)), 2)
    >>> FUNCTIONS["count"].aggregating, FUNCTIONS["tointeger"].name
    (True, 'toInteger')

The table is the only place where functions are listed. A line holds the name, the arguments (`?` before optional ones),
`->`, and the result. Letters stand for types: A any type, V vector, N node, R relationship, P path, B Boolean, I
Integer, F Float (accepts an Integer), S String, O Point, D Date, T Time, t LocalTime, d LocalDateTime, Z DateTime, U
Duration, M Map (accepts a node or relationship), L list, Ls list of strings, and so on. `=` is the type of the first
argument, `[=` a list of it, `e` its elements, `|` the union of all arguments' types, `*` any number of arguments. `@`
marks aggregating functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from graphground.cypher import tree
from graphground.cypher.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INTEGER,
    LIST,
    LOCALDATETIME,
    LOCALTIME,
    MAP,
    NODE,
    PATH,
    POINT,
    RELATIONSHIP,
    STRING,
    TIME,
    Type,
    list_of,
)

VECTOR = Type(0)
"""The type of vectors. It has no bit in the mask, so a value of any other known type never counts as a vector."""

_TABLE = """
abs FI -> FI
acos F -> F
asin F -> F
atan F -> F
atan2 F F -> F
avg FIU -> FIU @
btrim S ?S -> S
ceil F -> F
char_length S -> I
character_length S -> I
coalesce *A -> |
collect A -> [= @
cos F -> F
cot F -> F
count A -> I @
date ?A -> D
date.realtime ?A -> D
date.statement ?A -> D
date.transaction ?A -> D
date.truncate S ?A ?M -> D
datetime ?A -> Z
datetime.fromepoch F F -> Z
datetime.fromepochmillis F -> Z
datetime.realtime ?A -> Z
datetime.statement ?A -> Z
datetime.transaction ?A -> Z
datetime.truncate S ?A ?M -> Z
degrees F -> F
duration A -> U
duration.between A A -> U
duration.inDays A A -> U
duration.inMonths A A -> U
duration.inSeconds A A -> U
e -> F
elementId NR -> S
endNode R -> N
exists A -> B
exp F -> F
file -> S
floor F -> F
graph.byElementId S -> A
graph.byName S -> A
haversin F -> F
head L -> e
id NR -> I
isEmpty SML -> B
isNaN FI -> B
keys NRM -> Ls
labels N -> Ls
last L -> e
left S I -> S
length P -> I
linenumber -> I
localdatetime ?A -> d
localdatetime.realtime ?A -> d
localdatetime.statement ?A -> d
localdatetime.transaction ?A -> d
localdatetime.truncate S ?A ?M -> d
localtime ?A -> t
localtime.realtime ?A -> t
localtime.statement ?A -> t
localtime.transaction ?A -> t
localtime.truncate S ?A ?M -> t
log F -> F
log10 F -> F
lower S -> S
ltrim S ?S -> S
max A -> = @
min A -> = @
nodes P -> Ln
normalize S ?S -> S
nullIf A A -> A
percentileCont F F -> F @
percentileDisc FI F -> FI @
pi -> F
point M -> O
point.distance A A -> F
point.withinBBox A A A -> B
properties NRM -> M
radians F -> F
rand -> F
randomUUID -> S
range I I ?I -> Li
relationships P -> Lr
replace S S S -> S
reverse SL -> =
right S I -> S
round F ?F ?S -> F
rtrim S ?S -> S
sign FI -> I
sin F -> F
size SL -> I
split S SLs -> Ls
sqrt F -> F
startNode R -> N
stDev F -> F @
stDevP F -> F @
substring S I ?I -> S
sum FIU -> FIU @
tail L -> =
tan F -> F
time ?A -> T
time.realtime ?A -> T
time.statement ?A -> T
time.transaction ?A -> T
time.truncate S ?A ?M -> T
timestamp ?A -> A
toBoolean BIS -> B
toBooleanList L -> Lb
toBooleanOrNull A -> B
toFloat FIS -> F
toFloatList L -> Lf
toFloatOrNull A -> F
toInteger BFISL -> I
toIntegerList L -> Li
toIntegerOrNull A -> I
toLower S -> S
toString BFISODTtdZU -> S
toStringList L -> Ls
toStringOrNull A -> S
toUpper S -> S
trim S ?S ?S -> S
type R -> S
upper S -> S
valueType A -> S
vector.similarity.cosine Lf Lf -> F
vector.similarity.euclidean Lf Lf -> F
"""

_CYPHER25_TABLE = """
ceiling F -> F
collect_list A -> [= @
coll.distinct L -> L
coll.flatten L ?I -> L
coll.indexOf L A -> I
coll.insert L I A -> L
coll.max L -> A
coll.min L -> A
coll.remove L I -> L
coll.sort L -> L
cosh F -> F
coth F -> F
date ?A ?S -> D
datetime ?A ?S -> Z
duration A ?S -> U
ln F -> F
local_datetime ?A ?S -> d
local_time ?A ?S -> t
localdatetime ?A ?S -> d
localtime ?A ?S -> t
path_length P -> I
percentile_cont F F -> F @
percentile_disc FI F -> = @
sinh F -> F
stdev_pop F -> F @
stdev_samp F -> F @
string.indexOf S S -> I
string.join Ls S -> S
string.regexReplace S S S -> S
tanh F -> F
time ?A ?S -> T
cardinality MLP -> I
duration_between A A -> U
zoned_datetime ?A ?S -> Z
zoned_time ?A ?S -> T
format DTtdZU ?S -> S
uuid ?SI ?I -> A
uuid.leastSignificantBits A -> I
uuid.mostSignificantBits A -> I
vector SL FI A -> A
vector_dimension_count V -> I
vector_distance V V A -> F
vector_norm V A -> F
"""

_LETTERS: dict[str, Type] = {
    "A": ANY,
    "N": NODE,
    "R": RELATIONSHIP,
    "P": PATH,
    "B": BOOLEAN,
    "I": INTEGER,
    "F": FLOAT,
    "S": STRING,
    "O": POINT,
    "V": VECTOR,
    "D": DATE,
    "T": TIME,
    "t": LOCALTIME,
    "d": LOCALDATETIME,
    "Z": DATETIME,
    "U": DURATION,
    "M": MAP,
    "L": LIST,
    "Ls": list_of(STRING),
    "Li": list_of(INTEGER),
    "Lf": list_of(FLOAT),
    "Lb": list_of(BOOLEAN),
    "Ln": list_of(NODE),
    "Lr": list_of(RELATIONSHIP),
}

RENAMED = {
    "distance": "point.distance",
    "rels": "relationships",
    "filter": "",
    "extract": "",
    "toint": "toInteger",
    "average": "avg",
    "len": "size",
    "lcase": "toLower",
    "ucase": "toUpper",
    "now": "datetime",
    "ifnull": "coalesce",
    "isnull": "coalesce",
    "nvl": "coalesce",
    "substr": "substring",
    "group_concat": "collect",
    "array_agg": "collect",
    "current_timestamp": "datetime",
    "today": "date",
    "concat": "",
    "cast": "",
    "year": "",
    "month": "",
    "day": "",
    "unpack": "",
    "length_of": "size",
    "tonumber": "toFloat",
    "str": "toString",
    "int": "toInteger",
    "stddev": "stDev",
    "mean": "avg",
}
"""Functions of other dialects, each with its name in Cypher; an empty name means that Cypher uses another construct."""


class Function(NamedTuple):
    """One function: `left(original :: STRING, length :: INTEGER)` has two required arguments.

    `result` is a type, or a word for a type that depends on the arguments: `same`, `list`, `element`, `union`.
    """

    name: str
    arguments: tuple[Type, ...]
    required: int
    result: Type | str
    aggregating: bool
    repeated: bool


def _read(table: str) -> dict[str, Function]:
    found: dict[str, Function] = {}
    for line in table.split("\n"):
        words = line.split()
        if not words:
            continue
        arrow = words.index("->")
        required = 0
        arguments: list[Type] = []
        repeated = False
        for word in words[1:arrow]:
            if word[0] == "*":
                repeated = True
            elif word[0] != "?":
                required += 1
            arguments.append(type_of_letters(word.lstrip("?*")))
        result = words[arrow + 1]
        special = {"=": "same", "[=": "list", "e": "element", "|": "union"}.get(result)
        found[words[0].lower()] = Function(
            words[0],
            tuple(arguments),
            max(required, int(repeated)),
            special or type_of_letters(result),
            words[-1] == "@",
            repeated,
        )
    return found


def type_of_letters(letters: str) -> Type:
    """Return the type for letters of the table: `SL` is a string or a list."""
    found: Type | None = None
    place = 0
    while place < len(letters):
        size = 2 if letters[place] == "L" and letters[place + 1 : place + 2].islower() else 1
        type_ = _LETTERS[letters[place : place + size]]
        found = type_ if found is None else found | type_
        place += size
    return found or ANY


FUNCTIONS: dict[str, Function] = _read(_TABLE)
CYPHER25_FUNCTIONS: dict[str, Function] = _read(_CYPHER25_TABLE)
AGGREGATES = frozenset(key for table in (FUNCTIONS, CYPHER25_FUNCTIONS) for key in table if table[key].aggregating)
"""The aggregating functions, in lower case."""


def is_aggregate(node: tree.Node) -> bool:
    """Return whether a node itself is an aggregate: `count(*)`, `collect(n)`, `percentileCont(n.age, 0.5)`."""
    if isinstance(node, tree.FunctionCall):
        return node.key in AGGREGATES
    return isinstance(node, tree.CountStar)


def aggregates_in(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the aggregates in an expression, except those in a subquery: `count(n)` in `1 + count(n)`."""
    if is_aggregate(node):
        yield node
    if not isinstance(node, tree.Subquery):
        for child in node.children():
            yield from aggregates_in(child)


def contains_aggregate(node: tree.Node) -> bool:
    """Return whether an expression contains an aggregate outside subqueries: `count(*) + 1`."""
    return next(aggregates_in(node), None) is not None


def groups_rows(projection: tree.Projection) -> bool:
    """Return whether a WITH or RETURN groups its rows, because one of its items contains an aggregate."""
    return any(contains_aggregate(item.expression) for item in projection.items)


# The built-in procedures of Neo4j 5.26: their arguments, columns and access modes


_PROCEDURE_TABLE = """
db.awaitIndex 1-2 read
db.awaitIndexes 0-1 read
db.clearQueryCaches 0-0 dbms value:S
db.create.setNodeVectorProperty 3-3 write
db.create.setRelationshipVectorProperty 3-3 write
db.create.setVectorProperty 3-3 write node:N
db.createLabel 1-1 write
db.createProperty 1-1 write
db.createRelationshipType 1-1 write
db.index.fulltext.awaitEventuallyConsistentIndexRefresh 0-0 read
db.index.fulltext.listAvailableAnalyzers 0-0 read analyzer:S description:S stopwords:Ls
db.index.fulltext.queryNodes 2-3 read node:N score:F
db.index.fulltext.queryRelationships 2-3 read relationship:R score:F
db.index.vector.createNodeIndex 5-5 schema
db.index.vector.queryNodes 3-3 read node:N score:F
db.index.vector.queryRelationships 3-3 read relationship:R score:F
db.info 0-0 read id:S name:S creationDate:S
db.labels 0-0 read label:S
db.ping 0-0 read success:B
db.prepareForReplanning 0-1 read
db.propertyKeys 0-0 read propertyKey:S
db.relationshipTypes 0-0 read relationshipType:S
db.resampleIndex 1-1 read
db.resampleOutdatedIndexes 0-0 read
db.schema.nodeTypeProperties 0-0 read nodeType:S nodeLabels:Ls propertyName:S propertyTypes:Ls mandatory:B
db.schema.relTypeProperties 0-0 read relType:S propertyName:S propertyTypes:Ls mandatory:B
db.schema.visualization 0-0 read nodes:Ln relationships:Lr
db.stats.clear 1-1 read section:S success:B message:S
db.stats.collect 1-2 read section:S success:B message:S
db.stats.retrieve 1-2 read section:S data:M
db.stats.retrieveAllAnonymized 1-2 read section:S data:M
db.stats.status 0-0 read section:S status:S data:M
db.stats.stop 1-1 read section:S success:B message:S
dbms.cluster.routing.getRoutingTable 1-2 dbms ttl:I servers:L
dbms.components 0-0 dbms name:S versions:Ls edition:S
dbms.info 0-0 dbms id:S name:S creationDate:S
dbms.killConnection 1-1 dbms connectionId:S username:S message:S
dbms.killConnections 1-1 dbms connectionId:S username:S message:S
dbms.listCapabilities 0-0 dbms name:S description:S value:A
dbms.listConfig 0-1 dbms name:S description:S value:S dynamic:B defaultValue:S startupValue:S
    explicitlySet:B validValues:S
dbms.listConnections 0-0 dbms connectionId:S connectTime:S connector:S username:S userAgent:S
    serverAddress:S clientAddress:S
dbms.queryJmx 1-1 dbms name:S description:S attributes:M
dbms.routing.getRoutingTable 1-2 dbms ttl:I servers:L
dbms.showCurrentUser 0-0 dbms username:S roles:Ls flags:Ls
dbms.upgrade 0-0 write status:S upgradeResult:S
dbms.upgradeStatus 0-0 read status:S description:S resolution:S
tx.getMetaData 0-0 dbms metadata:M
tx.setMetaData 1-1 dbms
"""


class Procedure(NamedTuple):
    """A procedure: `db.labels` has no arguments and yields the column `label`."""

    required: int
    most: int
    mode: str
    columns: Mapping[str, Type]


def _read_procedures(table: str) -> dict[str, Procedure]:
    found: dict[str, Procedure] = {}
    for line in table.replace("\n    ", " ").split("\n"):
        if line:
            name, counts, mode, *columns = line.split()
            least, _, most = counts.partition("-")
            pairs = (column.split(":") for column in columns)
            found[name] = Procedure(
                int(least), int(most), mode, {column: type_of_letters(letters) for column, letters in pairs}
            )
    return found


PROCEDURES: dict[str, Procedure] = _read_procedures(_PROCEDURE_TABLE)
