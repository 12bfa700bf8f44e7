"""The suites: cases that belong together, and the methods that they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.simulate import NOISES
from daglock_evaluation.harness.case import AnyCase, Case, SachsCase

# daglock, and sorting, and what is quick enough for every case.
OURS = ("daglock", "daglock-equal")
SORTING = ("var-sortnregress", "r2-sortnregress", "empty")
QUICK = (*OURS, "flop-0", "flop-20", "xges", *SORTING)
# What the paper compares with, and the paper's own solvers.
CONTINUOUS = ("dagma", "dagma-tuned", "notears", "golem-ev")
PAPER = ("paper-spg", "paper-exp-adam", "paper-aac", "paper-ahoc", "paper-logdet")
CLASSIC = ("boss", "ges", "pc", "direct-lingam")
# Noise variances of the cases in which they differ, and these with the scale taken away.
UNEQUAL = (0.5, 2.0)
RAW: Any = {}
SCALED: Any = {"variances": UNEQUAL, "standardised": True}
WEAK = (0.1, 0.5)


@dataclass(frozen=True)
class Suite:
    """Cases with the methods (peers) that run on them unless a user names others.

    The cases of a family are small ones first; a case may have fewer graphs than `seeds`. Limits
    are seconds and gigabytes of a run.
    """

    name: str
    title: str
    cases: Sequence[AnyCase]
    peers: Sequence[str]
    seeds: int = 3
    time_limit: float = 60.0
    memory_limit: float = 8.0


def sizes(*numbers: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of columns; the larger ones have fewer graphs."""
    most = {d: 10 if d <= 50 else 2 if d <= 200 else 1 for d in numbers}
    return [Case(d, edges_per_node, most_seeds=most[d], **settings) for d in numbers]


