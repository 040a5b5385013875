"""Real Neo4j servers for the test run, if Java and Maven are installed.

    def test_x(neo4j_5: Neo4jServer) -> None: ...      # and neo4j_newest

Each server is started at first use, on a free loopback port, and emptied for each test module. Both stop with the run,
even if the run is killed.

    python -m tests.support.neo4j_server       fetches Neo4j and makes the archives of its classes now
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
import pytest
from filelock import FileLock

from graphground.graphs.engines.address import BoltAddress
from tests.support.ports import free_port

HERE = Path(__file__).parent / "neo4j_java"
LIBRARIES = Path(os.environ.get("GRAPHGROUND_TEST_LIBRARIES") or platformdirs.user_cache_path("graphground-tests"))
LTS, NEWEST, APOC = "5.26.30", "2026.08.1", "5.26.19"
START_SECONDS = 240.0
FETCH_SECONDS = 600.0
STOP_SECONDS, ARCHIVE_SECONDS = 30.0, 300.0
QUICK = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
UNVERIFIED = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"]
"""JVM options for a server that writes no archive: checking 5,000 classes that no archive can contain takes 1.5 s."""
"""JVM options that halve the processor time of a server that lives for minutes: fast compilation, simple collector."""
SHARED = {"db.memory.transaction.max": "256m"}
"""A memory limit: a query that hoards rows fails long before it harms the other tests on the same server."""
OPENED = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch", "java.lang")
]


TRAINING = (
    "CREATE INDEX FOR (n:A) ON (n.name)",
    "UNWIND range(1, 20) AS i CREATE (:A {name: 'a' + i, day: date()})-[:R {year: i}]->(:B {names: ['x', 'y']})",
    "MATCH (a:A {name: 'a3'})-[r:R]->(b:B) WHERE r.year > 1 RETURN a, r, b.names AS names ORDER BY r.year LIMIT 3",
    "MATCH p = (a:A)-[:R*1..2]-(b) RETURN length(p) AS steps, count(DISTINCT b) AS found, collect(b.name)[..2] AS names",
    "MATCH (a:A) OPTIONAL MATCH (a)-[:R]->(b) WITH a, count(b) AS n WHERE NOT EXISTS { (a)<-[:R]-() } RETURN max(n)",
    "CALL () { MATCH (a:A) RETURN a.name AS name UNION MATCH (b:B) RETURN b.names[0] AS name } RETURN toUpper(name)",
    "EXPLAIN MATCH (a:A) WHERE a.name CONTAINS 'x' OR a.name IS NULL RETURN labels(a), keys(a)",
    "SHOW INDEXES YIELD name, type RETURN name, type",
    "MATCH (n) DETACH DELETE n",
)
"""Queries that run before a class archive is written, so that it contains the classes for queries too."""


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """The address and the credentials of a server: `Neo4jServer("bolt://127.0.0.1:40213", "neo4j", "…", …)`."""

    uri: str
    user: str
    password: str = field(repr=False)
    version: str
    folder: Path
    pid: int

    @property
    def address(self) -> BoltAddress:
        return BoltAddress(self.uri, self.user, self.password)


def java_for(version: str) -> str | None:
    """Return the path of a Java that can run this Neo4j; None if there is none.

    Neo4j 5.x needs Java 17 or newer, and versions named after years need Java 21 or newer.
    """
    least = 21 if version.startswith("20") else 17
    named = [Path(os.environ["NEO4J_JAVA_HOME"])] if os.environ.get("NEO4J_JAVA_HOME") else []
    installed = sorted(Path("/usr/lib/jvm").glob("*")) if Path("/usr/lib/jvm").exists() else []
    on_path = shutil.which("java")
    for java in [*([on_path] if on_path else []), *(str(home / "bin" / "java") for home in [*named, *installed])]:
        try:
            said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30).stderr
        except OSError:
            continue
        found = re.search(r'version "(\d+)', said)
        if found and int(found.group(1)) >= least:
            return java
    return None


def libraries(kind: str, version: str) -> Path:
    """Return the folder with the jars, which Maven fetches once; skip the test if that is impossible."""
    folder = LIBRARIES / f"{kind}-{version}"
    LIBRARIES.mkdir(parents=True, exist_ok=True)
    with FileLock(LIBRARIES / f"{folder.name}.lock", timeout=FETCH_SECONDS):
        if not (folder / ".complete").exists():
            maven = shutil.which("mvn")
            if maven is None:
                pytest.skip("needs Maven, to fetch Neo4j's libraries")
            name = "neo4j.version" if kind == "server" else "apoc.version"
            fetched = subprocess.run(
                [
                    maven,
                    "-q",
                    "-B",
                    "-f",
                    str(HERE / "pom.xml"),
                    f"-P{kind}",
                    "dependency:copy-dependencies",
                    "-DincludeScope=runtime",
                    f"-D{name}={version}",
                    f"-DoutputDirectory={folder}",
                ],
                capture_output=True,
                text=True,
                timeout=FETCH_SECONDS,
            )
            if fetched.returncode:
                pytest.skip(f"Maven could not fetch Neo4j {version}: {fetched.stdout[-300:]}")
            (folder / ".complete").touch()
    return folder


def program(java: str, version: str) -> Path:
    """Return the jar of the server program, which is compiled once per source and version of Neo4j."""
    source = HERE / "Neo4jForTests.java"
    jars = libraries("server", version)
    release = "21" if version.startswith("20") else "17"
    jar = jars.with_name(f"{jars.name}-{hashlib.sha256(source.read_bytes()).hexdigest()[:12]}.jar")
    with FileLock(f"{jar}.lock", timeout=FETCH_SECONDS):
        if not jar.exists():
            with tempfile.TemporaryDirectory(prefix="neo4j-program-") as folder:
                class_path = os.pathsep.join(map(str, jars.glob("*.jar")))
                compiler = [java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "--release", release]
                options = ["-d", folder, "-cp", class_path, str(source)]
                subprocess.run([*compiler, *options], check=True, timeout=FETCH_SECONDS)
                part = jar.with_suffix(".part")
                with zipfile.ZipFile(part, "w") as archive:
                    for compiled in Path(folder).glob("*.class"):
                        archive.write(compiled, compiled.name)
                part.replace(jar)
    return jar


def class_archive(java: str, version: str) -> Path:
    """Return an archive of the server's classes, which is made once per Java and version of Neo4j.

    Reading and checking 20,000 classes takes half of a server's start. The file is empty if this Java writes none.
    """
    jar = program(java, version)
    used = f"{Path(java).resolve()} {QUICK} {TRAINING}"
    file = jar.with_name(f"{jar.stem}-{hashlib.sha256(used.encode()).hexdigest()[:12]}.jsa")
    with FileLock(f"{file}.lock", timeout=FETCH_SECONDS):
        if not file.exists():
            with tempfile.TemporaryDirectory(prefix="neo4j-archive-") as folder:
                part = Path(folder) / "classes.jsa"
                with running_neo4j(Path(folder) / "home", version, archived_to=part) as server:
                    seeded(server, *TRAINING)
                part.touch()
                shutil.move(part, file)
    return file


@contextmanager
def running_neo4j(
    folder: Path,
    version: str = LTS,
    *,
    apoc: str | None = None,
    heap: str = "768m",
    settings: dict[str, str] | None = None,
    port: int = 0,
    password: str | None = None,
    archived_to: Path | None = None,
) -> Iterator[Neo4jServer]:
    """Start a Neo4j in `folder`, which is empty or has the data of a stopped server; stop it at the end of the block.

    With the `port` and the `password` of a stopped server, the new server takes its place. With `archived_to`, the
    server writes an archive of all loaded classes when it stops.
    """
    java = java_for(version)
    if java is None:
        pytest.skip(f"needs Java {'21' if version.startswith('20') else '17'} or newer, to run Neo4j {version}")
    # An archive is valid for one class path, to which jars may be added at the end.
    class_path = [program(java, version), *sorted(libraries("server", version).glob("*.jar"))]
    if archived_to is not None:
        archive = [f"-XX:ArchiveClassesAtExit={archived_to}"]
    else:
        made = class_archive(java, version)
        archive = [*UNVERIFIED, *([f"-XX:SharedArchiveFile={made}"] if made.stat().st_size else [])]
    (folder / "plugins").mkdir(parents=True, exist_ok=True)
    if apoc is not None:
        for jar in libraries("apoc", apoc).glob("*.jar"):
            if not (folder / "plugins" / jar.name).exists():
                (folder / "plugins" / jar.name).symlink_to(jar)
        class_path += sorted((folder / "plugins").glob("*.jar"))
    port = port or free_port()
    config = {
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        "dbms.security.auth_enabled": "true",
        "dbms.usage_report.enabled": "false",
        "server.memory.pagecache.size": "128m",
        "dbms.security.procedures.unrestricted": "*",
        **(settings or {}),
    }
    (folder / "neo4j.conf").write_text("".join(f"{key}={value}\n" for key, value in config.items()))
    ready, password = folder / "ready", password or secrets.token_hex(12)
    ready.unlink(missing_ok=True)
    with (folder / "neo4j.log").open("wb") as log:
        process = subprocess.Popen(
            [
                java,
                f"-Xmx{heap}",
                *QUICK,
                *archive,
                *OPENED,
                "-cp",
                os.pathsep.join(map(str, class_path)),
                "Neo4jForTests",
                str(folder),
                str(folder / "neo4j.conf"),
                password,
            ],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,
            env={**os.environ, "NEO4J_CONF": str(folder)},
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                said = (folder / "neo4j.log").read_text("utf-8", "replace")[-2000:]
                raise RuntimeError(f"Neo4j {version} did not start:\n{said}")
            time.sleep(0.1)
        yield Neo4jServer(f"bolt://127.0.0.1:{port}", "neo4j", password, version, folder, process.pid)
    finally:
        if archived_to is None:
            # The data is deleted with the folder, so it is safe not to wait ten seconds for the connectors to close.
            process.kill()
        process.communicate(timeout=STOP_SECONDS if archived_to is None else ARCHIVE_SECONDS)


class Neo4jServers:
    """The servers of the run by their versions, each started at first use. The long-term version has APOC.

    A server is leased to one test module at a time and emptied before the next lease.
    """

    def __init__(self, folder: Callable[[str], Path]) -> None:
        self._folder = folder
        self._running: dict[str, tuple[Neo4jServer, ExitStack]] = {}

    def lease(self, version: str) -> Neo4jServer:
        """Return the server of this version, empty."""
        if version in self._running:
            emptied(self._running[version][0])
        else:
            folder = self._folder("neo4j")
            (folder / "apoc.conf").write_text(
                "apoc.import.file.enabled=true\napoc.export.file.enabled=true\n"
                "apoc.import.file.use_neo4j_config=false\n"
            )
            self._start(folder, version)
        return self._running[version][0]

    def _start(self, folder: Path, version: str, port: int = 0, password: str | None = None) -> None:
        closing, apoc = ExitStack(), APOC if version == LTS else None
        server = running_neo4j(folder, version, apoc=apoc, settings=SHARED, port=port, password=password)
        self._running[version] = closing.enter_context(server), closing

    @contextmanager
    def stopped(self, server: Neo4jServer) -> Iterator[None]:
        """Kill a leased server for the duration of the block, then start it again at its address, with its data."""
        self._running[server.version][1].close()
        try:
            yield
        finally:
            self._start(server.folder, server.version, int(server.uri.rpartition(":")[2]), server.password)

    def close(self) -> None:
        """Stop all servers."""
        while self._running:
            self._running.popitem()[1][1].close()


def emptied(server: Neo4jServer) -> None:
    """Delete all nodes, constraints and added users, and all indexes except the lookup indexes.

    Neo4j keeps the names of properties.
    """
    import neo4j

    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        with driver.session() as session:
            session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
        for kind, kinds in (
            ("CONSTRAINT", "CONSTRAINTS YIELD name"),
            ("INDEX", "INDEXES YIELD name, type WHERE type <> 'LOOKUP'"),
        ):
            for record in driver.execute_query(f"SHOW {kinds} RETURN name").records:
                driver.execute_query(f"DROP {kind} `{record['name'].replace('`', '``')}` IF EXISTS")
        for record in driver.execute_query(
            "SHOW USERS YIELD user WHERE user <> $own RETURN user", own=server.user, database_="system"
        ).records:
            driver.execute_query(f"DROP USER `{record['user']}`", database_="system")


@pytest.fixture(scope="session")
def neo4j_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServers]:
    """Yield the servers of the run."""
    servers = Neo4jServers(tmp_path_factory.mktemp)
    yield servers
    servers.close()


@pytest.fixture(scope="module")
def neo4j_5(neo4j_servers: Neo4jServers) -> Neo4jServer:
    """Lease a Neo4j 5.26, the long-term version, with APOC, unrestricted and allowed to read files: the worst case for
    a server that an agent may query. Nothing of ours needs APOC; the newest Neo4j has none.
    """
    return neo4j_servers.lease(LTS)


@pytest.fixture(scope="module")
def neo4j_newest(neo4j_servers: Neo4jServers) -> Neo4jServer:
    """Lease the newest Neo4j, without APOC."""
    return neo4j_servers.lease(NEWEST)


def seeded(server: Neo4jServer, *statements: str) -> None:
    """Write into the server with the plain driver, because the program under test never writes."""
    import neo4j

    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        for statement in statements:
            driver.execute_query(statement)


if __name__ == "__main__":
    for wanted in (LTS, NEWEST):
        if (found := java_for(wanted)) is not None and shutil.which("mvn") is not None:
            class_archive(found, wanted)
            libraries("apoc", APOC)
