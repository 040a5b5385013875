"""Authorization over HTTP: fixed bearer tokens or JSON Web Tokens, checked by the SDK's resource-server support."""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl, ValidationError

from graphground.server.settings import Settings, SettingsError, token_subject

if TYPE_CHECKING:
    from jwt import PyJWKClient

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The accepted signature algorithms: only those with key pairs, since with a shared secret any verifier could sign."""
OPERATOR = "graphground:operator"
"""The scope of a token whose holder may see the calls of all clients on the page."""
LEAST_CHARACTERS = 16
KEY_SECONDS = 300.0
logger = logging.getLogger(__name__)


class FixedTokens(TokenVerifier):
    """A verifier of tokens that the operator chose: `FixedTokens(["a long random text"])`.

    Tokens are compared in constant time. The tokens of `operators`, which are among them, and a token that is the only
    one have the scope `OPERATOR`.
    """

    def __init__(self, tokens: Sequence[str], operators: Sequence[str] = ()) -> None:
        self._scopes = [[OPERATOR] if token in operators or len(tokens) == 1 else [] for token in tokens]
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token grants; None for an unknown token."""
        digest = hashlib.sha256(token.encode()).digest()
        known = [hmac.compare_digest(digest, other) for other in self._digests]
        if not any(known):
            return None
        number = known.index(True)
        subject = token_subject(token)
        return AccessToken(token=token, client_id=f"token-{number + 1}", scopes=self._scopes[number], subject=subject)


class JsonWebTokens(TokenVerifier):
    """A verifier of tokens that an authorization server signs; public keys are read from a JWKS address and cached.

    A token must carry an expiry (`exp`), this server's address as audience (`aud`), and the issuer (`iss`).
    """

    def __init__(self, jwks_url: str, issuer: str, audience: str) -> None:
        self._jwks_url, self._issuer, self._audience = jwks_url, issuer, audience
        self._keys: PyJWKClient | None = None

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the access that a token grants; None if the token is not valid or the public keys cannot be read."""
        return await anyio.to_thread.run_sync(self._verified, token)

    def _verified(self, token: str) -> AccessToken | None:
        import jwt  # loaded only if tokens are JSON Web Tokens

        if self._keys is None:
            self._keys = jwt.PyJWKClient(self._jwks_url, lifespan=KEY_SECONDS, timeout=10)
        try:
            key = self._keys.get_signing_key_from_jwt(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._audience,
                issuer=self._issuer,
                options={"require": ["exp", "aud", "iss"]},
            )
        except jwt.PyJWKClientConnectionError as error:
            logger.warning("the keys at %s cannot be read: %s", self._jwks_url, error)
            return None
        except jwt.PyJWTError as error:
            logger.info("a token was refused: %s", error)
            return None
        scopes = str(claims.get("scope", "")).split()
        client = claims.get("client_id") or claims.get("azp") or claims.get("sub")
        return AccessToken(
            token=token,
            client_id=str(client),
            scopes=scopes,
            expires_at=int(claims["exp"]),
            resource=self._audience,
            subject=claims.get("sub"),
            claims=claims,
        )


def authorization(settings: Settings, address: str) -> tuple[AuthSettings | None, TokenVerifier | None]:
    """Return the SDK's settings and verifier for the server's public address; (None, None) if no tokens are required.

    Raises:
        SettingsError: the settings for fixed tokens or for JSON Web Tokens are invalid.
    """
    tokens = fixed_tokens(settings)
    public = settings.public_url or address
    if settings.jwks_url or settings.issuer:
        if not (settings.jwks_url and settings.issuer and settings.public_url):
            raise SettingsError(
                "--jwks-url, --issuer and --public-url belong together: the address of the keys, the server that "
                "issues tokens, and this server's own address, which tokens must name as their audience"
            )
        if tokens:
            raise SettingsError("choose fixed tokens (--token-file, GRAPHGROUND_TOKEN) or --jwks-url, not both")
        return (
            AuthSettings(
                issuer_url=_address("--issuer", settings.issuer),
                resource_server_url=_address("--public-url", public),
                required_scopes=list(settings.scope) or None,
                validate_token_resource=True,
            ),
            JsonWebTokens(settings.jwks_url, settings.issuer, public),
        )
    if tokens:
        # Without an authorization server nothing is advertised: the operator gives the token to clients.
        issuer = _address("--public-url" if settings.public_url else "--host", public)
        operators = [settings.operator_token] if settings.operator_token else []
        return AuthSettings(issuer_url=issuer, resource_server_url=None), FixedTokens(tokens, operators)
    return None, None


def _address(option: str, value: str) -> AnyHttpUrl:
    try:
        return AnyHttpUrl(value)
    except ValidationError:
        raise SettingsError(
            f"{option} must give an address such as https://graphs.example.org/mcp, not {value!r}"
        ) from None


def fixed_tokens(settings: Settings) -> list[str]:
    """Return the tokens of the token file, of GRAPHGROUND_TOKEN and of GRAPHGROUND_OPERATOR_TOKEN.

    Raises:
        SettingsError: the file cannot be read or holds no token, or a token is too short.
    """
    tokens = [token for token in (settings.token, settings.operator_token, *settings.user_tokens) if token]
    if settings.token_file:
        try:
            lines = Path(settings.token_file).expanduser().read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"--token-file {settings.token_file} cannot be read: {error}") from None
        tokens += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        if not tokens:
            raise SettingsError(f"--token-file {settings.token_file} holds no token; write one per line")
    if any(len(token) < LEAST_CHARACTERS for token in tokens):
        raise SettingsError(
            f"a token must have at least {LEAST_CHARACTERS} characters; "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(32))'` makes one"
        )
    return tokens