def rows(*numbers: int, d: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of rows."""
    return [Case(d, edges_per_node, n=n, **settings) for n in numbers]


def suites() -> dict[str, Suite]:
    """Return all suites by name, in their order."""
    return {suite.name: suite for suite in SUITES}


def find(name: str) -> Suite:
    """Return a suite by its name."""
    if name not in suites():
        raise InvalidParameterError(f"There is no suite {name!r}; there are {', '.join(suites())}.")
    return suites()[name]


def title_of(name: str) -> str:
    """Return the title of a suite; records may be of one that is no longer here."""
    known = suites().get(name)
    return name if known is None else known.title


# A little of everything, in a quarter of an hour.
_QUICK = Suite(
    name="quick",
    title="A little of everything",
    cases=(
        *sizes(20, 50, 100, edges_per_node=1),
        *sizes(20, 50, edges_per_node=2, **SCALED),
        SachsCase("observational"),
    ),
    peers=(*QUICK, *CONTINUOUS, *CLASSIC, "paper-spg", "paper-exp-adam"),
    seeds=1,
    time_limit=15.0,
)
# What a change of the engine must not make worse: quick, with one other method for scale.
_CHECK = Suite(
    name="check",
    title="Accuracy and relative speed of daglock",
    cases=(
        *sizes(50, 100, edges_per_node=1),
        *sizes(50, edges_per_node=4, signs="positive"),
        *sizes(50, n=200, edges_per_node=2),
        *sizes(50, 100, edges_per_node=2, **SCALED),
        *sizes(50, edges_per_node=4, **SCALED),
    ),
    peers=(*OURS, "flop-20"),
    seeds=5,
)
# The paper's protocol: sparse graphs, equal variances, raw data.
_PAPER = Suite(
    name="paper",
    title="The paper's protocol: ER1, weights ±[0.5,1], equal variances, n = 1000",
    cases=sizes(20, 50, 100, 200, 500, edges_per_node=1),
    time_limit=120.0,
    peers=(*QUICK, "flop-100", *CONTINUOUS, *CLASSIC, *PAPER),
)
# The DAG is identified, and the scale of the columns is information.
_EQUAL = Suite(
    name="equal",
    title="Equal variances, raw data",
    cases=(
        *sizes(20, edges_per_node=2),
        *rows(200, 1000, 5000, d=50, edges_per_node=2),
        *sizes(100, 200, 500, 1000, edges_per_node=2),
        *sizes(20, 50, 100, 200, edges_per_node=4, signs="positive"),
        *sizes(20, 50, 100, 200, edges_per_node=4, weights=(0.5, 2.0)),
        *sizes(50, 100, edges_per_node=2, graph="sf"),
        *sizes(50, 100, edges_per_node=4, graph="sf", signs="positive"),
        *sizes(1000, edges_per_node=4, n=5000, signs="positive"),
    ),
    peers=(*OURS, "flop-0", "flop-20", "dagma", "dagma-tuned", "var-sortnregress", "empty"),
)
# Only the equivalence class is identified, whatever the method.
_UNEQUAL = Suite(
    name="unequal",
    title="Unequal variances",
    cases=(
        *sizes(20, edges_per_node=2, **SCALED),
        *rows(200, 1000, 5000, d=50, edges_per_node=2, **SCALED),
        *sizes(100, 200, 500, edges_per_node=2, **SCALED),
        *sizes(20, 50, 100, 200, 500, edges_per_node=1, **SCALED),
        *sizes(20, 50, 100, edges_per_node=4, **SCALED),
        *sizes(20, 50, edges_per_node=2, variances=UNEQUAL),
    ),
    peers=(
        *("daglock", "daglock-unequal", "flop-0", "flop-20", "flop-100", "xges"),
        *("boss", "ges", "pc", "dagma", "r2-sortnregress", "empty"),
    ),
)
# With the scale kept, and with the scale taken away.
_NOISE = Suite(
    name="noise",
    title="Distributions of the noise",
    cases=[
        case
        for noise in NOISES
        for scale in (RAW, SCALED)
        for case in sizes(20, edges_per_node=2, noise=noise, **scale)
    ],
    peers=(
        *(*OURS, "flop-20", "dagma", "notears"),
        *("direct-lingam", "pc", "var-sortnregress", "empty"),
    ),
)
# Where methods break.
_HARD = Suite(
    name="hard",
    title="Few rows, weak edges, near copies, dense graphs",
    cases=(
        *sizes(100, n=50, edges_per_node=1),
        *sizes(100, n=50, edges_per_node=1, **SCALED),
        *sizes(200, n=100, edges_per_node=2),
        *sizes(50, edges_per_node=2, weights=WEAK),
        *sizes(50, edges_per_node=2, weights=WEAK, **SCALED),
        *sizes(20, 50, edges_per_node=2, near_copies=0.3, standardised=True),
        *sizes(20, edges_per_node=8),
        *sizes(20, edges_per_node=8, **SCALED),
        *sizes(50, edges_per_node=10, **SCALED),
    ),
    peers=(
        *(*OURS, "daglock-unequal", "flop-20", "flop-100"),
        *("boss", "pc", "dagma", "var-sortnregress", "empty"),
    ),
)
# Thousands of columns.
_SCALE = Suite(
    name="scale",
    title="Sparse graphs with thousands of columns, n = 2000",
    cases=(
        *sizes(1000, 2000, 5000, 10_000, n=2000, edges_per_node=1),
        *sizes(1000, 2000, n=2000, edges_per_node=1, **SCALED),
    ),
    peers=(*OURS, "flop-0", "xges", "var-sortnregress", "empty"),
    memory_limit=10.0,
)
# The seeds only change the order of columns. No tuned method: there are no other data of this kind
# to tune it on.
_REAL = Suite(
    name="real",
    title="Sachs: protein signalling",
    cases=(
        SachsCase("observational"),
        SachsCase("observational", scale="standardised"),
        SachsCase("observational", scale="log"),
        SachsCase("observational", edges=20),
        SachsCase("pooled"),
        SachsCase("pooled", scale="log"),
    ),
    peers=(*QUICK, "daglock-unequal", "dagma", "notears", *CLASSIC, *PAPER),
    seeds=1,
)
SUITES = (_QUICK, _CHECK, _PAPER, _EQUAL, _UNEQUAL, _NOISE, _HARD, _SCALE, _REAL)
