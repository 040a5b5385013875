"""The procedures and functions that a read-only query may call, with the reason for each.

Each entry was reviewed in the source code of APOC Core 5.26 or in the manuals of Neo4j 5.26 and Graph Data Science. An
entry builds no Cypher, opens no file or address, lists no settings or users, and uses memory in proportion to its
arguments or to the part of the graph that it reads. The following, among others, are left out, because they
break one of these rules or are of no use:

- `apoc.search.*` paste a property name into a query. `apoc.cypher.*`, `apoc.meta.*.of` and `apoc.graph.*` run a string
  as Cypher. `apoc.coll.min`, `apoc.coll.max`, `apoc.any.isDeleted` and `apoc.help` run a fixed query, and no caller
  needs them.
- `apoc.coll.fill`, `apoc.coll.combinations`, `apoc.coll.randomItems`, `apoc.text.repeat`, `apoc.text.lpad`,
  `apoc.text.rpad`, `apoc.text.random`, `apoc.text.format` (`%999999999d`), `apoc.number.arabicToRoman`,
  `apoc.number.exact.*` (`1e999999999`) and `apoc.util.decompress` turn a small input into a large output.
- `apoc.hashing.fingerprintGraph` reads the whole graph at once.
- `apoc.agg.percentiles` and `apoc.agg.statistics` keep a histogram for each group, which a transaction's memory limit
  does not count: 4,000 groups of two rows take 750 MB.
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
    "Aggregates the rows of a group into one value, no larger than its input.":
        "apoc.agg.first apoc.agg.last apoc.agg.maxItems apoc.agg.median apoc.agg.minItems apoc.agg.nth "
        "apoc.agg.product apoc.agg.slice",
    "Reads properties, labels, degrees or ends of the given node or relationship.":
        "apoc.any.properties apoc.any.property apoc.label.exists apoc.node.degree apoc.node.degree.in "
        "apoc.node.degree.out apoc.node.id apoc.node.labels apoc.node.relationship.exists "
        "apoc.node.relationship.types apoc.node.relationships.exist apoc.nodes.connected apoc.nodes.isDense "
        "apoc.nodes.relationship.types apoc.nodes.relationships.exist apoc.rel.endNode apoc.rel.id "
        "apoc.rel.startNode apoc.rel.type apoc.diff.nodes",
    "Tests whether an index or a constraint exists.":
        "apoc.schema.node.constraintExists apoc.schema.node.indexExists apoc.schema.relationship.constraintExists "
        "apoc.schema.relationship.indexExists",
    "Computes with numbers; the result is a number or a short text.":
        "apoc.bitwise.op apoc.math.cosh apoc.math.coth apoc.math.csch apoc.math.maxByte apoc.math.maxDouble "
        "apoc.math.maxInt apoc.math.maxLong apoc.math.minByte apoc.math.minDouble apoc.math.minInt apoc.math.minLong "
        "apoc.math.sech apoc.math.sigmoid apoc.math.sigmoidPrime apoc.math.sinh apoc.math.tanh apoc.number.format "
        "apoc.number.parseFloat apoc.number.parseInt apoc.number.romanToArabic apoc.scoring.existence "
        "apoc.scoring.pareto gds.similarity.cosine gds.similarity.euclidean gds.similarity.euclideanDistance "
        "gds.similarity.jaccard gds.similarity.overlap gds.similarity.pearson",
    "Rearranges, compares or counts the elements of the given lists; the result grows in proportion to the lists.":
        "apoc.coll.avg apoc.coll.contains apoc.coll.containsAll apoc.coll.containsAllSorted "
        "apoc.coll.containsDuplicates apoc.coll.containsSorted apoc.coll.different apoc.coll.disjunction "
        "apoc.coll.dropDuplicateNeighbors apoc.coll.duplicates apoc.coll.duplicatesWithCount apoc.coll.flatten "
        "apoc.coll.frequencies apoc.coll.frequenciesAsMap apoc.coll.indexOf apoc.coll.insert apoc.coll.insertAll "
        "apoc.coll.intersection apoc.coll.isEqualCollection apoc.coll.occurrences apoc.coll.pairs apoc.coll.pairsMin "
        "apoc.coll.pairWithOffset apoc.coll.partition apoc.coll.randomItem apoc.coll.remove apoc.coll.removeAll "
        "apoc.coll.runningTotal apoc.coll.set apoc.coll.shuffle apoc.coll.sort apoc.coll.sortMaps "
        "apoc.coll.sortMulti apoc.coll.sortNodes apoc.coll.sortText apoc.coll.stdev apoc.coll.subtract apoc.coll.sum "
        "apoc.coll.sumLongs apoc.coll.toSet apoc.coll.union apoc.coll.unionAll apoc.coll.zip",
    "Converts a value to another type, or parses JSON from a string.":
        "apoc.convert.fromJsonList apoc.convert.fromJsonMap apoc.convert.getJsonProperty "
        "apoc.convert.getJsonPropertyMap apoc.convert.toJson apoc.convert.toList apoc.convert.toMap "
        "apoc.convert.toNode apoc.convert.toNodeList apoc.convert.toRelationship apoc.convert.toRelationshipList "
        "apoc.convert.toSet apoc.convert.toSortedJsonMap apoc.json.path",
    "Splits an address into its parts, without opening it.": "apoc.data.url",
    "Computes with dates and times; formats are Java patterns with short results.":
        "apoc.date.add apoc.date.convert apoc.date.convertFormat apoc.date.currentTimestamp apoc.date.field "
        "apoc.date.fields apoc.date.format apoc.date.fromISO8601 apoc.date.parse apoc.date.toISO8601 "
        "apoc.date.toYears apoc.temporal.format apoc.temporal.formatDuration apoc.temporal.toZonedTemporal",
    "Computes a digest of its arguments.":
        "apoc.hashing.fingerprint apoc.util.md5 apoc.util.sha1 apoc.util.sha256 apoc.util.sha384 apoc.util.sha512",
    "Builds a map from the given maps, lists and keys.":
        "apoc.map.clean apoc.map.flatten apoc.map.fromLists apoc.map.fromPairs apoc.map.fromValues apoc.map.get "
        "apoc.map.groupBy apoc.map.groupByMulti apoc.map.merge apoc.map.mergeList apoc.map.mget apoc.map.removeKey "
        "apoc.map.removeKeys apoc.map.setEntry apoc.map.setKey apoc.map.setLists apoc.map.setPairs "
        "apoc.map.setValues apoc.map.sortedProperties apoc.map.submap apoc.map.unflatten apoc.map.updateTree "
        "apoc.map.values",
    "Compares or rewrites strings; the result is proportional to the arguments, as with Cypher's own replace().":
        "apoc.text.base64Decode apoc.text.base64Encode apoc.text.base64UrlDecode apoc.text.base64UrlEncode "
        "apoc.text.byteCount apoc.text.bytes apoc.text.camelCase apoc.text.capitalize apoc.text.capitalizeAll "
        "apoc.text.charAt apoc.text.clean apoc.text.code apoc.text.compareCleaned apoc.text.decapitalize "
        "apoc.text.decapitalizeAll apoc.text.distance apoc.text.doubleMetaphone apoc.text.fuzzyMatch "
        "apoc.text.hammingDistance apoc.text.hexCharAt apoc.text.hexValue apoc.text.indexOf apoc.text.indexesOf "
        "apoc.text.jaroWinklerDistance apoc.text.join apoc.text.levenshteinDistance "
        "apoc.text.levenshteinSimilarity apoc.text.phonetic apoc.text.regexGroups apoc.text.regexGroupsByName "
        "apoc.text.regreplace apoc.text.replace apoc.text.slug apoc.text.snakeCase "
        "apoc.text.sorensenDiceSimilarity apoc.text.split apoc.text.swapCase apoc.text.toUpperCase "
        "apoc.text.upperCamelCase apoc.text.urldecode apoc.text.urlencode",
    "Names the type of a value, or the version of APOC.":
        "apoc.meta.cypher.isType apoc.meta.cypher.type apoc.meta.cypher.types apoc.version",
}
# fmt: on
"""The allowed plug-in functions, separated by spaces, keyed by the reason for allowing them.

