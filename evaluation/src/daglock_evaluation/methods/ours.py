"""daglock as it is by default, and told what the others take for granted; and the empty graph."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.moments import Moments
from daglock.typing import Array
from daglock_evaluation.methods import Answer, Method


def fit(X: Array, seed: int, **options: Any) -> Learned:
    """Learn a graph: all that counts, from the table to the certificate."""
    return learn(Moments.from_data(X), rng=seed, **options)


def run(X: Array, seed: int, **options: Any) -> Answer:
    """Return the graph that was learned."""
    learned = fit(X, seed, **options)
    return Answer(learned.to_sparse(), note=f"noise model: {learned.noise}")


def run_empty(X: Array, seed: int) -> Answer:
    """Return no edge: what every method must beat."""
    return Answer(sparse.csr_array((X.shape[1], X.shape[1])))


def _told(noise: str, colour: str) -> Method:
    """Return daglock with a noise model that it is told."""
    label = f"daglock, told {noise} variances"
    return Method(f"daglock-{noise}", label, "dag", run, colour, options={"noise": noise})


METHODS = (
    Method("daglock", "daglock", "dag", run, "black", "*"),
    _told("equal", "blue"),
    _told("unequal", "sky"),
    Method("empty", "empty graph", "dag", run_empty, "grey", "_"),
)
