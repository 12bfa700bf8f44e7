"""The guard that keeps tests on this machine."""

from __future__ import annotations

import socket

import pytest

from tests import offline
from tests.offline import OfflineError


@pytest.mark.parametrize("host", ["93.184.216.34", "example.org", "2606:2800:220:1::1"])
def test_other_machines_are_refused(host: str) -> None:
    with pytest.raises(OfflineError, match=host), socket.create_connection((host, 80), 1.0):
        pass
    assert offline._asked
    offline._asked.clear()  # else this test fails, which is what it is for


def test_this_machine_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("localhost", port), 5.0) as one, server.accept()[0] as other:
            one.sendall(b"x")
            assert other.recv(1) == b"x"
