"""daglock itself, as it is by default, and told what the others take for granted."""

from __future__ import annotations

from typing import Any

from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.moments import Moments
from daglock.typing import Array
from daglock_evaluation.bench.peer import Answer, Peer


def fit(X: Array, seed: int, **options: Any) -> Learned:
    """Learn a graph: all that counts, from the table to the certificate."""
    return learn(Moments.from_data(X), rng=seed, **options)


def run(X: Array, seed: int, **options: Any) -> Answer:
    """Return the graph that was learned."""
    learned = fit(X, seed, **options)
    return Answer(learned.to_sparse(), note=f"noise model: {learned.noise}")


PEERS = (
    Peer("daglock", "daglock", "dag", run, colour="black", marker="*"),
    Peer(
        "daglock-equal",
        "daglock, told equal variances",
        "dag",
        run,
        options={"noise": "equal"},
        colour="blue",
        marker="o",
    ),
    Peer(
        "daglock-unequal",
        "daglock, told unequal variances",
        "dag",
        run,
        options={"noise": "unequal"},
        colour="sky",
        marker="o",
    ),
)