Of Cypher's own functions only `graph.*` is not allowed.
"""


def _keys(reasons: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.lower() for names in reasons.values() for name in names.split())


PROCEDURES_ALLOWED = _keys(PROCEDURE_REASONS)
FUNCTIONS_ALLOWED = _keys(FUNCTION_REASONS)


def allowed_page() -> str:
    """Return the documentation page, in Markdown, that lists the allowed procedures and functions with the reasons."""
    lines = [
        "# What a query may call",
        "",
        "The procedures and functions that a query may call, each with the reason. Written by "
        "`python docs/write_allowed.py` from `cypher/allowed.py`; a test compares the two.",
        "",
        "A query may call the procedures and functions below, and Cypher's own functions except `graph.byName` and "
        "others that access another graph, which are refused with `file_or_network_access`. Any other procedure, and "
        "any other function with a namespace, is refused with `forbidden_procedure`. Those below were reviewed in the "
        "source code of APOC Core 5.26, or in the manuals of Neo4j 5.26 and Graph Data Science: none builds or runs "
        "Cypher, opens a file or an address, lists settings or users, or uses memory out of proportion to its "
        "arguments and the part of the graph that it reads.",
        "",
    ]
    for title, reasons in (("Procedures", PROCEDURE_REASONS), ("Functions of plug-ins", FUNCTION_REASONS)):
        lines += [f"## {title}", "", "| why it is allowed | names |", "|---|---|"]
        lines += [f"| {why} | {', '.join(f'`{name}`' for name in names.split())} |" for why, names in reasons.items()]
        lines.append("")
    _, _, excluded = (__doc__ or "").partition("\n\n- ")
    lines += ["## Excluded, and why", "", f"- {excluded.strip()}", ""]
    return "\n".join(lines)
