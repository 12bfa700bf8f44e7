"""The methods that are compared: what a method is, and in each file a tuple ``METHODS``."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import Graph, is_dag
from daglock.typing import Array, BoolArray

Known = TypeVar("Known")


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method gave.

    Attributes
    ----------
    graph : what the method's users get, after its own threshold. Of a DAG any non-zero [i, j] is
        i -> j; in a class 1 is i -> j and 2, in both cells, an undirected edge.
    n_raw, raw_is_dag : non-zeros, and whether it was acyclic, before the threshold; None where the
        method has none.
    note : one line for the record.
    weights : before the threshold, where a method has one or its users choose one.
    arrows : directions that it states, where these are not all that its graph has.
    """

    graph: Graph
    n_raw: int | None = None
    raw_is_dag: bool | None = None
    note: str = ""
    weights: Array | None = None
    arrows: BoolArray | None = None

    @classmethod
    def cut(cls, graph: Graph, raw: Array, note: str = "") -> Answer:
        """Return an answer that had these weights before the threshold."""
        return cls(graph, int(np.count_nonzero(raw)), is_dag(raw), note, weights=raw)


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    name, label : on the command line and in records; for people.
    returns : a DAG (or what should be one), an equivalence class, or "ancestors": some directions
        only, which hold whatever is hidden; its graph is then no class.
    run : from a table, whose columns are in random order, a seed and the options to an `Answer`;
        imports its package itself. It may change the table.
    colour, marker : in figures.
    package : distribution that must be installed; None for daglock itself.
    scaling : what is done to the table before, in words, as its authors recommend.
    options : given to `run`, and recorded.
    warm_up : options of the run on a small table before the one that counts, which loads the
        package and compiles what it compiles.
    grid : for a tuned method, the options to choose from, on graphs apart.
    """

    name: str
    label: str
    returns: Literal["dag", "class", "ancestors"]
    run: Callable[..., Answer]
    colour: str = "grey"
    marker: str = "o"
    package: str | None = None
    scaling: str = "as given"
    options: Mapping[str, Any] = field(default_factory=dict)
    warm_up: Mapping[str, Any] = field(default_factory=dict)
    grid: Sequence[Mapping[str, Any]] = ()


@cache
def methods() -> dict[str, Method]:
    """Return all methods by name: daglock's own, those that need no package, package by package.

    Examples
    --------
    >>> list(methods())[:2]
    ['daglock', 'daglock-equal']
    """

    def place(method: Method) -> tuple[bool, str]:
        package = (method.package or "").lower().replace("-", "")
        return not method.name.startswith("daglock"), package

    files = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    everyone: list[Method] = [method for file in files for method in file.METHODS]
    return {method.name: method for method in sorted(everyone, key=place)}


def find(name: str) -> Method:
    """Return a method by its name."""
    return look_up(methods(), name, "peer")


def look_up(known: Mapping[str, Known], name: str, what: str, where: str = "") -> Known:
    """Return what has a name, or say what there is.

    Examples
    --------
    >>> look_up({"ges": 1, "pc": 2}, "pcx", "method", " for mixed")
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: There is no method 'pcx' for mixed; there are ges, pc.
    """
    if name not in known:
        there = ", ".join(known)
        raise InvalidParameterError(f"There is no {what} {name!r}{where}; there are {there}.")
    return known[name]


def label_of(name: str) -> str:
    """Return what people call a method; records may have methods that are no longer here."""
    known = methods().get(name)
    return name if known is None else known.label
