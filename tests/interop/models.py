"""Models for these tests, and names that are hard to write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from daglock import DAGLock, Moments
from daglock.confidence import Confidence
from daglock.confidence.calibration import SPEAKERS
from daglock.simulate import population_covariance
from daglock.typing import Array

# The graph gmG8 that ships with pcalg. The class tells what points at V6, V7 and V8; of the rest,
# Ctrl - Bar, Bar - Author and Bar - V5, it does not; Goal has no edge.
NAMES = ("Author", "Bar", "Ctrl", "Goal", "V5", "V6", "V7", "V8")
IDENTIFIED = {("Author", "V6"), ("Author", "V8"), ("V5", "V6"), ("V5", "V8"), ("V6", "V7")}
OPEN = {("Author", "Bar"), ("Bar", "Ctrl"), ("Bar", "V5")}
MEANS = np.array([1.0, -2.0, 0.5, 30.0, 4.0, -1.0, 0.0, 10.0])
DEVIATIONS = np.array([1.0, 3.0, 0.5, 2.0, 1.5, 0.8, 4.0, 1.2])

HOSTILE = (
    'say "hi"',
    "line\nbreak",
    "carriage\rreturn",
    "tab\tstop",
    "a -> b",
    "größe 身長 😀",
    "",
    " ",
    "back\\slash",
    "C:\\",
    '\\"',
    "two\\\\",
    "joined\\\nline",
    "a\\nb",
    "\\N",
    '"; }',
    "<b>&amp;</b>",
    "]]>",
    "% fat",
    "#1",
    "a,b",
    "a:b",
    "1.5",
    "nan",
    "it's",
    "graph",
    "node",
    "// no comment",
    "--",
    "=1+1",
    "[x]",
    "\u2028",
    "\x85",
    "\x07",
    "\x00",
    "\ud800",
)


@cache
def truth() -> Array:
    """Weights of the graph, W[i, j] for i -> j."""
    W = np.zeros((8, 8))
    for k, (source, target) in enumerate(sorted(IDENTIFIED | OPEN)):
        W[NAMES.index(source), NAMES.index(target)] = (-1) ** k * (0.5 + 0.1 * k)
    return W


@cache
def model(names: Sequence[str] = NAMES, noise: str = "unequal") -> DAGLock:
    """Learn the graph from its own covariance: nothing is left to chance.

    What the model identifies is claimed; of the rest, the first edge leans.
    """
    variances = DEVIATIONS**2 if noise == "unequal" else np.ones(8)
    S = population_covariance(truth(), variances)
    fitted = DAGLock(noise, random_state=0).fit_moments(
        Moments.from_covariance(S, n=100_000, means=MEANS, names=names)
    )
    open_edges = iter([0.7, 0.6, 0.3])
    return claiming(fitted, [0.95 if o else next(open_edges) for o in fitted.learned_.dag.oriented])


def claiming(fitted: DAGLock, direction: Sequence[float]) -> DAGLock:
    """Give each edge of the graph a probability of its direction; those of links differ."""
    dag, ahead = fitted.learned_.dag, np.array(direction)
    turned = ahead < 0.5
    fitted._confidence = Confidence(
        names=fitted.names_,
        source=np.where(turned, dag.target, dag.source),
        target=np.where(turned, dag.source, dag.target),
        link=np.linspace(1.0, 0.98, dag.n_edges),
        direction=np.where(turned, 1 - ahead, ahead),
        in_graph=np.ones(dag.n_edges, dtype=np.bool_),
        misfit=np.zeros(dag.n_edges),
        alone=np.full((dag.n_edges, len(SPEAKERS)), 0.5),
        known=np.zeros(dag.n_edges, dtype=np.bool_),
        hidden=np.zeros(dag.n_edges),
        identifies="class",
        n_replicates=100,
    )
    return fitted


def with_name(name: str) -> DAGLock:
    """Return the model with a name in three places: with arrows, without, and with no edge."""
    names = list(NAMES)
    names[0], names[1], names[3] = name, f"{name}2", f"3{name}"
    return model(tuple(names))
