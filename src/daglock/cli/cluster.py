"""``--cluster``: the workers of a Dask scheduler do work of a command."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from daglock.cli.interrupts import load_first
from daglock.cli.options import checked
from daglock.errors import ClusterError, MissingExtraError

# Seconds for a scheduler to answer at first.
CONNECTING = 5.0
_HOST = r"\[(?P<six>[0-9a-fA-F:.%]+)\]|(?P<host>[^\s/:\[\]]+)"
_ADDRESS = re.compile(rf"(?:tcp|tls|ws|wss)://(?:{_HOST}):(?P<port>\d{{1,5}})/?")


def _is_address(text: str) -> bool:
    """Whether this looks like the address of a scheduler.

    Examples
    --------
    >>> [_is_address(text) for text in ("tcp://10.0.0.7:8786", "tls://[::1]:80", "host:8786")]
    [True, True, False]
    """
    match = _ADDRESS.fullmatch(text)
    return match is not None and 0 < int(match["port"]) < 2**16


address = checked(str, _is_address, "the address of a Dask scheduler, such as tcp://HOST:8786")


@contextmanager
def connected(to: str | None) -> Iterator[None]:
    """Make the cluster of a scheduler the active one; None leaves all as it is.

    Raises
    ------
    ClusterError
        Nobody answers there, or not as a scheduler does.
    """
    if to is None:
        yield
        return
    try:
        load_first("distributed")
    except ImportError:
        raise MissingExtraError(
            f"--cluster needs Dask: {sys.executable} -m pip install 'daglock[dask]'"
        ) from None
    from distributed import Client

    _hush()
    try:
        _knock(to)
        with warnings.catch_warnings():  # of versions that differ; where it matters it is an error
            warnings.simplefilter("ignore")
            client: Any = Client(to, timeout=CONNECTING)
    except Exception as error:  # of many kinds, by what it is that answers
        raise ClusterError(
            f"No Dask scheduler answers at {to}: start one there (dask scheduler), or correct "
            "--cluster."
        ) from error
    with client:
        yield


def _knock(at: str) -> None:
    """Raise an error unless a scheduler answers soon; whatever else listens there may never."""
    from distributed import rpc

    match = _ADDRESS.fullmatch(at)
    assert match is not None
    host = match["six"] or match["host"]
    socket.create_connection((host, int(match["port"])), CONNECTING).close()

    async def ask() -> None:
        async with rpc(at, timeout=CONNECTING) as scheduler:
            await asyncio.wait_for(scheduler.identity(), CONNECTING)

    asyncio.run(asyncio.wait_for(ask(), CONNECTING))


def _hush() -> None:
    """Keep what Dask logs from the terminal: workers that come and go are no news.

    Nor is what the Ctrl-C of a user ends in the thread that speaks with the scheduler.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith(("distributed.", "tornado.")) and isinstance(logger, logging.Logger):
            logger.setLevel(logging.NOTSET)
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
