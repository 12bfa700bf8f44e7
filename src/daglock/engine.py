"""The pipeline: moments, a start, the order search, weights, certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import numpy as np
import scipy.sparse

from daglock._compiling import announce_compilation
from daglock._parameters import as_numbers, require_integer, require_number
from daglock.certificate import Certificate, gradient_residual
from daglock.diagnostics.singular import warnings_about
from daglock.errors import InvalidParameterError
from daglock.graph import dag_to_cpdag
from daglock.knowledge import Masks, respect
from daglock.moments import Moments, canonical_order
from daglock.search.lock import lock
from daglock.search.order import SMALL
from daglock.search.parents import make_spec
from daglock.search.run import Found, search_order
from daglock.search.score import default_gamma, edge_cost, graph_score, least_squares
from daglock.search.start import conditional_variance_order, precision_order
from daglock.solution import Status
from daglock.solvers.prox_linear import Path, prox_linear_path
from daglock.typing import Array, IntArray, Seed

# σ² of the equal-variance criterion is settled when it changes by less than this share.
SIGMA_SETTLED = 0.01
MAX_ROUNDS = 5
# A node has at most this many parents, and at most a quarter as many as there are rows.
MAX_PARENTS = 100
# Above this many variables the continuous stage, which keeps dense arrays, is not the default.
MAX_CONTINUOUS = 2000
# Above this many variables regressions on all predecessors cost more than they can give.
MAX_FULL = 1000
# Above this many variables restarts are done only when they are asked for.
MAX_RESTARTED = 500

Progress = Callable[[str, int, float], None]


@dataclass(frozen=True, eq=False)
class Learned:
    """A graph, how sure it is, and how it was found.

    Attributes
    ----------
    source, target, weight : the edges i -> j with the least-squares effect of i on j.
    order : (d,) a topological order.
    noise : the noise model, "equal" or "unequal".
    noise_variances : (d,) RSS_j / n; under "equal" all the same.
    scores : score of the best graph found under each noise model that was tried; per row, with
        the price of the variances included, so that they compare.
    ebic_gamma : the γ that was used.
    certificate : Certificate
    status : Status
    message : a sentence for a person; names the columns that stand in the way, if any.
    n_restarts : restarts that were done.
    search_scores : best score after the first descent, after every batch of restarts, at the end.
    continuous : the path of the continuous stage, or None where the start was another.
    """

    source: IntArray
    target: IntArray
    weight: Array
    order: IntArray
    noise: str
    noise_variances: Array
    scores: dict[str, float]
    ebic_gamma: float
    certificate: Certificate
    status: Status
    message: str
    n_restarts: int
    search_scores: list[float]
    continuous: Path | None

    def to_sparse(self) -> scipy.sparse.csr_array[np.float64]:
        """W as a CSR matrix: W[i, j] is the effect of i on j."""
        d = len(self.order)
        return scipy.sparse.csr_array((self.weight, (self.source, self.target)), shape=(d, d))

    def cpdag(self) -> scipy.sparse.csr_array[np.int8]:
        """What the data can orient, sparse: 1 directed i -> j, 2 undirected (both cells)."""
        d = len(self.order)
        ones = np.ones(len(self.source), dtype=np.int8)  # a required edge can weigh zero
        pattern = scipy.sparse.csr_array((ones, (self.source, self.target)), shape=(d, d))
        return pattern if self.noise == "equal" else dag_to_cpdag(pattern)


def learn(
    moments: Moments,
    *,
    noise: str = "auto",
    ebic_gamma: float | None = None,
    masks: Masks | None = None,
    start: str | Array | IntArray | None = None,
    n_restarts: int | None = None,
    time_limit: float | None = None,
    rng: Seed = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Learned:
    """Learn a DAG from moments.

    For each noise model: a start (continuous stage or conditional variances), which gives an
    order; the order search with exact parents; least-squares weights on the chosen parents. The
    better model under the BIC is returned, with its certificate.

    Parameters
    ----------
    moments : Moments
    noise : "equal", "unequal" or "auto"
        One variance for all (the DAG is identified), one for each (only its equivalence class
        is), or whichever the BIC prefers.
    ebic_gamma : float, optional
        γ of the price of an edge; by default the one that expects one false edge in a hundred
        graphs without any.
    masks : Masks, optional
        Hard knowledge; never violated.
    start : "continuous", "order", or an array, optional
        The continuous stage; an order of conditional variances; or your own: a (d,) array is an
        order, a (d, d) array a weight matrix, cyclic or not. By default "order" for equal
        variances and "continuous" for unequal ones.
    n_restarts : int, optional
    time_limit : float, optional
        Seconds; the best graph so far is returned.
    rng : seed or generator
    n_jobs : threads; the result does not depend on it.
    progress : called with the noise model, the restarts done and the best score.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> W = erdos_renyi(10, 10, rng=0)
    >>> learned = learn(Moments.from_data(linear_sem(W, 1000, rng=1)), noise="equal")
    >>> bool(((learned.to_sparse().toarray() != 0) == (W != 0)).all())
    True
    """
    if not (isinstance(noise, str) and noise in ("equal", "unequal", "auto")):
        raise InvalidParameterError(f"noise must be equal, unequal or auto; got {noise!r}.")
    if not isinstance(moments, Moments):
        raise InvalidParameterError("moments must be Moments: make them by Moments.from_data(X).")
    if n_restarts is not None:
        require_integer("n_restarts", n_restarts, at_least=0)
    if time_limit is not None:
        require_number("time_limit", time_limit, at_least=0)
    require_integer("n_jobs", n_jobs, at_least=1)
    n, d = moments.n, moments.d
    gamma = default_gamma(n, d) if ebic_gamma is None else ebic_gamma
    setting = _Setting(
        moments,
        edge_cost(n, d, gamma),
        _checked_masks(masks, d),
        _checked_start(start, moments),
        n_restarts,
        _generator(rng),
        n_jobs,
        np.inf if time_limit is None else perf_counter() + time_limit,
        progress,
    )
    announce_compilation()
    fits: dict[str, _Fit] = {}
    for model in ("equal", "unequal") if noise == "auto" else (noise,):
        fits[model] = _fit_equal(setting) if model == "equal" else _fit_unequal(setting)
        if fits[model].stopped == "interrupt":
            break
    scores = {model: fit.score + _variance_price(model, n, d) for model, fit in fits.items()}
    model = min(scores, key=scores.__getitem__)
    stopped = next((fit.stopped for fit in fits.values() if fit.stopped), "")
    return _finish(setting, model, fits[model], scores, gamma, stopped)


def _checked_masks(masks: Masks | None, d: int) -> Masks:
    """Return masks that fit d variables."""
    if masks is None:
        return Masks()
    if not isinstance(masks, Masks):
        raise InvalidParameterError("masks must be Masks: make them by knowledge_masks(d, ...).")
    for mask in (masks.allowed, masks.required, masks.before):
        if mask is not None and mask.shape != (d, d):
            raise InvalidParameterError(
                f"masks must have shape ({d}, {d}), one row for each column; got {mask.shape}."
            )
    return masks


def _checked_start(start: object, moments: Moments) -> str | IntArray | None:
    """Return the start as it was named, or as an order."""
    d = moments.d
    if start is None or (isinstance(start, str) and start in ("continuous", "order")):
        return start
    if isinstance(start, str):
        raise InvalidParameterError(
            f"start must be continuous, order, an order of the columns or a matrix; got {start!r}."
        )
    array = as_numbers("start", start)
    if array.shape == (d, d):
        return lock(array, canonical_order(moments.cov))
    if array.shape == (d,) and np.array_equal(np.sort(array), np.arange(d)):
        return array.astype(np.intp)
    raise InvalidParameterError(
        f"start must hold each of the columns 0 to {d - 1} once, or be a weight matrix of shape "
        f"({d}, {d}); got an array of shape {array.shape}."
    )


def _generator(rng: Seed) -> np.random.Generator:
    """Return the generator of a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"The seed must be a whole number >= 0 or a numpy Generator; got {rng!r}."
        ) from error


