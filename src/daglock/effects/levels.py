"""Effects by level: what a category instead of another one does, and what is done to a category.

A category is a block of columns of 0 and 1, one for every level but the first, and the effect of a
level instead of the first is a coefficient of the regression on all columns of the cause and of
what is to be adjusted for. The effect on a category is that on the share of each of its levels.
Where all columns are categories, and rows were counted, the shares are standardised over the strata
of what is to be adjusted for, whatever the interactions (`standardised_contrasts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock._parameters import require_number
from daglock.effects.adjustment import minimal_adjustment
from daglock.effects.draws import CovarianceDraws, Draws, draw_again
from daglock.effects.effect import Effect
from daglock.effects.leeway import open_neighbours, possible_parents
from daglock.effects.plausible import PlausibleGraphs
from daglock.graph import WeightedDAG
from daglock.typing import Array, IntArray, Seed
from daglock.wording import percent, short

if TYPE_CHECKING:
    from daglock.blocks import Blocks
    from daglock.confidence import Confidence
    from daglock.counts import Counts
    from daglock.knowledge import Masks

# Rows that the shares over all strata count for in a stratum: one that is empty has no others.
PRIOR = 1.0


@dataclass(frozen=True)
class LevelEffects:
    """The effects of one column on another where one of the two is a category.

    Attributes
    ----------
    cause, effect : names.
    effects : one `Effect` for each level of the cause and each of the effect, the first level of
        either left out: the others of the cause are compared with it, and what the effect loses
        there is what its others gain.
    adjustment, probability_zero : as in `Effect`, the same for all.
    """

    cause: str
    effect: str
    effects: tuple[Effect, ...]

    @property
    def adjustment(self) -> tuple[str, ...] | None:
        """What to adjust for."""
        return self.effects[0].adjustment

    @property
    def probability_zero(self) -> float:
        """Share of the plausible graphs in which there is no effect."""
        return self.effects[0].probability_zero

    @property
    def n_draws(self) -> int:
        """Draws of rows and graphs."""
        return self.effects[0].n_draws

    def in_words(
        self,
        scored: tuple[str, ...],
        cause: tuple[str, ...] | None,
        effect: tuple[str, ...] | None,
    ) -> LevelEffects:
        """Return the same with the units that are ranks; levels have their names already."""
        effects = tuple(replace(one, scored=scored) for one in self.effects)
        return replace(self, effects=effects)

    def __str__(self) -> str:
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return what there is to know, in plain words."""
        first, *others = self.effects
        if first.adjustment is None:
            share = percent(1 - first.probability_zero)
            also = [f"In {share} of the plausible graphs it is."]
            if first.probability_zero == 1:
                also = self._missed(first.level)
            return [first.sentences()[0], *also]
        said = [effect.sentences()[0] for effect in (first, *others)]
        if first.over_class is None or all(
            low == high
            for low, high in (effect.over_class or (0.0, 0.0) for effect in self.effects)
        ):
            return [*said, *first.sentences()[1:]]
        # what the first level is allowed is not what the others are
        same = replace(first, over_class=(0.0, 0.0)).sentences()[1:]
        return [
            *said,
            *same,
            "Directions that are open allow other values: see over_class of each.",
        ]

    def _missed(self, level: float) -> list[str]:
        """Say how large effects may be along links that no graph has."""
        low = min(effect.low for effect in self.effects)
        high = max(effect.high for effect in self.effects)
        if low == high == 0:
            return []
        return [
            f"Links that are too weak to be found leave room for effects of {short(low)} to "
            f"{short(high)}, each level by itself ({percent(level)} intervals of regressions "
            f"beside the causes of {self.cause})."
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            "cause": self.cause,
            "effect": self.effect,
            "effects": [effect.to_dict() for effect in self.effects],
        }


