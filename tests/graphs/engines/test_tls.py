"""A server that speaks Bolt only over TLS: certificates and schemes of addresses."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress
from tests.support.bolt_addresses import answers, refusal
from tests.support.certificates import self_signed
from tests.support.fake_bolt_server import Rows, StandIn, stand_in

NEO4J = "Neo4j/5.26.30"


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StandIn, Path]]:
    """Yield a server that speaks only TLS, and the path of its self-signed certificate."""
    certificate = self_signed(tmp_path_factory.mktemp("certificates"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("private.key"))
    with stand_in(NEO4J, lambda call: Rows(["one"], [[1]]), context) as server:
        yield server, certificate


def address(server: StandIn, scheme: str) -> BoltAddress:
    return BoltAddress(server.uri.replace("bolt", scheme))


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_an_untrusted_certificate_is_reported_with_the_fix_and_accepted_if_the_address_or_the_machine_allows_it(
    encrypted: tuple[StandIn, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, certificate = encrypted
    message = refusal(address(server, f"{kind}+s"))
    assert message.startswith(f"The certificate of {kind}+s://127.0.0.1:")
    assert f"Write {kind}+ssc:// to accept a self-signed one" in message
    assert "SSL_CERT_FILE" in message
    assert answers(address(server, f"{kind}+ssc"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert answers(address(server, f"{kind}+s"))


@pytest.mark.parametrize("kind", ["bolt", "neo4j"])
def test_tls_on_only_one_side_is_reported(encrypted: tuple[StandIn, Path], kind: str) -> None:
    assert f"write {kind}+s://" in refusal(address(encrypted[0], kind))
    with stand_in(NEO4J, lambda call: Rows(["one"], [[1]])) as plain:
        assert f"does not speak TLS. Write {kind}:// instead" in refusal(address(plain, f"{kind}+s"))
