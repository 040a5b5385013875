import pytest

from graphground.server.settings import SettingsError
from graphground.server.transports.http import is_loopback, listen, security


def test_only_local_names_are_accepted_by_default() -> None:
    settings = security("127.0.0.1", [])
    assert settings.enable_dns_rebinding_protection
    assert settings.allowed_hosts == ["127.0.0.1:*", "localhost:*", "[::1]:*"]


def test_listening_for_all_machines_keeps_rebinding_protection() -> None:
    settings = security("0.0.0.0", ["graphs.example.org:*"])
    assert settings.enable_dns_rebinding_protection
    assert "graphs.example.org:*" in settings.allowed_hosts


def test_listening_for_all_machines_without_a_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="--allowed-host"):
        security("0.0.0.0", [])


def test_a_port_in_use_is_told_in_words() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"cannot listen on 127\\.0\\.0\\.1 port {port}"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(("host", "loopback"), [("127.0.0.1", True), ("::1", True), ("localhost", True),
                                                ("0.0.0.0", False), ("example.org", False)])
def test_loopback_addresses_are_known(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
