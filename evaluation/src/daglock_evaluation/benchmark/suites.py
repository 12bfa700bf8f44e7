"""The suites: cases that belong together, and the methods that they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daglock.simulate import NOISES
from daglock_evaluation.harness.case import UNEQUAL, AnyCase, Case, SachsCase
from daglock_evaluation.methods import look_up

# daglock, told or not, and what a graph is worth that sorting gives.
OURS = ("daglock", "daglock-equal")
SORTING = ("var-sortnregress", "r2-sortnregress", "top-down", "empty")
QUICK = (*OURS, "flop-0", "flop-20", *SORTING)
# What the paper compares with, and the paper's own solvers.
CONTINUOUS = ("dagma", "dagma-tuned", "notears", "golem-ev")
PAPER = ("paper-spg", "paper-exp-adam", "paper-aac", "paper-ahoc", "paper-logdet")
OWN = ("paper-spg", "paper-exp-adam", "paper-ahoc")
CLASSIC = ("boss", "ges", "pc", "pc-0.01", "xges", "direct-lingam", "ica-lingam")
TETRAD = ("tetrad-boss", "tetrad-grasp", "tetrad-fges")
# The scale is taken away.
RAW: Any = {}
SCALED: Any = {"variances": UNEQUAL, "standardised": True}
WEAK, UNEVEN = (0.1, 0.5), (0.05, 1.0)
# Distributions of the noise that are tried on larger graphs, too: a skewed and an even one.
LARGER = ("gumbel", "laplace")
# Graphs of a case: more where they are small.
SMALL, MANY, FEW = 100, 10, 5


@dataclass(frozen=True)
class Suite:
    """Cases with the methods (peers) that run on them unless a user names others.

    The cases of a family are small ones first; a case may have fewer graphs than `seeds`. Limits
    are seconds (of the processor) and gigabytes of a run.
    """

    name: str
    title: str
    cases: Sequence[AnyCase]
    peers: Sequence[str]
    seeds: int = MANY
    time_limit: float = 30.0
    memory_limit: float = 8.0


def sizes(*numbers: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of columns; the larger ones have fewer graphs."""
    most = {d: MANY if d <= SMALL else FEW for d in numbers}
    return [Case(d, edges_per_node, most_seeds=most[d], **settings) for d in numbers]


def rows(*numbers: int, d: int, edges_per_node: float, **settings: Any) -> list[Case]:
    """Return a family of cases over the number of rows."""
    return [Case(d, edges_per_node, n=n, **settings) for n in numbers]


def suites() -> dict[str, Suite]:
    """Return all suites by name, in their order."""
    return {suite.name: suite for suite in SUITES}


