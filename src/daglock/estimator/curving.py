"""Curved effects: whether a table can have them, and where lines are not enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from daglock.criteria.curved import Curved, bends
from daglock.curves import Curves, curve_residuals
from daglock.engine.learned import Learned
from daglock.engine.shaping import orient_by_shape
from daglock.errors import InvalidDataError, InvalidParameterError, NotThereError
from daglock.residuals import negentropy
from daglock.search.regression import least_squares, residual_variances
from daglock.settings import SETTINGS
from daglock.surfaces import surface_residuals
from daglock.table.frames import make_table
from daglock.table.kinds import Kind
from daglock.table.table import Table
from daglock.typing import Array, IntArray
from daglock.wording import listed, percent, plural

# Links that are named, those that bend most first.
_NAMED = 3
# Noise is not Gaussian where its negentropy is above this, in nats, and twice that of all rows is
# above what chance exceeds once in 100,000 times.
_SHAPED, _BY_CHANCE = 0.01, 23.0


class Bending:
    """What a fitted `DAGLock` tells of its curves."""

    learned_: Learned
    moments_: Any
    names_: tuple[str, ...]
    curved: bool
    _library: str | None

    @property
    def curves_(self) -> Any:
        """Where lines are not enough: source, target, explained, bend, gain."""
        found = self.found_curves()
        if self._library is None:
            place = {name: k for k, name in enumerate(self.names_)}
            for end in ("source", "target"):
                found[end] = np.array([place[name] for name in found[end]], dtype=np.intp)
        return make_table(self._library, found)

    def found_curves(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `curves_`, ends by name; no rows where all effects are lines."""
        check_is_fitted(self, "learned_")
        if not self.curved:
            raise NotThereError("There are no curves to tell of: fit with curved=True.")
        dag, names = self.learned_.dag, np.array(self.names_, dtype=object)
        if not isinstance(self.moments_, Curves):
            none = np.empty(0)
            return dict.fromkeys(("source", "target"), names[:0]) | dict.fromkeys(
                ("explained", "bend", "gain"), none
            )
        explained, bend, gain = bends(self.moments_, dag)
        first = np.argsort(-bend, kind="stable")
        columns = names[dag.source], names[dag.target], explained, bend, gain
        called = "source", "target", "explained", "bend", "gain"
        return {name: column[first] for name, column in zip(called, columns, strict=True)}

    def about_curves(self) -> str:
        """Say where the linear model fails; empty where curves were not asked for, or not found."""
        if not self.curved or not isinstance(self.moments_, Curves):
            return ""
        found = self.found_curves()
        bent = np.flatnonzero(found["gain"] > 0)
        how_many = f"{len(bent):,} of {plural(len(found['gain']), 'effect')}"
        together = Curved(self.moments_).together(self.learned_.dag.parents)
        joint = [self.names_[j] for j in np.flatnonzero(together)]
        causes = f" The causes of {listed(joint, 5)} act together, in no sum." if joint else ""
        if not len(bent):
            return f"Bends pay for all effects together, and of single ones for {how_many}.{causes}"
        named = (
            f"{found['source'][e]} → {found['target'][e]} ({percent(found['bend'][e])})"
            for e in bent[:_NAMED].tolist()
        )
        return (
            f"Lines are not enough for {how_many}; what their bends explain of the variance, most "
            f"first: {', '.join(named)}{' and others' if len(bent) > _NAMED else ''}.{causes}"
        )


def check_curved(curved: object, noise: str, regimes: object, targets: object) -> None:
    """Raise one error with all that does not go with curved effects."""
    if not isinstance(curved, bool):
        raise InvalidParameterError(f"curved must be True or False; got {curved!r}.")
    if not curved:
        return
    wrong = []
    if noise not in ("auto", "unequal"):
        wrong.append(f"noise={noise!r} (a curve has a noise variance of its own)")
    if regimes is not None:
        wrong.append("regimes")
    if targets is not None:
        wrong.append("targets of regimes")
    if wrong:
        raise InvalidParameterError(
            f"Curved effects do not go with {listed(wrong)}: leave one of the two out."
        )


