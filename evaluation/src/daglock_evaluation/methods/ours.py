"""daglock as a user calls it, and told what the others take for granted; and the empty graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from daglock.moments import Moments
from daglock.typing import Array, BoolArray
from daglock_evaluation.methods import Answer, Method
from daglock_evaluation.methods.classes import gamma_of_flop

if TYPE_CHECKING:
    from daglock.engine.learned import Learned


def fit(X: Array, seed: int, **options: Any) -> Learned:
    """Learn a graph by the engine alone: from the moments to the certificate."""
    from daglock.engine import learn

    return learn(Moments.from_data(X), rng=seed, **options)


def run(X: Array, seed: int, **options: Any) -> Answer:
    """Fit, from the table to the certificate; arrows are the directions that are identified."""
    from daglock import DAGLock  # which needs packages that the environments of others lack

    model = DAGLock(random_state=seed, **options).fit(X)
    edges = model.edges_
    told = edges["identified_by"] != ""
    arrows = _arrows(edges["source"][told], edges["target"][told], X.shape[1])
    return Answer(model.to_sparse(), note=f"noise model: {model.noise_model_}", arrows=arrows)


def run_at_price(X: Array, seed: int) -> Answer:
    """Fit at FLOP's price of an edge."""
    return run(X, seed, ebic_gamma=gamma_of_flop(*X.shape), noise="unequal")


def run_claims(X: Array, seed: int, claims: tuple[str, ...], **options: Any) -> Answer:
    """Fit, replicates included; arrows are the directions that are claimed."""
    from daglock import DAGLock

    model = DAGLock(random_state=seed, **options).fit(X)
    place = {name: j for j, name in enumerate(model.names_)}
    claimed = [edge for edge in model.claimed_edges() if edge.claim in claims]
    source, target = ([place[getattr(e, end)] for e in claimed] for end in ("source", "target"))
    return Answer(model.to_sparse(), arrows=_arrows(source, target, X.shape[1]))


def _arrows(source: Any, target: Any, d: int) -> BoolArray:
    """Return a matrix with these edges."""
    arrows = np.zeros((d, d), dtype=np.bool_)
    arrows[source, target] = True
    return arrows


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
    Method("daglock-2bic", "daglock, price of FLOP", "dag", run_at_price, "vermilion", "o"),
    Method("daglock-curved", "daglock, curved", "dag", run, "green", "o", options={"curved": True}),
    Method(
        *("daglock-claims", "daglock, what it claims", "dag", run_claims, "black", "o"),
        options={"claims": ("directed",)},
    ),
    Method("empty", "empty graph", "dag", run_empty, "grey", "_"),
)
