"""MCP over streamable HTTP."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Sequence

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from graphground.server.settings import SettingsError

PATH = "/mcp"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


def serve_http(server: Server, host: str, port: int, allowed_hosts: Sequence[str]) -> None:
    """Serve until interrupted; the address is told on stderr once clients can connect."""
    import uvicorn  # only this transport needs it

    listening = listen(host, port)
    app = server.streamable_http_app(streamable_http_path=PATH, json_response=True, host=host,
                                     transport_security=security(host, allowed_hosts))
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=3)
    address, bound = listening.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    sys.stderr.write(f"graphground: serving http://{shown}:{bound}{PATH}\n")
    sys.stderr.flush()
    uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        SettingsError: the address cannot be used, and why.
    """
    listening = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        if listening is not None:
            listening.close()
        raise SettingsError(f"cannot listen on {host} port {port}: {error.strerror or error}; "
                            f"choose another --host or --port (0 takes a free port)") from None
    return listening


def security(host: str, allowed_hosts: Sequence[str]) -> TransportSecuritySettings:
    """Which Host and Origin headers are accepted: the local ones and those that were allowed.

    Raises:
        SettingsError: the server would listen for other machines, and none of their names for it is allowed.
    """
    if not is_loopback(host) and not allowed_hosts:
        raise SettingsError(f"--host {host} listens for other machines: say under which name they may call this one, "
                            f"such as --allowed-host 'graphs.example.org:*' (this keeps web pages out)")
    hosts = [f"{local}:*" for local in LOCAL_HOSTS] + list(allowed_hosts)
    return TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=hosts,
                                     allowed_origins=[f"{scheme}://{name}" for name in hosts
                                                      for scheme in ("http", "https")])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