@dataclass(frozen=True)
class _Setting:
    """The arguments of `learn`, checked."""

    moments: Moments
    cost: float
    masks: Masks
    start: str | IntArray | None
    n_restarts: int | None
    rng: np.random.Generator
    n_jobs: int
    deadline: float
    progress: Progress | None


@dataclass(frozen=True)
class _Fit:
    """The best graph under one noise model."""

    found: Found
    score: float  # on the scale of the data
    continuous: Path | None
    stopped: str  # why the search under this model ended early, see Found; "" when it did not


def _fit_equal(setting: _Setting) -> _Fit:
    """Minimise d·log(Σ RSS_j / d) + k|E| by turns: the graph for a given σ², σ² for a given graph.

    The logarithm is concave, so Σ RSS_j/σ² + k|E| with σ² = Σ RSS_j / d lies above the score and
    touches it: a graph that is better at this σ² has the better score. A turn takes over the order
    and chooses parents afresh, so it can also lose; the best graph of all turns is kept.
    """
    S = setting.moments.cov
    order, continuous, first = _start(setting, "equal", S)
    best: _Fit | None = None
    # Turns can settle at different σ²; where the graph is small there is time to try several.
    for factor in (1.0, 0.6, 0.8, 1.25, 1.6) if setting.moments.d <= SMALL else (1.0,):
        sigma2 = factor * (first if best is None else float(np.mean(best.found.rss)))
        for _ in range(MAX_ROUNDS):
            found = _search(setting, "equal", S, order, 1.0 / sigma2)
            score = graph_score(found.rss, found.n_edges, setting.cost, "equal")
            if best is None or score < best.score:
                best = _Fit(found, score, continuous, "")
            if found.stopped:
                return replace(best, stopped=found.stopped)
            change = abs(np.mean(found.rss) / sigma2 - 1.0)
            order, sigma2 = found.order, float(np.mean(found.rss))
            if change < SIGMA_SETTLED:
                break
    assert best is not None
    return best


