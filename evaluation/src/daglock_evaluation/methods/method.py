"""Method: what is compared, with what it needs and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from daglock.graph import Graph
from daglock.typing import Array


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
    """

    graph: Graph
    n_raw: int | None = None
    raw_is_dag: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    name : on the command line and in records.
    label : for people.
    returns : a DAG (or what should be one), or an equivalence class.
    run : from a table, whose columns are in random order, and a seed to an `Answer`; imports its
        package itself. It may change the table.
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
    returns: Literal["dag", "class"]
    run: Callable[..., Answer]
    colour: str = "grey"
    marker: str = "o"
    package: str | None = None
    scaling: str = "as given"
    options: Mapping[str, Any] = field(default_factory=dict)
    warm_up: Mapping[str, Any] = field(default_factory=dict)
    grid: Sequence[Mapping[str, Any]] = ()

    def answer(self, X: Array, seed: int, options: Mapping[str, Any]) -> Answer:
        """Run the method."""
        return self.run(X, seed, **options)
