"""The procedures and functions that a read-only query may call, with the reason for each.

The list is short on purpose. A function is on it only if its time and its memory are certainly bounded by the size of
its arguments, whatever they contain: one pass over each argument, a look-up by a string, or a sort. Java interrupts no
function, so a longer one runs past every time limit. Each entry was reviewed in the source code of APOC Core 5.26 or in
the manuals of Neo4j 5.26 and Graph Data Science. An entry builds no Cypher, opens no file or address, and lists no
settings or users. The following, among others, are left out:

- Regular expressions, whose time may grow exponentially: `apoc.text.regexGroups`, `regexGroupsByName`, `replace`,
  `regreplace`, `split`, `slug`, `clean`, `compareCleaned`, `camelCase`, `snakeCase`, `apoc.data.url`.
- Paths and recursion: `apoc.json.path`, the path of `apoc.convert.fromJsonList` and `fromJsonMap`,
  `apoc.convert.getJsonProperty*`, `apoc.map.flatten`, `unflatten`, `updateTree`, `clean`, `apoc.coll.flatten`,
  `apoc.diff.nodes`, `apoc.hashing.*`.
- Each element against each other: `apoc.text.distance`, `levenshtein*`, `fuzzyMatch`, `jaroWinklerDistance`,
  `sorensenDiceSimilarity`, `indexesOf`, `apoc.coll.subtract`, `removeAll`, `disjunction`, `containsAllSorted`,
  `frequencies`, `apoc.map.removeKeys`, `groupBy*`. Two texts of a million characters take minutes.
- Hash tables of any values, `apoc.coll.toSet`, `union`, `intersection`, `contains`, `duplicates`: a query can make a
  million lists with the same hash (`[i, 40000000 - 31 * i]`), and then each is compared with all others.
- Repetition and padding, which turn a small input into a large output: `apoc.coll.fill`, `combinations`, `randomItems`,
  `apoc.text.repeat`, `lpad`, `rpad`, `random`, `join` (a long delimiter), `format` (`%999999999d`),
  `apoc.number.arabicToRoman`, `apoc.number.exact.*` (`1e999999999`), `apoc.util.decompress`.
- `apoc.agg.*` keep the values of a group in memory that a transaction's memory limit does not count.
- `apoc.search.*` paste a property name into a query. `apoc.cypher.*`, `apoc.meta.*.of` and `apoc.graph.*` run a string
  as Cypher. `apoc.coll.min`, `apoc.coll.max`, `apoc.any.isDeleted` and `apoc.help` run a fixed query.
- `apoc.neighbors.*` build a list as long as the given distance, or count up to the distance, even if it is two billion,
  and ignore the time limit.
- `apoc.xml.parse` uses a parser that can open addresses. `apoc.util.sleep` and `db.awaitIndexes` only wait.
"""

from __future__ import annotations

from collections.abc import Mapping

# fmt: off
PROCEDURE_REASONS: Mapping[str, str] = {
    "Lists names from the schema store; takes no argument.":
        "db.labels db.relationshipTypes db.propertyKeys db.schema.nodeTypeProperties db.schema.relTypeProperties "
        "db.schema.visualization",
    "Describes the database or its text analyzers, or tests the connection; takes no argument.":
        "db.info db.ping db.index.fulltext.listAvailableAnalyzers",
    "Queries an index by name; the query is Lucene text or a vector, never Cypher.":
        "db.index.fulltext.queryNodes db.index.fulltext.queryRelationships db.index.vector.queryNodes "
        "db.index.vector.queryRelationships",
    "Samples or counts nodes and relationships through the kernel; its settings are numbers, labels and types.":
        "apoc.meta.data apoc.meta.graph apoc.meta.nodeTypeProperties apoc.meta.relTypeProperties apoc.meta.schema "
        "apoc.meta.stats apoc.meta.subGraph",
    "Walks the graph from given nodes, streaming, under the transaction's time limit; the filters are lists of types and "
    "labels in APOC's filter syntax.":
        "apoc.algo.allSimplePaths apoc.algo.aStar apoc.algo.dijkstra apoc.path.expand apoc.path.expandConfig "
        "apoc.path.spanningTree apoc.path.subgraphAll apoc.path.subgraphNodes",
}
# fmt: on
"""The allowed procedures, separated by spaces, keyed by the reason for allowing them."""

