"""Bearer tokens: fixed tokens, and JSON Web Tokens checked with the keys of an authorization server."""

from __future__ import annotations

import base64
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from graphground.server.settings import Settings, SettingsError
from graphground.server.transports.authorization import JsonWebTokens, authorization, fixed_tokens
from tests.support.http_calls import INITIALIZE, posted
from tests.support.serving import http_server

ISSUER, PUBLIC = "https://login.example.org", "https://graphs.example.org/mcp"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def jwks() -> Iterator[str]:
    """Yield the address of an authorization server's public keys."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())) | {"kid": "one", "use": "sig"}

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": [public]}).encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/keys"
    server.shutdown()
    server.server_close()
    thread.join(10)


def signed(key: Any = KEY, algorithm: str = "RS256", leave_out: str = "", **changed: Any) -> str:
    claims = {"iss": ISSUER, "aud": PUBLIC, "exp": int(time.time()) + 600, "sub": "ann", "scope": "read", **changed}
    claims.pop(leave_out, None)
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "one"})


def test_a_token_from_the_issuer_for_this_server_grants_access(jwks: str) -> None:
    access = anyio.run(JsonWebTokens(jwks, ISSUER, PUBLIC).verify_token, signed())
    assert access is not None
    assert (access.subject, access.scopes, access.resource) == ("ann", ["read"], PUBLIC)


CLAIMS = {"iss": ISSUER, "aud": PUBLIC, "exp": 4_000_000_000, "sub": "ann"}


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def public_key() -> bytes:
    return KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def by_hand(header: dict[str, Any], secret: bytes = b"") -> str:
    """Return a token that no library would make, signed with an HMAC."""
    content = f"{encoded(json.dumps({'kid': 'one', **header}))}.{encoded(json.dumps(CLAIMS))}"
    signature = base64.urlsafe_b64encode(hmac.digest(secret, content.encode(), "sha256"))
    return f"{content}.{signature.rstrip(b'=').decode()}"


OTHER_JWK = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(OTHER_KEY.public_key()))
WRONG = {
    "another key": lambda: signed(OTHER_KEY),
    "expired": lambda: signed(exp=int(time.time()) - 60),
    "no expiry": lambda: signed(leave_out="exp"),
    "another server": lambda: signed(aud="https://other.example.org/mcp"),
    "no audience": lambda: signed(leave_out="aud"),
    "not yet valid": lambda: signed(nbf=int(time.time()) + 600),
    "a shared secret": lambda: signed("x" * 32, "HS256"),
    "a public key as a shared secret": lambda: by_hand({"alg": "HS256"}, secret=public_key()),
    "unsigned in mixed case": lambda: by_hand({"alg": "nOnE"}),
    "an unknown key": lambda: by_hand({"alg": "RS256", "kid": "../two"}),
    "a key that is a list": lambda: by_hand({"alg": "RS256", "kid": []}),
    "a key in the header": lambda: jwt.encode(CLAIMS, OTHER_KEY, "RS256", {"kid": "one", "jwk": OTHER_JWK}),
    "the address of a key in the header": lambda: jwt.encode(CLAIMS, OTHER_KEY, "RS256", {"kid": "one", "jku": PUBLIC}),
    "a header of brackets": lambda: f"{encoded('[' * 40_000)}.e30.AAAA",
    "a header of digits": lambda: f"{encoded('1' * 20_000)}.e30.AAAA",
    "unsigned": lambda: jwt.encode({"iss": ISSUER, "aud": PUBLIC}, None, algorithm="none", headers={"kid": "one"}),
    "empty": lambda: "",
}


@pytest.mark.parametrize("kind", WRONG)
def test_any_other_token_is_refused(kind: str, jwks: str) -> None:
    assert anyio.run(JsonWebTokens(jwks, ISSUER, PUBLIC).verify_token, WRONG[kind]()) is None


def test_every_token_is_refused_if_the_keys_cannot_be_read() -> None:
    assert anyio.run(JsonWebTokens("http://127.0.0.1:1/keys", ISSUER, PUBLIC).verify_token, signed()) is None


def test_a_server_requires_tokens_with_the_scope_and_names_their_issuer(data_folder: Path, jwks: str) -> None:
    options = ("--jwks-url", jwks, "--issuer", ISSUER, "--public-url", PUBLIC, "--scope", "read")
    with http_server(data_folder, *options) as address:
        status, answer = posted(address, INITIALIZE)
        assert status == 401
        metadata = "https://graphs.example.org/.well-known/oauth-protected-resource/mcp"
        assert metadata in answer["www-authenticate"]
        assert posted(address, INITIALIZE, token=signed())[0] == 200
        assert posted(address, INITIALIZE, token=signed(scope="write"))[0] == 403
        assert posted(address, INITIALIZE, token=signed(OTHER_KEY))[0] == 401


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"jwks_url": "https://x"}, "belong together"),
        ({"issuer": "https://x"}, "belong together"),
        ({"jwks_url": "https://x", "issuer": "x", "public_url": PUBLIC}, "^--issuer must give an address .* not 'x'$"),
        ({"jwks_url": "https://x", "issuer": ISSUER, "public_url": "y"}, "^--public-url must give .* not 'y'$"),
        ({"token": "0123456789abcdef", "public_url": "y"}, "^--public-url must give .* not 'y'$"),
        ({"jwks_url": "https://x", "issuer": ISSUER, "public_url": PUBLIC, "token": "0123456789abcdef"}, "not both"),
        ({"token": "short"}, "at least 16 characters"),
        ({"token_file": "/nonexistent"}, "cannot be read"),
    ],
)
def test_an_incomplete_configuration_is_refused_with_a_readable_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        authorization(Settings(**settings), "http://127.0.0.1:8300/mcp")


def test_tokens_are_read_from_a_file_one_per_line(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("# ann\n0123456789abcdef\n\nfedcba9876543210\n")
    assert fixed_tokens(Settings(token_file=str(file))) == ["0123456789abcdef", "fedcba9876543210"]
    assert "0123456789abcdef" not in repr(Settings(token="0123456789abcdef"))
    file.write_text("# nobody\n")
    with pytest.raises(SettingsError, match="holds no token"):
        fixed_tokens(Settings(token_file=str(file)))