def _fit_unequal(setting: _Setting) -> _Fit:
    """Minimise Σ log RSS_j + k|E| on the correlation, so that no scale plays a part."""
    variance = np.diag(setting.moments.cov)
    R = setting.moments.standardised().cov
    order, continuous, _ = _start(setting, "unequal", R)
    found = _search(setting, "unequal", R, order, 0.0)
    found = replace(found, rss=found.rss * variance)
    score = graph_score(found.rss, found.n_edges, setting.cost, "unequal")
    return _Fit(found, score, continuous, found.stopped)


def _start(setting: _Setting, noise: str, S: Array) -> tuple[IntArray, Path | None, float]:
    """Return a start order, the continuous stage where it was run, and a first σ²."""
    start, before = setting.start, setting.masks.before
    n, d = setting.moments.n, setting.moments.d
    path, order, sigma2 = None, None, 1.0
    if start is None:
        start = "continuous" if noise == "unequal" and d <= MAX_CONTINUOUS else "order"
    if noise == "equal":
        order, sigma2 = conditional_variance_order(S, n, setting.cost, before)
    if not isinstance(start, str):
        order = start
    elif start == "continuous":
        path = prox_linear_path(
            S if sigma2 == 1.0 else S / sigma2,
            profile=noise == "unequal",
            n=n,
            allowed=setting.masks.allowed,
            deadline=setting.deadline,
        )
        order = lock(path.W, canonical_order(S))
    elif noise == "unequal" and n >= 2 * d and d <= MAX_FULL:
        order = precision_order(S, before)
    if order is None:
        order, _ = conditional_variance_order(S, n, setting.cost, before)
    return respect(order, before), path, sigma2


def _search(setting: _Setting, noise: str, S: Array, order: IntArray, inv_sigma2: float) -> Found:
    """Run the order search with what the user asked for."""
    n, d, masks = setting.moments.n, setting.moments.d, setting.masks
    restarts = setting.n_restarts
    progress = setting.progress
    most = min(d - 1, MAX_PARENTS, max(1, n // 4))
    if masks.required is not None:
        most = max(most, int(masks.required.sum(axis=0).max()))
    spec = make_spec(
        S,
        setting.cost,
        inv_sigma2,
        most,
        masks.allowed,
        masks.required,
        masks.before,
        thorough=d <= SMALL,
    )
    return search_order(
        spec,
        order,
        n_restarts=default_restarts(noise, d) if restarts is None else restarts,
        rng=setting.rng,
        full_regressions=n >= 4 * d and d <= MAX_FULL,
        n_jobs=setting.n_jobs,
        deadline=setting.deadline,
        progress=None if progress is None else partial(progress, noise),
    )


def default_restarts(noise: str, d: int) -> int:
    """How often to restart when nothing is said; chosen from the ablation in docs/theory.md."""
    if noise == "equal":
        return 40 if d <= SMALL else 0
    if d <= SMALL:
        return 100
    return min(60, 20 + d // 4) if d <= MAX_RESTARTED else 0


def _variance_price(noise: str, n: int, d: int) -> float:
    """Return what the BIC asks for the noise variances, per row."""
    return float((1 if noise == "equal" else d) * np.log(n) / n)


def _finish(
    setting: _Setting,
    noise: str,
    fit: _Fit,
    scores: dict[str, float],
    gamma: float,
    stopped: str,
) -> Learned:
    """Least-squares weights on the chosen parents, certificate, status."""
    S, found = setting.moments.cov, fit.found
    d = setting.moments.d
    target = np.repeat(np.arange(d), [len(P) for P in found.parents])
    source = np.concatenate(found.parents) if len(target) else np.empty(0, dtype=np.intp)
    weight = np.concatenate([least_squares(S, P, j) for j, P in enumerate(found.parents)])
    certificate = Certificate(
        source,
        target,
        weight,
        found.order,
        fit.score,
        setting.cost,
        noise,
        gradient_residual(S, source, target, weight),
        found.locally_optimal,
    )
    status = {"": Status.CONVERGED, "time": Status.TIME_LIMIT, "interrupt": Status.INTERRUPTED}[
        stopped
    ]
    return Learned(
        source,
        target,
        weight,
        found.order,
        noise,
        np.full(d, np.mean(found.rss)) if noise == "equal" else found.rss,
        scores,
        gamma,
        certificate,
        status,
        _message(status, setting.moments),
        found.n_restarts,
        found.scores,
        fit.continuous,
    )


def _message(status: Status, moments: Moments) -> str:
    """Return the status in a sentence, with the columns that stand in the way of certainty."""
    sentences = {
        Status.CONVERGED: "Finished: no move of a single node that was tried improves the graph.",
        Status.TIME_LIMIT: "The time limit was reached; this is the best DAG so far.",
        Status.INTERRUPTED: "Interrupted; this is the best DAG so far.",
    }
    return " ".join([sentences[status], *warnings_about(moments)])