# fmt: off
FUNCTION_REASONS: Mapping[str, str] = {
    "Reads properties, labels, types, degrees or ends of the given node or relationship.":
        "apoc.any.properties apoc.any.property apoc.label.exists apoc.node.degree apoc.node.degree.in "
        "apoc.node.degree.out apoc.node.id apoc.node.labels apoc.node.relationship.exists "
        "apoc.node.relationship.types apoc.node.relationships.exist apoc.nodes.connected "
        "apoc.nodes.relationship.types apoc.nodes.relationships.exist apoc.rel.endNode apoc.rel.id "
        "apoc.rel.startNode apoc.rel.type",
    "Computes with numbers, or reads a number from a text.":
        "apoc.bitwise.op apoc.math.cosh apoc.math.coth apoc.math.csch apoc.math.maxByte apoc.math.maxDouble "
        "apoc.math.maxInt apoc.math.maxLong apoc.math.minByte apoc.math.minDouble apoc.math.minInt apoc.math.minLong "
        "apoc.math.sech apoc.math.sigmoid apoc.math.sigmoidPrime apoc.math.sinh apoc.math.tanh apoc.number.format "
        "apoc.number.parseFloat apoc.number.parseInt",
    "Compares two lists in one pass.":
        "gds.similarity.cosine gds.similarity.euclidean gds.similarity.euclideanDistance gds.similarity.jaccard "
        "gds.similarity.overlap gds.similarity.pearson",
    "Passes over a list once, or sorts it.":
        "apoc.coll.avg apoc.coll.indexOf apoc.coll.occurrences apoc.coll.pairs apoc.coll.pairsMin apoc.coll.sort "
        "apoc.coll.sum apoc.coll.unionAll apoc.coll.zip",
    "Builds a map, or reads one, with one look-up for each key.":
        "apoc.map.fromLists apoc.map.fromPairs apoc.map.get apoc.map.merge apoc.map.mergeList apoc.map.mget "
        "apoc.map.removeKey apoc.map.setKey apoc.map.submap apoc.map.values",
    "Reads or writes JSON in one pass; a path as a further argument is refused.":
        "apoc.convert.fromJsonList apoc.convert.fromJsonMap apoc.convert.toJson apoc.convert.toMap",
    "Computes with dates and times; the formats have no repetition.":
        "apoc.date.add apoc.date.convert apoc.date.currentTimestamp apoc.date.field apoc.date.fields "
        "apoc.date.format apoc.date.fromISO8601 apoc.date.parse apoc.date.toISO8601 apoc.date.toYears "
        "apoc.temporal.format",
    "Changes or encodes each character of a text once, or computes a digest.":
        "apoc.text.base64Decode apoc.text.base64Encode apoc.text.capitalize apoc.text.capitalizeAll "
        "apoc.text.decapitalize apoc.text.swapCase apoc.text.urldecode apoc.text.urlencode apoc.util.md5 "
        "apoc.util.sha1 apoc.util.sha256 apoc.util.sha512",
    "Names the type of a value, or the version of APOC.":
        "apoc.meta.cypher.isType apoc.meta.cypher.type apoc.meta.cypher.types apoc.version",
}
# fmt: on
"""The allowed plug-in functions, separated by spaces, keyed by the reason for allowing them.

Of Cypher's own functions only `graph.*` is not allowed.
"""

MAX_ARGUMENTS: Mapping[str, int] = {"apoc.convert.fromjsonlist": 1, "apoc.convert.fromjsonmap": 1}
"""The number of arguments up to which a function, in lower case, is allowed: the next argument is a JSON path."""

OPTIONS_ALLOWED: Mapping[str, frozenset[str]] = {
    "planner": frozenset({"cost", "idp"}),
    "replan": frozenset({"default", "skip"}),
    "runtime": frozenset({"interpreted", "pipelined", "slotted"}),
}
"""The options that may follow CYPHER, with their values, in lower case.

Left out are `debug`, which prints internals, `planner=dp`, whose search takes exponential time, `replan=force`, which
plans anew for each call, and `runtime=parallel`, with which one query takes all processors.
"""

_FIND_ENTITIES = "find_entities, which finds similar names,"
WRITE_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "apoc.text.distance",
            "apoc.text.fuzzymatch",
            "apoc.text.jarowinklerdistance",
            "apoc.text.levenshteindistance",
            "apoc.text.levenshteinsimilarity",
            "apoc.text.sorensendicesimilarity",
        ),
        _FIND_ENTITIES,
    ),
    **dict.fromkeys(("apoc.text.replace", "apoc.text.regreplace"), "replace()"),
    **dict.fromkeys(("apoc.text.clean", "apoc.text.comparecleaned"), "toLower() and trim()"),
    "apoc.text.indexof": "CONTAINS",
    "apoc.text.join": "reduce(s = '', x IN list | s + x)",
    "apoc.text.split": "split()",
    "apoc.json.path": "apoc.convert.fromJsonMap() and the keys of the map",
    "apoc.map.flatten": "the keys of the map",
    "apoc.coll.max": "UNWIND and max()",
    "apoc.coll.min": "UNWIND and min()",
    "apoc.coll.toset": "collect(DISTINCT x)",
    "apoc.coll.contains": "x IN list",
    "apoc.coll.intersection": "[x IN a WHERE x IN b]",
    "apoc.coll.union": "a + [x IN b WHERE NOT x IN a]",
    "apoc.coll.subtract": "[x IN a WHERE NOT x IN b]",
    "apoc.coll.flatten": "reduce(all = [], part IN list | all + part)",
    "apoc.coll.frequencies": "UNWIND and count(*)",
    "apoc.agg.median": "percentileCont(x, 0.5)",
    "apoc.agg.first": "head(collect(x))",
    "apoc.agg.last": "last(collect(x))",
    "apoc.agg.nth": "collect(x)[n]",
}
"""What to write instead of refused functions that only read and that agents ask for, by their names in lower case."""


def _keys(reasons: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.lower() for names in reasons.values() for name in names.split())


PROCEDURES_ALLOWED = _keys(PROCEDURE_REASONS)
FUNCTIONS_ALLOWED = _keys(FUNCTION_REASONS)
