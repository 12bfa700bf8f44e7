"""Random weighted graphs. Node labels are permuted: the order of columns carries no information."""

from __future__ import annotations

from typing import Literal, TypeAlias, overload

import numpy as np
from scipy.sparse import csr_array

from daglock._parameters import require_integer, require_number, require_positive_numbers
from daglock.errors import InvalidParameterError
from daglock.graph import SparseArray
from daglock.typing import Array, IntArray, Seed

Signs: TypeAlias = Literal["both", "positive"]
Range: TypeAlias = tuple[float, float]


@overload
def erdos_renyi(
    n_nodes: int,
    n_edges: int,
    weights: Range = ...,
    signs: Signs = ...,
    rng: Seed = ...,
    *,
    sparse: Literal[False] = ...,
) -> Array: ...
@overload
def erdos_renyi(
    n_nodes: int,
    n_edges: int,
    weights: Range = ...,
    signs: Signs = ...,
    rng: Seed = ...,
    *,
    sparse: Literal[True],
) -> SparseArray: ...
def erdos_renyi(
    n_nodes: int,
    n_edges: int,
    weights: Range = (0.5, 1.0),
    signs: Signs = "both",
    rng: Seed = None,
    *,
    sparse: bool = False,
) -> Array | SparseArray:
    """Draw a random DAG with exactly ``n_edges`` edges, all sets of pairs equally likely.

    ``n_edges`` pairs are drawn without replacement from the d(d - 1)/2 and directed along a
    random order of the nodes. "ER1" and "ER4" of the literature are ``n_edges = d`` and ``4 d``.

    Parameters
    ----------
    n_nodes : d
    n_edges : at most d(d - 1)/2.
    weights : absolute weights are uniform on (low, high), 0 < low <= high.
    signs : "both", equally likely, or "positive".
    rng : the same seed gives the same graph, dense or sparse.
    sparse : return a CSR array; time and memory are then O(d + n_edges).

    Returns
    -------
    (d, d) array or CSR array; ``W[i, j] != 0`` means i -> j.

    References
    ----------
    Erdős and Rényi (1959), "On random graphs I", the model with a fixed number of edges.

    Examples
    --------
    >>> W = erdos_renyi(n_nodes=50, n_edges=50, weights=(0.5, 1.0), rng=0)
    >>> W.shape, int(np.count_nonzero(W))
    ((50, 50), 50)
    """
    require_integer("n_nodes", n_nodes, at_least=2)
    n_pairs = n_nodes * (n_nodes - 1) // 2
    require_integer("n_edges", n_edges, at_least=0)
    if n_edges > n_pairs:
        raise InvalidParameterError(
            f"n_edges must be at most {n_pairs} for {n_nodes} nodes; got {n_edges}."
        )
    rng = np.random.default_rng(rng)
    pairs = rng.choice(n_pairs, size=n_edges, replace=False)
    # Pair number p lies in row i of the upper triangle, whose rows have d - 1, d - 2, ... cells.
    row_ends = np.cumsum(np.arange(n_nodes - 1, 0, -1))
    first = np.searchsorted(row_ends, pairs, side="right").astype(np.intp)
    second = n_nodes - (row_ends[first] - pairs) if n_edges else first
    W = _weighted(first, second, n_nodes, weights, signs, rng)
    return W if sparse else W.toarray()


