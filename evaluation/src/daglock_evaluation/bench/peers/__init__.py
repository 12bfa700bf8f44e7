"""The methods that are compared: one file for each package, with a tuple ``PEERS``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from daglock.errors import InvalidParameterError
from daglock_evaluation.bench.peer import Peer


@cache
def peers() -> dict[str, Peer]:
    """Return all methods by name, daglock's own first.

    Examples
    --------
    >>> list(peers())[:2]
    ['daglock', 'daglock-equal']
    """
    modules = [
        import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    everyone: list[Peer] = [peer for module in modules for peer in module.PEERS]
    everyone.sort(key=lambda peer: peer.package is not None)
    everyone.sort(key=lambda peer: not peer.name.startswith("daglock"))
    return {peer.name: peer for peer in everyone}


def find(name: str) -> Peer:
    """Return a method by its name."""
    if name not in peers():
        raise InvalidParameterError(f"There is no peer {name!r}; there are {', '.join(peers())}.")
    return peers()[name]
