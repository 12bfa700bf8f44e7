"""Suite: cases that belong together, and the methods that they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daglock_evaluation.bench.cases import AnyCase, Case

# daglock and what is quick enough for every case.
QUICK = (
    "daglock",
    "daglock-equal",
    "flop-0",
    "flop-20",
    "xges",
    "var-sortnregress",
    "r2-sortnregress",
    "empty",
)
# What the paper compares with, and the paper's own solvers.
CONTINUOUS = ("dagma", "dagma-tuned", "notears", "golem-ev")
PAPER = ("paper-spg", "paper-exp-adam", "paper-aac", "paper-ahoc", "paper-logdet")
CLASSIC = ("boss", "ges", "pc", "direct-lingam")
# Noise variances of the cases in which they differ.
UNEQUAL = (0.5, 2.0)


@dataclass(frozen=True)
class Suite:
    """Cases with the methods that run on them unless a user names others.

    Attributes
    ----------
    name, title : on the command line, and for people.
    place : among the other suites.
    cases : in a family the small ones first.
    peers : names.
    seeds : graphs for each case; a case may have fewer.
    time_limit, memory_limit : seconds and gigabytes of a run.
    """

    name: str
    title: str
    place: int
    cases: Sequence[AnyCase]
    peers: Sequence[str]
    seeds: int = 5
    time_limit: float = 60.0
    memory_limit: float = 8.0


def sizes(*numbers: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of columns; the larger ones have fewer graphs."""
    return [Case(d, edges_per_node, most_seeds=_seeds(d), **settings) for d in numbers]


def rows(*numbers: int, d: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of rows."""
    return [Case(d, edges_per_node, n=n, **settings) for n in numbers]


def _seeds(d: int) -> int:
    """Return how many graphs a size gets at the most."""
    return 10 if d <= 50 else 2 if d <= 200 else 1
