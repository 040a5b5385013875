"""A password in an address is used and never shown: in no message, no repr and no file name."""

from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress, Database, without_credentials
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.opening.connected import open_database
from graphground.graphs.storage.home import Home
from tests.support.ports import free_port

SECRETS = ("secret", "s3cr3t/with/slashes", "s3cr3t@twice", "s3cr3t#hash?x=1", "s3cr3t:colon", "[s3cr3t]", "s3cr3t%40x")


def shown(password: str) -> str:
    """Return a part of the password that contains no special character: even an encoded password would show it."""
    return "secret" if password == "secret" else "s3cr3t"


@pytest.fixture(scope="module")
def port() -> int:
    """Return a port on which no server listens."""
    return free_port()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j+s", "http"])
@pytest.mark.parametrize("password", SECRETS)
def test_no_message_shows_a_password_of_the_address(scheme: str, password: str, port: int, tmp_path: Path) -> None:
    uri = f"{scheme}://user:{password}@127.0.0.1:{port}"
    address, database = BoltAddress(uri), Database("films", uri)
    with pytest.raises(EngineError) as failure:
        bolt_engine(address)
    with pytest.raises(EngineError) as other:
        open_database(database, Home(tmp_path).make())
    for text in (str(failure.value), str(other.value), repr(address), repr(database), address.where(), database.key):
        assert shown(password) not in text, text


@pytest.mark.parametrize(
    "uri", ["bolt://u:secret@", "bolt://u:secret@[::1", "u:secret@host", "://u:secret@h", "secret@h"]
)
def test_the_error_about_an_address_that_cannot_be_parsed_shows_no_password(uri: str) -> None:
    with pytest.raises(EngineError) as failure:
        bolt_engine(BoltAddress(uri))
    assert "secret" not in str(failure.value)


def test_the_user_and_password_of_an_address_are_used_unless_others_are_given() -> None:
    assert without_credentials("bolt://h:7687") == ("bolt://h:7687", "", "")
    address = BoltAddress("bolt://reader:p%40ss@h:7687")
    assert (address.uri, address.user, address.password) == ("bolt://h:7687", "reader", "p@ss")
    overridden = BoltAddress("bolt://reader:old@h", "root", "new")
    assert (overridden.uri, overridden.user, overridden.password) == ("bolt://h", "root", "new")
    assert BoltAddress("bolt://reader:old@h", "root").password == ""
    assert BoltAddress("bolt://reader:old@h", "reader", "new").password == "new"
