"""Draws of an effect: the rows drawn again, a plausible graph, and the effect that both give."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from daglock._parameters import require_integer
from daglock._progress import Bar
from daglock.effects.adjustment import minimal_adjustment, reach
from daglock.effects.linear import slope
from daglock.effects.plausible import PlausibleGraphs
from daglock.typing import Array, IntArray, Seed, Statistics

if TYPE_CHECKING:
    from daglock.confidence.resampled import Resampled
    from daglock.moments import Moments

Found = TypeVar("Found")


class Draws(NamedTuple):
    """Effects that were drawn; in ``absent`` of the graphs the cause is no ancestor."""

    values: Array
    absent: int

    @property
    def probability_zero(self) -> float:
        """Share of the graphs in which the cause is no ancestor of the effect."""
        return self.absent / len(self.values)

    def interval(self, level: float) -> tuple[float, float]:
        """Return two of the draws between which at least so much of them lies.

        The truth is as likely to have any rank among n draws: the k-th is the quantile k / (n + 1).
        Nothing is interpolated, as many draws may be 0.
        """
        n = len(self.values)
        k = max(1, math.floor((n + 1) * (1 - level) / 2 + 1e-9))
        ranked = np.sort(self.values).tolist()
        return ranked[k - 1], ranked[n - k]


@dataclass(frozen=True, eq=False)
class CovarianceDraws:
    """Covariances of resampled rows; without any, those of rows of a Gaussian.

    Attributes
    ----------
    moments : of the columns, whose Gaussian it is.
    like : statistics that the replicates are of.
    resampled : covariances of the replicates, if they were kept.
    groups : regimes whose rows count; all by default.
    """

    moments: Moments
    like: Statistics
    resampled: Resampled | None = None
    groups: IntArray | None = None

    @property
    def drawn_from(self) -> str:
        """What `Effect` says of it: "rows" or "moments"."""
        return "moments" if self.resampled is None else "rows"

    def draw(self, r: int, columns: list[int], rng: np.random.Generator) -> Array:
        """Return the covariance of some columns in draw r; 0 of those that do not vary in it."""
        if self.resampled is None:
            return gaussian_covariance(columns, self.moments, rng)
        return self.resampled.covariance(r, self.like, columns, self.groups)


def draw_effects(
    graphs: PlausibleGraphs,
    covariances: CovarianceDraws,
    cause: int,
    effect: int,
    *,
    n: int,
    rng: Seed = None,
    progress: bool | None = False,
) -> Draws:
    """Draw rows and a graph n times, and regress each time as the graph demands it.

    The effect of a draw is the coefficient of the cause beside what is to be adjusted for in this
    graph, in these rows. Where the graph has no path from the cause to the effect it is the
    coefficient beside the parents of the cause: 0 if the graph is right, and what there is if links
    are missing that are too weak to be found. It is 0 where the effect comes before the cause.
    Ctrl-C ends it with the draws that are done, if there are any.

    Parameters
    ----------
    graphs : to draw from.
    covariances : of resampled rows.
    cause, effect : columns.
    rng : seed; draw r has the same graph and the same rows for every effect of a model.
    progress : True shows a bar, None on a terminal.
    """

    def again(r: int, given: list[int], rng: np.random.Generator) -> float:
        cov = covariances.draw(r, [cause, effect, *given], rng)
        return slope(cov, 0, 1, range(2, len(cov)))

    effects, absent = draw_again(graphs, cause, effect, again, n=n, rng=rng, progress=progress)
    return Draws(np.array([0.0 if value is None else value for value in effects]), absent)


def draw_again(
    graphs: PlausibleGraphs,
    cause: int,
    effect: int,
    again: Callable[[int, list[int], np.random.Generator], Found],
    *,
    n: int,
    rng: Seed,
    progress: bool | None,
) -> tuple[list[Found | None], int]:
    """Draw a graph n times, and ask ``again`` for the effect beside what it adjusts for.

    None where the effect comes before the cause. The second is in how many of the graphs no path
    leads from the cause to the effect. Ctrl-C ends it as in `draw_effects`.
    """
    require_integer("n", n, at_least=1)
    found: list[Found | None] = []
    n_absent = 0
    may_act = graphs.may_act(cause, effect)
    try:
        with Bar(progress) as bar:
            for r, child in enumerate(np.random.default_rng(rng).spawn(n)):
                parents = graphs.draw(child).parents
                given = minimal_adjustment(parents, cause, effect)
                is_absent = given is None
                if is_absent and may_act and effect not in reach([cause], parents):
                    given = tuple(parents[cause])
                found.append(None if given is None else again(r, list(given), child))
                n_absent += is_absent
                bar.step("effect", len(found), n)
    except KeyboardInterrupt:
        if not found:
            raise
    return found, n_absent


def gaussian_covariance(columns: list[int], moments: Moments, rng: np.random.Generator) -> Array:
    """Return the covariance of columns in rows of the Gaussian distribution with these moments."""
    cov = moments.cov[np.ix_(columns, columns)]
    deviation = np.sqrt(np.diagonal(cov))  # columns of very different scales keep their digits
    values, vectors = np.linalg.eigh(cov / np.outer(deviation, deviation))
    root = deviation[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    scatter = root @ _bartlett(len(columns), moments.n - 1, rng)
    return np.asarray(scatter @ scatter.T / moments.n)


def _bartlett(k: int, degrees: int, rng: np.random.Generator) -> Array:
    """Return A such that A Aᵀ is the scatter of so many rows of k standard normal columns."""
    if degrees < k:
        return rng.standard_normal((k, degrees))
    A = np.tril(rng.standard_normal((k, k)), -1)
    A[np.diag_indices(k)] = np.sqrt(rng.chisquare(degrees - np.arange(k)))
    return A
