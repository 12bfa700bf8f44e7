"""The methods that are compared: one file for each package, with a tuple ``METHODS``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from daglock.errors import InvalidParameterError
from daglock_evaluation.methods.method import Answer, Method

__all__ = ["Answer", "Method", "find", "label_of", "methods"]


@cache
def methods() -> dict[str, Method]:
    """Return all methods by name, daglock's own first.

    Examples
    --------
    >>> list(methods())[:2]
    ['daglock', 'daglock-equal']
    """
    files = [found.name for found in pkgutil.iter_modules(__path__) if found.name != "method"]
    everyone: list[Method] = [
        method for name in files for method in import_module(f"{__name__}.{name}").METHODS
    ]
    everyone.sort(key=lambda method: (not method.name.startswith("daglock"), bool(method.package)))
    return {method.name: method for method in everyone}


def find(name: str) -> Method:
    """Return a method by its name."""
    if name not in methods():
        raise InvalidParameterError(f"There is no peer {name!r}; there are {', '.join(methods())}.")
    return methods()[name]


def label_of(name: str) -> str:
    """Return what people call a method; records may have methods that are no longer here."""
    known = methods().get(name)
    return name if known is None else known.label
