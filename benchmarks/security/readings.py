"""Tries to find texts that two databases parse differently.

    python -m benchmarks.security.readings --own 5000000 --asked 100000 [--seed 1] [--state FILE] [--processes 2]
        [--database NAME=URI,USER,PASSWORD[,DATABASE[,PREFIX]]] …

There are two parts. In the first part, our front end parses `--own` random texts in every way in which a database may
parse them. A text that we accept must have the same tokens if escapes are decoded before tokenizing, after it or never;
if invisible characters are dropped; if other line ends count; and if letters are converted to lower or upper case. The
canonical form of the text must also have the same tokens for a parser that does not count backslashes, or that supports
nested comments or other escapes. In the second part, `--asked` accepted texts are run on each database, as written and
in canonical form: all databases that do not refuse a text must return the same rows, and no database may be changed.
Without `--database`, a Neo4j 5.26, a Neo4j 2026.08 (in both languages) and an embedded ArcadeDB are started, all with
root's rights. With `--state`, an interrupted run is resumed. The exit status is 1 if a text or a database violates
these conditions.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import logging
import multiprocessing
import os
import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import neo4j

from graphground.cypher import validate
from graphground.cypher.safety.canonical import canonical, two_readings
from graphground.cypher.tokens import decode_unicode_escapes, tokenize, unescape_string
from tests.support.hostile_texts import HostileTexts, unclean

BATCH = 10_000
Reading = list[tuple[str, str | None]]
INVISIBLE = dict.fromkeys(code for code in range(0x10000) if unicodedata.category(chr(code)) == "Cf")
LINE_ENDS = dict.fromkeys(map(ord, "\x00\x0b\x0c\x1a\x1c\x1d\x1e\x85\u2028\u2029"), "\n")


def tokens_of(text: str, values: bool) -> Reading:
    """Return the kind of each token in a text; with `values`, also its name or, for a string, its value."""
    tokens = tokenize(text)
    read: Reading = []
    for kind, name, start, end in zip(tokens.kinds, tokens.names, tokens.starts, tokens.ends, strict=True):
        value = unescape_string(text[start:end]) if kind == "string" else name
        read.append((kind if kind.isascii() else "word", value if values else None))
    return read


def decoded_first(text: str) -> str:
    """Decode Unicode escapes as Neo4j does: everywhere, unless the backslash of the escape is itself escaped."""
    decoded = decode_unicode_escapes(text)
    return decoded[0] if decoded is not None else text


def decoded_blindly(text: str) -> str:
    r"""Decode escapes without counting backslashes, also in the forms `\uu0041` and `\U00000041`."""
    return re.sub(
        r"\\(?:u+([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))",
        lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)),
        text,
    )


CASES = [
    {
        code: other
        for code in range(0x80, 0x10000)
        for other in (change(chr(code)),)
        if len(other) == 1 and other != chr(code)
    }
    for change in (str.lower, str.upper)
]
"""Two tables that convert single letters beyond ASCII, as Java does: to lower case, and to upper case."""


# Parsers of the text as written: a name, the transformation before parsing, and whether strings must be equal too.
READERS: tuple[tuple[str, Callable[[str], str], bool], ...] = (
    ("decoded first", decoded_first, True),
    ("invisible characters dropped", lambda text: text.translate(INVISIBLE), False),
    ("other line ends", lambda text: text.translate(LINE_ENDS), False),
    ("words in lower case", lambda text: text.translate(CASES[0]), False),
    ("words in upper case", lambda text: text.translate(CASES[1]), False),
)
# Parsers of the text as sent; its canonical form must mean the same even to a careless parser.
CARELESS = (*READERS, ("decoded blindly", decoded_blindly, True))


def differing(text: str, readers: tuple[tuple[str, Callable[[str], str], bool], ...]) -> str | None:
    """Return the name of the first parser that finds other tokens in a text; None if all find the same tokens."""
    plain: dict[bool, Reading] = {}
    for name, prepared, values in readers:
        changed = prepared(text)
        if changed == text:
            continue
        if values not in plain:
            plain[values] = tokens_of(text, values)
        if tokens_of(changed, values) != plain[values]:
            return name
    return None


def read_batch(work: tuple[int, int, int]) -> tuple[int, int, list[str]]:
    """Parse a batch `(seed, batch, count)` of texts; return the number of texts, the number accepted, and problems."""
    seed, batch, count = work
    source, accepted, wrong = HostileTexts(seed * 1_000_003 + batch), 0, []
    for number in range(count):
        text = source.attack() if number % 20 == 0 else source.text()
        if len(text) > 2000:
            text = text[:2000]
        if two_readings(text) or any(kind.startswith("bad") for kind in tokenize(text).kinds):
            continue  # the front end refuses such a text
        accepted += 1
        reader = differing(text, READERS)
        if reader is not None:
            wrong.append(f"{reader}: {text!r}")
            continue
        sent = canonical(text).text
        reader = unclean(sent) or differing(sent, CARELESS)
        if reader is not None:
            wrong.append(f"sent, {reader}: {text!r} as {sent!r}")
    return count, accepted, wrong


class Asked(NamedTuple):
    """A database, its address, and the prefix that is added to each text, such as `CYPHER 25`."""

    name: str
    uri: str
    user: str
    password: str
    database: str | None = None
    prefix: str | None = None


class Asker:
    """A database on which texts are run in read-only sessions."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.driver = neo4j.GraphDatabase.driver(
            asked.uri, auth=(asked.user, asked.password), notifications_min_severity="OFF"
        )

    def answer(self, text: str) -> tuple[str, Any, Any]:
        """Return `("rows", columns, rows)`, `("refused", code, "")` or, for any attempt to write, `("changed", …)`."""
        with self.driver.session(database=self.asked.database, default_access_mode=neo4j.READ_ACCESS) as session:
            try:
                result = session.run(neo4j.Query((self.asked.prefix or "") + text, timeout=10), {"p": 1})
                columns, rows = result.keys(), [list(record.values()) for record in result]
                changed = result.consume().counters.contains_updates
            except neo4j.exceptions.Neo4jError as error:
                code = str(error.code)
                return (
                    ("changed", code, error.message)
                    if "AccessMode" in code or "Forbidden" in code
                    else ("refused", code, "")
                )
        return ("changed", columns, rows) if changed else ("rows", columns, rows)