def find(name: str) -> Suite:
    """Return a suite by its name."""
    return look_up(suites(), name, "suite")


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
    peers=(*QUICK, *CONTINUOUS[:2], *CLASSIC[2:], "tetrad-boss", "paper-spg"),
    seeds=1,
    time_limit=15.0,
)
# What a change of the engine must not make worse: quick, with one other method for scale.
_CHECK = Suite(
    name="check",
    title="Accuracy, score at one price, relative speed and memory of daglock",
    cases=(
        *sizes(20, edges_per_node=1, **SCALED),
        *sizes(50, 100, edges_per_node=1),
        *sizes(50, edges_per_node=4, signs="positive"),
        *sizes(50, n=200, edges_per_node=2),
        *sizes(50, 100, edges_per_node=2, **SCALED),
        *sizes(50, edges_per_node=4, **SCALED),
    ),
    peers=(*OURS, "daglock-2bic", "flop-20"),
    seeds=5,
)
# The same of what it claims: its own model, another noise, causes that nobody recorded.
_CLAIMS = Suite(
    name="claims",
    title="What daglock claims, and how much of that is false",
    cases=(
        *sizes(20, edges_per_node=2, **SCALED),
        *sizes(20, edges_per_node=2, noise="laplace", **SCALED),
        *sizes(20, edges_per_node=2, hidden=0.3, **SCALED),
    ),
    peers=("daglock-claims",),
)
# The paper's protocol: sparse graphs, equal variances, raw data.
_PAPER = Suite(
    name="paper",
    title="The paper's protocol: ER1, weights ±[0.5,1], equal variances, n = 1000",
    cases=sizes(20, 50, 100, 200, 500, edges_per_node=1),
    peers=(*OURS, "flop-20", "var-sortnregress", "top-down", "empty", "dagma", "notears", *OWN),
)
# The DAG is identified, and the scale of the columns is information.
_EQUAL = Suite(
    name="equal",
    title="Equal variances, raw data",
    cases=(
        *sizes(20, edges_per_node=2),
        *rows(200, 1000, 5000, d=50, edges_per_node=2, most_seeds=MANY),
        *sizes(100, 200, 500, 1000, edges_per_node=2),
        *sizes(50, 100, 200, edges_per_node=4, signs="positive"),
        *sizes(50, edges_per_node=4, weights=(0.5, 2.0)),
        *sizes(50, edges_per_node=2, graph="sf"),
        *sizes(50, edges_per_node=2, graph="sw"),
        *sizes(50, edges_per_node=2, graph="hubs"),
        *sizes(50, edges_per_node=2, weights=UNEVEN),
        *sizes(1000, edges_per_node=4, n=5000, signs="positive"),
    ),
    peers=(*OURS, "flop-20", "dagma", "top-down", "var-sortnregress", "empty"),
)
# Only the equivalence class is identified, whatever the method.
_UNEQUAL = Suite(
    name="unequal",
    title="Unequal variances",
    cases=(
        *sizes(20, 50, 100, 200, 500, edges_per_node=1, **SCALED),
        *sizes(20, edges_per_node=2, **SCALED),
        *rows(200, 1000, 5000, d=50, edges_per_node=2, most_seeds=MANY, **SCALED),
        *sizes(100, 200, edges_per_node=2, **SCALED),
        *sizes(20, 50, 100, edges_per_node=4, **SCALED),
        *sizes(50, edges_per_node=2, variances=UNEQUAL),
    ),
    peers=(
        *("daglock", "daglock-2bic", "flop-20", "flop-20-ours", "flop-100"),
        *("tetrad-boss", "tetrad-boss-ours", "tetrad-grasp", "xges", "pc-0.01", "empty"),
    ),
)
# Real networks are not like those.
_SHAPES = Suite(
    name="shapes",
    title="Graphs of other shapes, uneven weights, unequal variances",
    cases=(
        *sizes(50, edges_per_node=2, graph="sf", **SCALED),
        *sizes(50, edges_per_node=2, weights=UNEVEN, **SCALED),
        *sizes(50, edges_per_node=2, graph="sw", weights=UNEVEN, **SCALED),
        *sizes(50, 100, edges_per_node=2, graph="hubs", weights=UNEVEN, **SCALED),
        *sizes(50, 100, edges_per_node=1.5, graph="regulators", weights=UNEVEN, **SCALED),
        *sizes(50, edges_per_node=2, graph="layers", weights=UNEVEN, **SCALED),
    ),
    peers=(
        *("daglock", "daglock-2bic", "flop-20", "flop-20-ours", "tetrad-boss", "tetrad-grasp"),
        *("pc", "pc-0.01", "pc-0.001", "empty"),
    ),
)
# Whether the noise variances are equal is not told, and the columns were prepared by somebody.
_SCALES = Suite(
    name="scales",
    title="What was done to the columns, and how unequal the variances are",
    cases=[
        case
        for weights in ((0.5, 1.0), WEAK)
        for variances in ((1.0, 1.0), (0.8, 1.25), UNEQUAL)
        for scale in (
            RAW,
            {"standardised": True},
            {"standardised": True, "prepared": "split"},
            {"standardised": True, "prepared": "rounded"},
            {"prepared": "min–max"},
        )
        for case in sizes(20, edges_per_node=2, weights=weights, variances=variances, **scale)
    ],
    peers=(*OURS, "daglock-unequal", "flop-20", "top-down", "var-sortnregress", "empty"),
)
# With the scale kept, and with the scale taken away.
_NOISE = Suite(
    name="noise",
    title="Distributions of the noise",
    cases=[
        *(
            case
            for noise in NOISES
            for scale in (RAW, SCALED)
            for case in sizes(20, edges_per_node=2, noise=noise, **scale)
        ),
        *(
            case
            for noise in NOISES
            if noise != "gaussian"
            for case in (
                *sizes(20, edges_per_node=2, n=300, noise=noise, **SCALED),
                *(sizes(50, edges_per_node=2, noise=noise, **SCALED) if noise in LARGER else ()),
            )
        ),
    ],
    peers=(
        *("daglock", "daglock-claims", "flop-20", "direct-lingam", "ica-lingam"),
        *("pc-0.01", "var-sortnregress", "empty"),
    ),
)
# The model is wrong: curves, and causes that nobody recorded.
_BEYOND = Suite(
    name="beyond",
    title="Curved effects and hidden common causes",
    cases=(
        *sizes(10, edges_per_node=1, curves="GP of all parents"),
        *sizes(10, edges_per_node=4, curves="GP of all parents"),
        *sizes(10, 20, edges_per_node=1, curves="sum of GPs"),
        *sizes(20, edges_per_node=1, curves="sum of sigmoids"),
        *sizes(10, 20, edges_per_node=1, hidden=0.3, **SCALED),
        *sizes(10, 20, edges_per_node=2, hidden=0.3, **SCALED),
        *sizes(10, 20, edges_per_node=2, n=5000, hidden=0.3, **SCALED),
    ),
    peers=(
        *("daglock", "daglock-claims", "daglock-curved", "flop-20", "tetrad-boss", "tetrad-basis"),
        *("tetrad-fci", "tetrad-gfci", "tetrad-bfci", "pc-0.01", "direct-lingam", "empty"),
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
        *("daglock", "daglock-equal", "daglock-unequal", "flop-20", "flop-100", "tetrad-boss"),
        *("pc-0.01", "top-down", "var-sortnregress", "empty"),
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
    peers=("daglock", "flop-0", "xges", "tetrad-fges", "var-sortnregress", "empty"),
    time_limit=60.0,
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
    peers=(*QUICK, "daglock-claims", "dagma", *CLASSIC, *TETRAD, *PAPER),
    seeds=1,
)
SUITES = (
    *(_QUICK, _CHECK, _CLAIMS, _PAPER, _EQUAL, _UNEQUAL, _SHAPES, _SCALES),
    *(_NOISE, _BEYOND, _HARD, _SCALE, _REAL),
)