def lines_fit_as_well(X: Array, kept: Curves, bent: Learned, straight: Learned) -> bool:
    """Tell whether lines do, with noise of whatever shape, in place of curves with Gaussian noise.

    A line whose noise is not Gaussian is a curve the other way round, and one that fits better than
    a line does: curves take their noise for Gaussian. So both graphs are held against each other
    with the shape of what they leave, as `daglock.engine.shaping` does inside a class.

    Parameters
    ----------
    X : rows.
    kept : what was kept of them.
    bent, straight : what was learned with curves, and with lines.
    """
    X = _some(X)
    edge = np.log(kept.n) / kept.n
    straight = orient_by_shape(straight, X, kept.cov, straight.certificate.knowledge)
    variance = np.diag(kept.cov)
    Z = (X - X.mean(axis=0)) / np.sqrt(variance)
    R = kept.cov / np.sqrt(np.outer(variance, variance))
    lines = Z.copy()
    for j, P in enumerate(straight.dag.parents):
        lines[:, j] -= Z[:, P] @ least_squares(R, P, j)
    costs = residual_variances(R, straight.dag.parents)
    score = np.log(costs).sum() + edge * straight.dag.n_edges - 2.0 * _shapes(lines)
    curves = left_of(X, kept, bent.dag.parents)
    rival = np.log(Curved(kept).residuals(bent.dag.parents)).sum() + edge * bent.dag.n_edges
    return bool(score <= rival - 2.0 * _shapes(curves))


def doubt_shapes(X: Array, kept: Curves, learned: Learned) -> tuple[Learned, list[str]]:
    """Return what was learned, with no direction of columns whose noise is not Gaussian claimed.

    Curves take noise for Gaussian, and with other noise a wrong direction can fit better. What
    your knowledge says stays. Also what there is to say of it.
    """
    X = _some(X)
    left, dag = left_of(X, kept, learned.dag.parents), learned.dag
    far = np.array([negentropy(column) for column in left.T])
    shaped = (far > _SHAPED) & (2.0 * len(X) * far > _BY_CHANCE)
    known = learned.ruled_out[dag.source, dag.target]
    doubted = (shaped[dag.source] | shaped[dag.target]) & ~known
    if not doubted.any():
        return learned, []
    dag = replace(dag, oriented=dag.oriented & ~doubted)
    certificate = replace(learned.certificate, dag=dag)
    names = [kept.labels[j] for j in np.flatnonzero(shaped).tolist()]
    said = (
        f"What curves leave of {listed(names, 5)} is not Gaussian, as curves take it to be: no "
        "direction of their links is claimed."
    )
    return replace(learned, dag=dag, certificate=certificate, doubted=doubted), [said]


def left_of(X: Array, kept: Curves, parents: list[IntArray]) -> Array:
    """Return what parents leave of each column, by a surface where that was found better."""
    left = curve_residuals(X, kept, parents)
    if kept.surfaces is not None:
        for j in np.flatnonzero(Curved(kept).together(parents)).tolist():
            left[:, j] = surface_residuals(X, parents[j], j, kept.surfaces.width)
    return left


def _some(X: Array) -> Array:
    """Return as many rows as the shape of noise is told from, evenly spaced."""
    return X if len(X) <= SETTINGS.shape_rows else X[:: -(-len(X) // SETTINGS.shape_rows)]


def _shapes(residuals: Array) -> float:
    """Return how far columns are from Gaussian ones, all together, in nats a row."""
    return float(sum(negentropy(column) for column in residuals.T))


def require_lines(moments: object) -> None:
    """Raise where effects are curves, which no single number stands for."""
    if isinstance(moments, Curves):
        raise InvalidParameterError(
            "This model has curved effects, and daglock has effects, samples and likelihoods of "
            "linear models only: fit without curved for these, with the directions that curves "
            "tell as knowledge."
        )


def refuse_parts() -> None:
    """Refuse data that are read in parts."""
    raise InvalidDataError(
        "Curved effects are learned from rows in memory, and these are read in parts: read them "
        "into a frame, or a sample of them, or leave curved out."
    )


def require_curvable(table: Table, labels: NDArray[np.str_] | None) -> None:
    """Raise one error with all columns that cannot have curves, or one about regimes."""
    check_curved(True, "auto", labels, None)
    wrong = []
    names = [
        name
        for name, kind in zip(table.labels, table.kinds, strict=True)
        if kind.kind is Kind.CATEGORICAL and kind.levels
    ]
    if names:
        are = "is a category" if len(names) == 1 else "are categories"
        wrong.append(f"{listed(map(repr, names))} {are}, which no curve goes through")
    gaps = [np.isnan(np.asarray(x, dtype=np.float64)).any() for x in table.data.T]
    if any(gaps):
        with_gaps = (name for name, gap in zip(table.labels, gaps, strict=True) if gap)
        wrong.append(f"values are missing in {listed(map(repr, with_gaps))}")
    if wrong:
        what = ["leave out such columns"] if names else []
        what += ["leave out such rows by missing='drop'"] if any(gaps) else []
        raise InvalidDataError(
            f"Curved effects need numbers without gaps: {'; '.join(wrong)}. Either "
            f"{' and '.join(what)}, or leave curved out."
        )
