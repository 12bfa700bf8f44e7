"""Models to report on: small, quick to fit, one of each kind."""

from __future__ import annotations

import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.confidence import Bootstrap, Confidence
from daglock.confidence.calibration import SPEAKERS
from daglock.datasets import load_sachs
from daglock.simulate import erdos_renyi, linear_sem
from daglock.table import Table

# What a hostile table can call its columns.
HOSTILE = (
    "</script><script>window.hacked = 1; alert(1)</script>",
    '"><img src=x onerror="window.hacked = 2; alert(2)">',
    "'single' \"double\" `back` \\ back\\slashes \\u003c",
    "line\u2028separator\u2029paragraph",
    "\u202ereversed\u202c \u200frtl",
    "a very long name " * 40,
    "",
    "😀 emoji 👩‍👩‍👧",
    "new\nline\ttab",
    "=HYPERLINK(1)",
    "${alert(3)} $title {{7*7}} &lt;b&gt; <!-- ]]>",
    "javascript:alert(4)",
)


def fit(
    d: int, n_edges: int, names: tuple[str, ...] | None = None, noise: str = "equal"
) -> DAGLock:
    """A model of simulated data, without restarts."""
    X = np.asarray(linear_sem(erdos_renyi(d, n_edges, rng=1), 1000, rng=2))
    return DAGLock(noise, n_restarts=0, random_state=0).fit_moments(
        Moments.from_data(X, names=names)
    )


def made_up_confidence(
    model: DAGLock, directions: tuple[float, ...] = (0.97, 0.8, 0.55)
) -> Confidence:
    """Probabilities that differ from edge to edge, and a pair that is not in the graph."""
    dag = model.learned_.dag
    linked = set(zip(dag.source.tolist(), dag.target.tolist(), strict=True))
    absent = next(
        (i, j)
        for i in range(dag.d)
        for j in range(dag.d)
        if i != j and not {(i, j), (j, i)} & linked
    )
    n, k = dag.n_edges, np.arange(dag.n_edges + 1)
    misfit = np.where(k % 4 == 0, 0.7, 0.1)
    direction = np.resize(directions, n + 1)
    alone = np.full((n + 1, len(SPEAKERS)), 0.5)
    alone[:, 0], alone[:, -1] = direction, 1 - 0.4 * direction
    return Confidence(
        names=model.names_,
        source=np.append(dag.source, absent[0]),
        target=np.append(dag.target, absent[1]),
        link=np.append(np.linspace(0.99, 0.3, n), 0.42),
        direction=direction,
        in_graph=k < n,
        misfit=misfit,
        alone=alone,
        known=np.zeros(n + 1, dtype=np.bool_),
        hidden=np.where((k % 5 == 1) & model.is_linear_, 4.0, 0.0),
        identifies="class",
        n_replicates=20,
    )


def believe(model: DAGLock, *directions: float) -> DAGLock:
    """Give a model a confidence that was made up, so that nothing depends on the calibration."""
    model._confidence = made_up_confidence(model, directions or (0.97, 0.8, 0.55))
    return model


def made_up_bootstrap(model: DAGLock) -> Bootstrap:
    """Frequencies that differ from edge to edge, and a pair that is not in the graph."""
    learned, d = model.learned_, len(model.names_)
    joined = {
        (min(i, j), max(i, j))
        for i, j in zip(learned.dag.source.tolist(), learned.dag.target.tolist(), strict=True)
    }
    absent = next((i, j) for i in range(d) for j in range(i + 1, d) if (i, j) not in joined)
    pairs = np.array(sorted([*joined, absent]), dtype=np.intp)
    rng = np.random.default_rng(0)
    adjacent = rng.integers(8, 20, len(pairs)) / 20
    forward = adjacent * rng.integers(0, 3, len(pairs)) / 4
    backward = adjacent * rng.integers(0, 3, len(pairs)) / 4
    return Bootstrap(
        n=20,
        names=model.names_,
        first=pairs[:, 0].copy(),
        second=pairs[:, 1].copy(),
        forward=forward,
        backward=backward,
        adjacent=adjacent,
        order=learned.dag.order,
        library=None,
        drawn_from="rows",
    )


@pytest.fixture(scope="session")
def equal() -> DAGLock:
    """Twelve variables, all directions claimed."""
    return believe(fit(12, 18, tuple(f"gene {k}" for k in range(12))), 0.97)


@pytest.fixture(scope="session")
def sachs() -> DAGLock:
    """Real data, with directions of every claim."""
    data = load_sachs()
    model = DAGLock("unequal", shape="ignore", random_state=0)
    return believe(model.fit(Table(data.data, data.names)))


@pytest.fixture(scope="session")
def unequal() -> DAGLock:
    """So many variables that there is a continuous stage and a search, with restarts."""
    X = linear_sem(erdos_renyi(20, 24, rng=1), 500, rng=2)
    return believe(DAGLock("unequal", n_restarts=4, random_state=0).fit(X))


@pytest.fixture(scope="session")
def hostile() -> DAGLock:
    """Column names that try to get out of the page."""
    return believe(fit(len(HOSTILE), 18, HOSTILE))


@pytest.fixture(scope="session")
def large() -> DAGLock:
    """Two hundred variables."""
    return believe(fit(200, 260))