def accepted_texts(seed: int, begin: int) -> Iterator[tuple[int, str]]:
    """Yield pairs (batch, text) of random texts that the front end accepts, starting with the batch `begin`."""
    batch = begin
    while True:
        source = HostileTexts(seed * 7_919 + batch)
        for _ in range(100):
            text = source.text()
            if not two_readings(text) and validate(text, read_only=True, parameters={"p": 1}).valid:
                yield batch, text
        batch += 1


def ask(askers: list[Asker], text: str) -> list[str]:
    """Run a text on all databases, as written and in canonical form; return different answers and changes as texts."""
    wrong: list[str] = []
    sent = canonical(text).text
    answers: dict[str, tuple[str, Any, Any]] = {}
    forms = (("written", text), *((("sent", sent),) if sent != text else ()))
    with ThreadPoolExecutor(len(askers)) as pool:
        for asker, found in zip(
            askers, pool.map(lambda asker: [asker.answer(asked) for _, asked in forms], askers), strict=True
        ):
            answers.update(
                (f"{asker.asked.name}, {form}", answer) for (form, _), answer in zip(forms, found, strict=True)
            )
    wrong += [f"changed by {name}: {text!r}" for name, (kind, _, _) in answers.items() if kind == "changed"]
    rows = {json.dumps(answer[2]) for answer in answers.values() if answer[0] == "rows"}
    columns = {json.dumps(answer[1]) for name, answer in answers.items() if answer[0] == "rows" and "written" in name}
    if len(rows) > 1 or len(columns) > 1:
        wrong.append(f"{text!r}: {answers}")
    refused = [name for name, answer in answers.items() if answer[0] == "refused" and "sent" in name]
    if refused and sent != text:
        COUNTS["sent and refused by " + ", ".join(refused)] += 1
    COUNTS["answered by all" if all(answer[0] == "rows" for answer in answers.values()) else "refused by some"] += 1
    return wrong


