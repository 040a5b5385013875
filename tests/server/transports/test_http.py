"""HTTP: the accepted hosts, the usable ports, health, TLS."""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from graphground.server.settings import Settings, SettingsError, read_settings
from graphground.server.transports.http import is_loopback, listen, security
from tests.support.certificates import self_signed
from tests.support.http_calls import INITIALIZE, posted
from tests.support.serving import http_server


def test_only_local_host_names_are_accepted_by_default() -> None:
    settings = security(Settings())
    assert settings.enable_dns_rebinding_protection
    assert settings.allowed_hosts == ["127.0.0.1:*", "localhost:*", "[::1]:*"]


def test_listening_for_all_machines_keeps_rebinding_protection() -> None:
    settings = security(Settings(host="0.0.0.0", allowed_host=("graphs.example.org:*",), allow_anonymous=True))
    assert settings.enable_dns_rebinding_protection
    assert "graphs.example.org:*" in settings.allowed_hosts


def test_listening_for_all_machines_without_a_name_is_refused() -> None:
    with pytest.raises(SettingsError, match="--allowed-host"):
        security(Settings(host="0.0.0.0", allow_anonymous=True))


@pytest.mark.parametrize(
    "token",
    [{"token": "0123456789abcdef"}, {"token_file": "tokens"}, {"jwks_url": "https://x"}, {"allow_anonymous": True}],
)
def test_listening_for_all_machines_needs_a_token_or_an_explicit_opt_out(token: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="require a token"):
        security(Settings(host="0.0.0.0", allowed_host=("graphs.example.org:*",)))
    security(Settings(host="0.0.0.0", allowed_host=("graphs.example.org:*",), **token))  # type: ignore[arg-type]


def test_a_port_in_use_causes_a_readable_error() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SettingsError, match=f"cannot listen on 127\\.0\\.0\\.1 port {port}"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("port", ["-1", "65536", "99999"])
def test_an_impossible_port_is_refused(port: str) -> None:
    with pytest.raises(SettingsError, match="port must be from 0 to 65535"):
        read_settings({}, {"GRAPHGROUND_PORT": port})


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("example.org", False)],
)
def test_loopback_addresses_are_recognised(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_health_is_answered_without_a_token_and_other_requests_are_refused(data_folder: Path) -> None:
    with http_server(data_folder, more={"GRAPHGROUND_TOKEN": "a-token-of-some-length"}) as address:
        with urllib.request.urlopen(address.replace("/mcp", "/health"), timeout=10) as answer:
            assert json.load(answer) == {"status": "ok"}
        assert posted(address, INITIALIZE)[0] == 401
        assert posted(address, INITIALIZE, token="a-token-of-some-lengthh")[0] == 401
        status, answer = posted(address, INITIALIZE, token="a-token-of-some-length")
        assert status == 200
        assert answer["result"]["serverInfo"]["name"] == "graphground"


def test_a_call_is_answered_as_json_unless_its_client_asks_for_progress(data_folder: Path) -> None:
    with http_server(data_folder) as address:
        parts = urllib.parse.urlsplit(address)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)

        def ask(method: str, **params: object) -> tuple[http.client.HTTPResponse, str]:
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            connection.request("POST", parts.path, json.dumps(request), headers)
            response = connection.getresponse()
            return response, response.read().decode()

        opened, _ = ask("initialize", **INITIALIZE["params"])
        headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
        for meta, kind in (({}, "application/json"), ({"_meta": {"progressToken": 1}}, "text/event-stream")):
            response, text = ask("tools/call", name="list_graphs", arguments={}, **meta)
            assert response.headers["content-type"].partition(";")[0] == kind
            assert '"isError":false' in text
        ask("logging/setLevel", level="debug")  # from now on log messages may come before an answer
        response, _ = ask("tools/call", name="list_graphs", arguments={})
        assert response.headers["content-type"].startswith("text/event-stream")
        connection.close()


def test_https_is_served_with_a_certificate(data_folder: Path, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    key = tmp_path / "private.key"
    trusting = ssl.create_default_context(cafile=str(certificate))
    with http_server(data_folder, "--tls-certificate", str(certificate), "--tls-key", str(key)) as address:
        assert address.startswith("https://127.0.0.1:")
        assert posted(address, INITIALIZE, context=trusting)[0] == 200


def test_an_unreadable_certificate_causes_a_readable_error(data_folder: Path) -> None:
    with (
        pytest.raises(AssertionError, match=r"--tls-certificate missing\.pem cannot be used: "),
        http_server(data_folder, "--tls-certificate", "missing.pem"),
    ):
        pass
