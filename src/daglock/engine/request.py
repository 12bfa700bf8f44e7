"""Request: the arguments of `learn`, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from daglock._parameters import as_numbers, require_integer, require_number
from daglock.blocks import Blocks
from daglock.counts import Counts
from daglock.criteria import (
    CRITERIA,
    ByRegime,
    Criterion,
    Curved,
    EqualVariances,
    Mixed,
    Multinomial,
    UnequalVariances,
    default_gamma,
    edge_cost,
)
from daglock.criteria.equal import has_one_scale, may_agree_by_chance
from daglock.curves import Curves
from daglock.errors import InvalidParameterError
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.search.lock import lock
from daglock.settings import Settings
from daglock.ties import canonical_order
from daglock.typing import Array, IntArray, Seed, Statistics

Progress = Callable[[str, int, float], None]


@dataclass(frozen=True)
class Request:
    """What was asked of `learn`."""

    moments: Statistics
    noise: str  # "equal", "unequal" or "auto"
    criteria: tuple[type[Criterion], ...]  # what that comes to, in the order in which to try them
    gamma: float
    gamma_is_given: bool
    cost: float  # of an edge
    masks: Masks
    determined: str | IntArray
    start: str | IntArray | None
    n_restarts: int | None
    rng: np.random.Generator
    n_jobs: int
    deadline: float
    progress: Progress | None
    by_margin: bool
    prove: float | None
    settings: Settings

    @property
    def is_exact(self) -> bool:
        """Whether there are few enough variables to compare all graphs."""
        counted, curved = (isinstance(self.moments, kind) for kind in (Counts, Curves))
        return self.settings.compares_all(self.moments.d, counted=counted, curved=curved)

    @property
    def first_gamma(self) -> float:
        """γ that a search begins with."""
        if self.gamma_is_given:
            return self.gamma
        return usual_gamma(self.moments, self.settings)

    @property
    def max_parents(self) -> int:
        """How many parents a node may have: as many as are required, at the least."""
        most = self.settings.most_parents(self.moments.n_fewest, self.moments.d)
        required = self.masks.required
        return most if required is None else max(most, int(required.sum(axis=0).max()))

    def restarts(self, criterion: Criterion) -> int:
        """How often to restart the search: as often as was asked for, or as is usual."""
        if self.n_restarts is not None:
            return self.n_restarts
        usual = criterion.default_restarts(self.settings)
        is_lowered = self.gamma < self.first_gamma
        return usual * self.settings.restarts_if_lowered if is_lowered else usual

    def select(self, columns: IntArray) -> Request:
        """Return what is asked of some of the columns, in this order.

        What may be tried is told anew: copies would make few columns look like many, whose
        variances do not agree by chance.
        """
        start = self.start
        if start is not None and not isinstance(start, str):
            index = np.full(self.moments.d, -1, dtype=np.intp)
            index[columns] = np.arange(len(columns))
            start = index[start][index[start] >= 0]
        moments = self.moments.select(columns)
        n, d = moments.n, len(columns)
        gamma = self.gamma
        if not self.gamma_is_given:
            gamma = usual_gamma(moments, self.settings)
        return replace(
            self,
            moments=moments,
            criteria=_criteria(self.noise, moments, self.settings),
            masks=self.masks.select(columns),
            start=start,
            gamma=gamma,
            cost=edge_cost(n, d, gamma),
        )


def usual_gamma(moments: Statistics, settings: Settings) -> float:
    """Return γ of the price of an edge when nobody says otherwise."""
    extras = moments.freedoms, moments.extras
    return default_gamma(moments.n, moments.d, settings.false_edges, *extras)


def check_request(
    moments: Statistics,
    noise: str,
    ebic_gamma: float | None,
    masks: Masks | None,
    determined: str | IntArray,
    start: str | Array | IntArray | None,
    n_restarts: int | None,
    time_limit: float | None,
    rng: Seed,
    n_jobs: int,
    progress: Progress | None,
    by_margin: bool,
    prove: float | None,
    settings: Settings,
) -> Request:
    """Check every argument of `learn`; the clock of the time limit starts here."""
    if not (isinstance(noise, str) and noise in (*CRITERIA, "auto")):
        raise InvalidParameterError(f"noise must be equal, unequal or auto; got {noise!r}.")
    if not isinstance(moments, Moments | Blocks | Counts):
        raise InvalidParameterError("moments must be Moments: make them by Moments.from_data(X).")
    if isinstance(determined, str) and determined not in ("drop", "keep"):
        raise InvalidParameterError(f"determined must be drop or keep; got {determined!r}.")
    if n_restarts is not None:
        require_integer("n_restarts", n_restarts, at_least=0)
    if time_limit is not None:
        require_number("time_limit", time_limit, at_least=0)
    if prove is not None:
        require_number("prove", prove, above=0)
    require_integer("n_jobs", n_jobs, at_least=1)
    n, d = moments.n, moments.d
    gamma = usual_gamma(moments, settings) if ebic_gamma is None else ebic_gamma
    return Request(
        moments=moments,
        noise=noise,
        criteria=_criteria(noise, moments, settings),
        gamma=gamma,
        gamma_is_given=ebic_gamma is not None,
        cost=edge_cost(n, d, gamma),
        masks=_checked_masks(masks, d),
        determined=determined,
        start=_checked_start(start, moments),
        n_restarts=n_restarts,
        rng=_generator(rng),
        n_jobs=n_jobs,
        deadline=np.inf if time_limit is None else _deadline(time_limit, settings.finishing * d),
        progress=progress,
        by_margin=by_margin,
        prove=prove,
        settings=settings,
    )


def _deadline(time_limit: float, finishing: float) -> float:
    """Return when to stop searching: early enough to write down what was found."""
    return perf_counter() + max(time_limit / 4, time_limit - finishing)


def _checked_masks(masks: Masks | None, d: int) -> Masks:
    """Return masks that fit d variables."""
    if masks is None:
        return Masks()
    if not isinstance(masks, Masks):
        raise InvalidParameterError("masks must be Masks: make them by knowledge_masks(d, ...).")
    for mask in masks:
        if mask is not None and mask.shape != (d, d):
            raise InvalidParameterError(
                f"masks must have shape ({d}, {d}), one row for each column; got {mask.shape}."
            )
    return masks


def _checked_start(start: object, moments: Statistics) -> str | IntArray | None:
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
        return lock(array, canonical_order(moments.likeness, moments.names))
    if array.shape == (d,) and np.array_equal(np.sort(array), np.arange(d)):
        return array.astype(np.intp)
    raise InvalidParameterError(
        f"start must hold each of the columns 0 to {d - 1} once, or be a weight matrix of shape "
        f"({d}, {d}); got an array of shape {array.shape}."
    )


def _criteria(noise: str, moments: Statistics, settings: Settings) -> tuple[type[Criterion], ...]:
    """Return the criteria that columns of these kinds, and of this scale, can have."""
    if isinstance(moments, Blocks | Counts):
        kind = Mixed if isinstance(moments, Blocks) else Multinomial
        same = ("unequal",) if kind is Mixed else ()  # a variance for each, blocks among them
        if noise not in ("auto", kind.name, *same):
            raise InvalidParameterError(
                f"noise={noise!r} is for tables of numbers, and this one has categories: "
                "leave noise at auto, or leave those columns out."
            )
        return (kind,)
    assert isinstance(moments, Moments)
    if isinstance(moments, Curves) and noise in ("auto", Curved.name):
        return (Curved,)
    if noise == Curved.name:
        raise InvalidParameterError(f"noise={noise!r} needs Curves: make them by from_data(X).")
    if isinstance(moments, Regimes) and moments.changed is not None:
        if noise not in ("auto", "unequal", ByRegime.name):
            raise InvalidParameterError(
                f"noise={noise!r} does not go with targets of regimes: leave noise at auto."
            )
        return (ByRegime,)
    if noise == ByRegime.name:
        raise InvalidParameterError(f"noise={noise!r} needs regimes with targets.")
    if noise in (Mixed.name, Multinomial.name):
        raise InvalidParameterError(f"noise={noise!r} is for categories, and there are none.")
    if noise != "auto":
        return (CRITERIA[noise],)
    by_chance = may_agree_by_chance(moments.n, moments.d, settings)
    if by_chance or has_one_scale(np.diag(moments.cov), settings):
        return (UnequalVariances,)
    return (EqualVariances, UnequalVariances)


def _generator(rng: Seed) -> np.random.Generator:
    """Return the generator of a seed; always the same one where there is none."""
    try:
        return np.random.default_rng(0 if rng is None else rng)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"The seed must be a whole number >= 0 or a numpy Generator; got {rng!r}."
        ) from error