COUNTS: Counter[str] = Counter()


@contextlib.contextmanager
def databases(arguments: list[str]) -> Iterator[list[Asked]]:
    """Yield the named databases, or newly started ones if none are named."""
    if arguments:
        yield [
            Asked(name, *(part or None for part in rest.split(",")))
            for name, _, rest in (argument.partition("=") for argument in arguments)  # type: ignore[arg-type]
        ]
        return
    from graphground.graphs.engines.embedded.launcher import end_engine, ensure_engine
    from graphground.graphs.storage.home import Home
    from tests.support.neo4j_server import LTS, NEWEST, running_neo4j
    from tests.support.small_graph import loaded

    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="graphground-readings-")))
        for part in ("lts", "newest", "arcadedb"):
            (folder / part).mkdir()
        lts = stack.enter_context(running_neo4j(folder / "lts", LTS))
        newest = stack.enter_context(running_neo4j(folder / "newest", NEWEST))
        home = Home(folder / "arcadedb" / "home").make()
        database = loaded(home, folder / "arcadedb").id
        state = ensure_engine(home)
        stack.callback(end_engine, home, kill=True)
        yield [
            Asked("Neo4j 5.26", lts.uri, lts.user, lts.password),
            Asked("Neo4j 2026.08, Cypher 5", newest.uri, newest.user, newest.password, None, "CYPHER 5 "),
            Asked("Neo4j 2026.08, Cypher 25", newest.uri, newest.user, newest.password, None, "CYPHER 25 "),
            Asked("ArcadeDB", f"bolt://127.0.0.1:{state.port}", "root", state.root, database),
        ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--own", type=int, default=5_000_000)
    arguments.add_argument("--asked", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--state", type=Path)
    arguments.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments.add_argument(
        "--seconds", type=float, default=float("inf"), help="stop each part after this number of seconds"
    )
    arguments.add_argument("--database", action="append", default=[])
    options = arguments.parse_args()
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    code = Path(__file__).with_name("readings.py").read_bytes()
    new_state = {
        "seed": options.seed,
        "own": 0,
        "accepted": 0,
        "batch": 0,
        "asked": 0,
        "wrong": [],
        "counts": {},
        "code": hashlib.sha256(code).hexdigest()[:12],
    }
    state = json.loads(options.state.read_text()) if options.state and options.state.exists() else new_state
    COUNTS.update(state["counts"])

    def save() -> None:
        if options.state:
            options.state.write_text(json.dumps({**state, "counts": COUNTS}))

    start = time.monotonic()
    with multiprocessing.Pool(options.processes) as pool:
        batches = range(state["own"] // BATCH, -(-options.own // BATCH))
        for parsed, accepted, wrong in pool.imap(read_batch, ((state["seed"], batch, BATCH) for batch in batches)):
            state["own"] += parsed
            state["accepted"] += accepted
            state["wrong"] += wrong
            save()
            if time.monotonic() - start > options.seconds:
                pool.terminate()
                break
    print(
        f"seed {state['seed']}: {state['own']:,} texts parsed in {len(READERS) + 1} ways, {state['accepted']:,} "
        f"accepted, {len(state['wrong'])} with two readings ({time.monotonic() - start:.0f} s)",
        flush=True,
    )
    start = time.monotonic()
    if state["asked"] < options.asked:
        with databases(options.database) as asked:
            askers = [Asker(database) for database in asked]
            batch = state["batch"]
            for number, text in accepted_texts(state["seed"], state["batch"]):
                if number != batch:
                    batch = state["batch"] = number
                    save()
                    if state["asked"] >= options.asked or time.monotonic() - start > options.seconds:
                        break
                state["wrong"] += ask(askers, text)
                state["asked"] += 1
            for asker in askers:
                asker.driver.close()
    print(
        f"{state['asked']:,} accepted texts sent to each database, {len(state['wrong'])} differences in all "
        f"({time.monotonic() - start:.0f} s): {dict(COUNTS)}"
    )
    for wrong in state["wrong"][:50]:
        print("  " + wrong[:600])
    sys.exit(1 if state["wrong"] else 0)


if __name__ == "__main__":
    main()
