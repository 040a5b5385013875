"""A Neo4j that speaks Bolt only over TLS: certificates and schemes of addresses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.bolt_addresses import answers, as_scheme, refusal
from tests.support.certificates import self_signed, tls_settings
from tests.support.neo4j_server import LTS, Neo4jServer, Neo4jServers, running_neo4j

pytestmark = [pytest.mark.neo4j, pytest.mark.restarts_neo4j, pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def encrypted(
    neo4j_5: Neo4jServer, neo4j_servers: Neo4jServers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Neo4jServer, Path]]:
    """Start a Neo4j that speaks Bolt only over TLS; yield the server and the path of its self-signed certificate."""
    folder = tmp_path_factory.mktemp("neo4j-tls")
    certificate = self_signed(folder / "certificates")
    neo4j_servers.make_room()
    with running_neo4j(folder, LTS, heap="512m", settings=tls_settings(folder / "certificates")) as server:
        yield server, certificate


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_a_self_signed_certificate_is_accepted_if_the_address_allows_it(
    encrypted: tuple[Neo4jServer, Path], kind: str
) -> None:
    assert answers(as_scheme(encrypted[0], f"{kind}+ssc"))


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_an_untrusted_certificate_is_reported_with_the_fix(encrypted: tuple[Neo4jServer, Path], kind: str) -> None:
    message = refusal(as_scheme(encrypted[0], f"{kind}+s"))
    assert message.startswith(f"The certificate of {kind}+s://127.0.0.1:")
    assert f"Write {kind}+ssc:// to accept a self-signed one" in message
    assert "SSL_CERT_FILE" in message


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_a_certificate_that_this_machine_trusts_is_accepted(
    encrypted: tuple[Neo4jServer, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(encrypted[1]))
    assert answers(as_scheme(encrypted[0], f"{kind}+s"))


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_tls_on_only_one_side_is_reported(encrypted: tuple[Neo4jServer, Path], neo4j_5: Neo4jServer, kind: str) -> None:
    assert f"write {kind}+s://" in refusal(as_scheme(encrypted[0], kind))
    assert f"does not speak TLS. Write {kind}:// instead" in refusal(as_scheme(neo4j_5, f"{kind}+s"))
