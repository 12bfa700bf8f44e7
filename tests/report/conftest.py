"""Models to report on: small, quick to fit, one of each kind."""

from __future__ import annotations

import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.confidence.replicates import Bootstrap
from daglock.datasets import load_sachs
from daglock.simulate import erdos_renyi, linear_sem

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
    """Twelve variables, all edges oriented."""
    return fit(12, 18, tuple(f"gene {k}" for k in range(12)))


@pytest.fixture(scope="session")
def sachs() -> DAGLock:
    """Real data with edges that the data cannot orient."""
    data = load_sachs()
    return DAGLock("unequal", random_state=0).fit_moments(
        Moments.from_data(data.data, names=data.names)
    )


@pytest.fixture(scope="session")
def unequal() -> DAGLock:
    """So many variables that there is a continuous stage and a search, with restarts."""
    X = linear_sem(erdos_renyi(16, 20, rng=1), 500, rng=2)
    return DAGLock("unequal", n_restarts=4, random_state=0).fit(X)


@pytest.fixture(scope="session")
def hostile() -> DAGLock:
    """Column names that try to get out of the page."""
    return fit(len(HOSTILE), 18, HOSTILE)


@pytest.fixture(scope="session")
def large() -> DAGLock:
    """Two hundred variables."""
    return fit(200, 260)
