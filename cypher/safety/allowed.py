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

import json
from collections.abc import Mapping
from pathlib import Path

_TABLES: Mapping[str, Mapping[str, str]] = json.loads(Path(__file__).with_name("allowed.json").read_text("utf-8"))
PROCEDURE_REASONS = _TABLES["procedures"]
"""The allowed procedures, separated by spaces, keyed by the reason for allowing them."""
FUNCTION_REASONS = _TABLES["functions"]
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

WRITE_INSTEAD = _TABLES["write instead"]
"""What to write instead of refused functions that only read and that agents ask for, by their names in lower case."""


def _keys(reasons: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name.lower() for names in reasons.values() for name in names.split())


PROCEDURES_ALLOWED = _keys(PROCEDURE_REASONS)
FUNCTIONS_ALLOWED = _keys(FUNCTION_REASONS)