@overload
def scale_free(
    n_nodes: int,
    edges_per_node: int,
    weights: Range = ...,
    signs: Signs = ...,
    rng: Seed = ...,
    *,
    hubs: Literal["effects", "causes"] = ...,
    sparse: Literal[False] = ...,
) -> Array: ...
@overload
def scale_free(
    n_nodes: int,
    edges_per_node: int,
    weights: Range = ...,
    signs: Signs = ...,
    rng: Seed = ...,
    *,
    hubs: Literal["effects", "causes"] = ...,
    sparse: Literal[True],
) -> SparseArray: ...
def scale_free(
    n_nodes: int,
    edges_per_node: int,
    weights: Range = (0.5, 1.0),
    signs: Signs = "both",
    rng: Seed = None,
    *,
    hubs: Literal["effects", "causes"] = "effects",
    sparse: bool = False,
) -> Array | SparseArray:
    """Draw a random DAG whose degrees follow a power law (Barabási-Albert).

    Nodes arrive one after the other. The t-th (from zero) attaches to min(m, t) distinct earlier
    nodes, chosen with probability proportional to their degree, m = ``edges_per_node``: the
    graph has m d - m(m + 1)/2 edges.

    Parameters
    ----------
    n_nodes, weights, signs, rng, sparse : as in `erdos_renyi`.
    edges_per_node : from 1 to d - 1.
    hubs : with "effects" edges lead from new nodes to old ones, so that nodes of high degree have
        many parents (the habit of the literature); with "causes" from old to new.

    References
    ----------
    Barabási and Albert (1999), "Emergence of scaling in random networks".

    Examples
    --------
    >>> W = scale_free(n_nodes=50, edges_per_node=2, rng=0)
    >>> int(np.count_nonzero(W))
    97
    """
    require_integer("n_nodes", n_nodes, at_least=2)
    require_integer("edges_per_node", edges_per_node, at_least=1)
    if edges_per_node >= n_nodes:
        raise InvalidParameterError(
            f"edges_per_node must be below n_nodes = {n_nodes}; got {edges_per_node}."
        )
    if hubs not in ("effects", "causes"):
        raise InvalidParameterError(f"hubs must be 'effects' or 'causes', not {hubs!r}.")
    rng = np.random.default_rng(rng)
    ends: list[int] = []  # each node once for each of its edges: a uniform draw is by degree
    new_nodes: list[int] = []
    old_nodes: list[int] = []
    for node in range(1, n_nodes):
        chosen: dict[int, None] = dict.fromkeys(range(node) if node <= edges_per_node else ())
        while len(chosen) < min(edges_per_node, node):
            chosen[ends[rng.integers(len(ends))]] = None
        old_nodes.extend(chosen)
        new_nodes.extend([node] * len(chosen))
        ends.extend(chosen)
        ends.extend([node] * len(chosen))
    new, old = np.array(new_nodes, dtype=np.intp), np.array(old_nodes, dtype=np.intp)
    sources, targets = (new, old) if hubs == "effects" else (old, new)
    W = _weighted(sources, targets, n_nodes, weights, signs, rng)
    return W if sparse else W.toarray()


def near_cyclic(
    n_nodes: int = 3,
    spectral_radius: float = 0.999996,
    weights: Range = (0.5, 1.0),
    signs: Signs = "both",
    rng: Seed = None,
) -> Array:
    """Draw one cycle through all nodes, with a given spectral radius of W∘W: not a DAG.

    The d-th power of the spectral radius of W∘W is the product of the squared weights of the
    cycle. Random weights, as in `erdos_renyi`, are scaled by one factor to give it. Just below one,
    matrix series in W∘W converge as slowly as they can: a stress test for constraints. The default
    is the setting of Experiment 4 of the paper.

    Examples
    --------
    >>> W = near_cyclic(rng=0)
    >>> round(float(np.abs(np.linalg.eigvals(W * W)).max()), 9)
    0.999996
    """
    require_integer("n_nodes", n_nodes, at_least=2)
    require_number("spectral_radius", spectral_radius, above=0)
    rng = np.random.default_rng(rng)
    nodes = np.arange(n_nodes)
    W = _weighted(nodes, np.roll(nodes, -1), n_nodes, weights, signs, rng).toarray()
    geometric_mean = np.exp(np.mean(np.log(np.abs(W[W != 0]))))
    return np.asarray(W * (np.sqrt(spectral_radius) / geometric_mean))


def _weighted(
    sources: IntArray,
    targets: IntArray,
    n_nodes: int,
    weights: Range,
    signs: Signs,
    rng: np.random.Generator,
) -> SparseArray:
    """Permute the labels, draw the weights and fill the matrix."""
    require_positive_numbers("weights", weights)
    if len(weights) != 2 or weights[0] > weights[1]:
        raise InvalidParameterError(f"weights must be (low, high), low <= high; got {weights}.")
    if signs not in ("both", "positive"):
        raise InvalidParameterError(f"signs must be 'both' or 'positive', not {signs!r}.")
    labels = rng.permutation(n_nodes)
    values = rng.uniform(*weights, size=sources.size)
    if signs == "both":
        values *= rng.choice([-1.0, 1.0], size=sources.size)
    return csr_array((values, (labels[sources], labels[targets])), shape=(n_nodes, n_nodes))