def effects_by_level(
    cause: int,
    effect: int,
    dag: WeightedDAG,
    blocks: Blocks,
    words: Sequence[tuple[str, ...] | None],
    confidence: Confidence,
    knowledge: Masks,
    covariances: CovarianceDraws,
    *,
    counts: Counts | None = None,
    level: float = 0.9,
    n: int = 200,
    rng: Seed = None,
    progress: bool | None = False,
) -> Effect | LevelEffects:
    """Work out the effects between two columns of a graph, categories among them.

    Parameters
    ----------
    cause, effect : variables of the graph.
    dag : the graph that was found.
    blocks : moments of all columns.
    words : names of the levels of each variable; None where it is a number.
    confidence, knowledge : what is believed of each pair, and what is known.
    covariances : of resampled rows; not of counts, which are drawn again themselves.
    counts : where all are categories and rows were counted: effects are then standardised by
        strata instead of regressed.
    level, n, rng, progress : as in `DAGLock.effect`.

    Returns
    -------
    Effect where there is one number, else LevelEffects
    """
    require_number("level", level, above=0, below=1)
    from_, to = blocks.members([cause]), blocks.members([effect])

    codes = None if counts is None else counts.dense
    S = blocks.columns.cov

    def contrasts(given: Sequence[int], weight: Array | None = None) -> Array:
        others = list(given)
        if counts is None or codes is None:
            return coefficients(S, from_, to, blocks.members(others))
        weight = counts.weight if weight is None else weight
        return standardised_contrasts(codes[cause], codes[effect], codes[others], weight)

    graphs = PlausibleGraphs(confidence, knowledge, dag.order)

    def again(r: int, given: list[int], rng: np.random.Generator) -> Array:
        if counts is not None:
            share = counts.weight / counts.weight.sum()
            return contrasts(given, rng.multinomial(counts.n, share).astype(np.float64))
        columns = [*from_, *to, *blocks.members(given)]
        cov = covariances.draw(r, columns, rng)
        cut = np.cumsum([len(from_), len(to)])
        return coefficients(cov, *np.split(np.arange(len(columns)), cut))

    drawn, absent = draw_again(graphs, cause, effect, again, n=n, rng=rng, progress=progress)
    given = minimal_adjustment([P.tolist() for P in dag.parents], cause, effect)
    none = np.zeros((len(from_), len(to)))
    value = none if given is None else contrasts(given)
    values = np.array([none if one is None else one for one in drawn])
    claimed = confidence.of_edges(dag).settled
    found = set(dag.parents[cause].tolist())
    allowed: list[Array] | None = None
    sets = possible_parents(dag, claimed, cause)
    if sets is not None:
        allowed = [value] + [
            none if effect in P else contrasts(sorted(P)) for P in sets if found != P
        ]
    names = blocks.labels
    # grades are one column of numbers, whatever their levels are called
    levels = [
        words[j] if len(words[j] or ()) == blocks.widths[j] + 1 else None for j in (cause, effect)
    ]
    effects = []
    for a in range(len(from_)):
        for b in range(len(to)):
            draws = Draws(values[:, a, b], absent)
            low, high = draws.interval(level)
            over = None if allowed is None else [float(one[a, b]) for one in allowed]
            effects.append(
                Effect(
                    cause=names[cause],
                    effect=names[effect],
                    value=float(value[a, b]),
                    low=low,
                    high=high,
                    level=level,
                    over_class=None if over is None else (min(over), max(over)),
                    n_open=len(open_neighbours(dag, claimed, cause)),
                    adjustment=None if given is None else tuple(names[k] for k in given),
                    probability_zero=draws.probability_zero,
                    n_draws=len(values),
                    drawn_from="rows" if counts is not None else covariances.drawn_from,
                    instead=_instead(levels[0], a),
                    of_level=_of_level(levels[1], b),
                )
            )
    if len(effects) == 1:
        return effects[0]
    return LevelEffects(names[cause], names[effect], tuple(effects))


def coefficients(cov: Array, cause: IntArray, effect: IntArray, given: IntArray) -> Array:
    """Return the coefficients of the columns of the cause beside others, (cause, effect).

    Examples
    --------
    >>> cov = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [2.0, 3.0, 14.0]])
    >>> coefficients(cov, np.array([0]), np.array([2]), np.array([1])).tolist()
    [[2.0]]
    """
    regressors = np.concatenate([cause, given]).astype(np.intp)
    deviation = np.sqrt(np.maximum(np.diagonal(cov), 0.0))
    deviation = np.where(deviation > 0, deviation, 1.0)  # constant columns explain nothing
    R = cov / np.outer(deviation, deviation)
    weights = np.linalg.lstsq(
        R[np.ix_(regressors, regressors)], R[np.ix_(regressors, effect)], rcond=1e-10
    )[0][: len(cause)]
    return np.asarray(weights * deviation[effect] / deviation[cause][:, None])


def _instead(words: tuple[str, ...] | None, k: int) -> tuple[str, str] | None:
    """Return the level that the k-th column of a cause stands for, and what it is compared with."""
    return None if words is None else (words[k + 1], words[0])


def _of_level(words: tuple[str, ...] | None, k: int) -> str | None:
    """Return the level whose share the k-th column of an effect is."""
    return None if words is None else words[k + 1]


def standardised_contrasts(
    cause: NDArray[np.int16],
    effect: NDArray[np.int16],
    given: NDArray[np.int16],
    weight: Array,
) -> Array:
    """Return the change of the share of each level of the effect, by level of the cause.

    ``P(effect | do(cause = a)) = Σ_z P(z) P(effect | a, z)`` over the strata z of what is adjusted
    for, less the same of the first level; 0 where no row has one of the two.

    Parameters
    ----------
    cause, effect : (m,) codes 0, 1, ... of different rows.
    given : (k, m) codes of what is adjusted for.
    weight : (m,) how often each row occurs.

    Returns
    -------
    (levels of the cause − 1, levels of the effect − 1)

    References
    ----------
    Pearl, Causality (2009), theorem 3.3.2, the back-door adjustment.

    Examples
    --------
    Of those without treatment half recover, of those with it three in four.

    >>> cause, effect = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int16)
    >>> none = np.empty((0, 4), dtype=np.int16)
    >>> standardised_contrasts(cause, effect, none, np.array([50.0, 50, 25, 75])).round(4).tolist()
    [[0.25]]
    """
    r, s = int(cause.max()) + 1, int(effect.max()) + 1
    z = np.zeros(len(weight), dtype=np.intp)
    if len(given):
        z = np.unique(given, axis=1, return_inverse=True)[1].ravel().astype(np.intp)
    cell = (z * r + cause) * s + effect
    table = np.bincount(cell, weights=weight, minlength=(int(z.max()) + 1) * r * s)
    counts = table.reshape(-1, r, s)
    overall = counts.sum(axis=0)
    overall = overall / np.maximum(overall.sum(axis=1, keepdims=True), 1e-300)
    share = (counts + PRIOR * overall) / (counts.sum(axis=2, keepdims=True) + PRIOR)
    stratum = counts.sum(axis=(1, 2)) / weight.sum()
    done = np.einsum("z,zab->ab", stratum, share)
    there = counts.sum(axis=(0, 2)) > 0
    return np.asarray(np.where((there & there[0])[1:, None], done[1:] - done[0], 0.0)[:, 1:])
