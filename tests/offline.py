"""No test reaches beyond this machine: whoever tries is refused, and the test fails."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator
from typing import Any

import pytest

# What was asked for since the last test.
_asked: list[str] = []


class OfflineError(Exception):
    """A connection was asked for that leaves this machine."""


def is_local(host: object) -> bool:
    """Whether a host is this machine; a path, or no host at all, is.

    Examples
    --------
    >>> [is_local(host) for host in ("127.0.0.1", "::1", "localhost", "/run/x", None)]
    [True, True, True, True, True]
    >>> [is_local(host) for host in ("93.184.216.34", "example.org")]
    [False, False]
    """
    if isinstance(host, bytes | bytearray):
        host = host.decode(errors="replace")
    if host is None or host in ("", "localhost") or str(host).startswith(("/", "\0")):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what Python is about to do if it looks for another machine."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if not is_local(host):
        _asked.append(f"{event}: {host}")
        raise OfflineError(f"a test asks for {host}")


def block() -> None:
    """Refuse connections from now on; for all of this process."""
    sys.addaudithook(refuse)


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    """Fail a test that asked for another machine, even if it took no for an answer."""
    _asked.clear()
    yield
    asked, _asked[:] = [*_asked], []
    assert not asked
