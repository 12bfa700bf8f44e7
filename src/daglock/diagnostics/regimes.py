"""Regimes as a person sees them: rows, how far means shift, what is targeted, what it orients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from daglock.blocks import Blocks
from daglock.regimes import Regimes
from daglock.typing import Array, BoolArray, IntArray, Statistics
from daglock.wording import listed, plural, short

# Chance that in a table without shifts some column is said to shift.
BY_CHANCE = 0.01
_INTERVENTIONS = {
    "perfect": "Where a column is a target its parents have no say in it (perfect interventions).",
    "imperfect": "Where a column is a target its parents act on it in another way (imperfect "
    "interventions).",
    "shift": "Where a column is a target something is added to it, and all else stays (shifts).",
}


@dataclass(frozen=True, eq=False)
class RegimeSummary:
    """What there is to know about the regimes of a table.

    Attributes
    ----------
    regimes : their labels.
    rows : of each.
    columns : of numbers, of which it is known how far their means shift; none where values are
        missing.
    shifts : (regimes, columns) mean in a regime less the median of the means in all regimes, in
        standard deviations within regimes.
    shifted : for each of these columns, whether its means differ by more than chance.
    targets : columns that each regime targets; None where that is not known.
    found : whether nobody named the targets, and they are the columns that were found to change.
    interventions : "perfect", "imperfect" or "shift".
    oriented : edges, by name, whose direction is identified by targets alone.
    """

    regimes: tuple[str, ...]
    rows: IntArray
    columns: tuple[str, ...]
    shifts: Array
    shifted: BoolArray
    targets: tuple[tuple[str, ...], ...] | None = None
    found: bool = False
    interventions: str = "perfect"
    oriented: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """Return one line for each thing to know."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return which regimes, what shifts, what is targeted, and what that tells."""
        said = [self.about_rows(), self.about_shifts(), self.about_targets(), self.about_edges()]
        return [sentence for sentence in said if sentence]

    def about_rows(self, most: int = 6) -> str:
        """Say which regimes there are."""
        sizes = zip(self.regimes, self.rows.tolist(), strict=True)
        shown = listed((f"{label} ({plural(n, 'row')})" for label, n in sizes), most)
        single = int((self.rows == 1).sum())
        idle = f" {single:,} of them have a single row, which tells nothing." if single else ""
        return f"{plural(len(self.regimes), 'regime')}, each with means of its own: {shown}.{idle}"

    def about_shifts(self, most: int = 6) -> str:
        """Say which columns shift between regimes, those that shift most first."""
        if not self.columns:
            return ""
        reach = self.reach()
        order = [j for j in np.argsort(-reach, kind="stable").tolist() if self.shifted[j]]
        if not order:
            return "No column shifts between them by more than chance."
        shown = listed(
            (f"{self.columns[j]} ({short(float(f'{reach[j]:.2g}'))})" for j in order), most
        )
        return (
            f"{len(order)} of {plural(len(self.columns), 'column')} shift between them; in "
            "brackets how far the outermost means are apart, in standard deviations within "
            f"regimes: {shown}."
        )

    def reach(self) -> Array:
        """Return how far the outermost means of each column are apart."""
        return np.asarray(np.ptp(self.shifts, axis=0))

    def about_targets(self, most: int = 12) -> str:
        """Say what is targeted where."""
        if self.targets is None:
            return ""
        told = [
            f"{listed(columns, 4)} in {label}"
            for label, columns in zip(self.regimes, self.targets, strict=True)
            if columns
        ]
        more = f" and {len(told) - most} more" if len(told) > most else ""
        named = "; ".join(told[:most]) + more
        if self.found:
            shown = f"{named} (changes_ tells how)" if told else "none"
            return f"Columns that were found to follow their causes in another way: {shown}."
        if not told:
            return "Targets: none."
        return f"Targets: {named}. {_INTERVENTIONS[self.interventions]}"

    def about_edges(self) -> str:
        """Say which directions the experiments tell."""
        if self.targets is None:
            return (
                "Which columns they act on was not told, so that they take shifts away and orient "
                "nothing by themselves."
            )
        what = "What was found to change orients" if self.found else "The targets orient"
        if not self.oriented:
            return f"{what} no edge beyond what the equivalence class does."
        pairs = listed((f"{cause} → {effect}" for cause, effect in self.oriented), 6)
        return (
            f"{what} {plural(len(self.oriented), 'edge')} that the equivalence class "
            f"alone leaves open: {pairs}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        known = self.targets is not None
        return {
            "labels": list(self.regimes),
            "rows": self.rows.tolist(),
            "shifts": {
                name: np.round(column, 6).tolist()
                for name, column in zip(self.columns, self.shifts.T, strict=True)
            },
            "shifted": [self.columns[j] for j in np.flatnonzero(self.shifted).tolist()],
            "targets": dict(zip(self.regimes, map(list, self.targets or ()), strict=True))
            if known
            else None,
            "found": self.found,
            "interventions": self.interventions if known and not self.found else None,
            "oriented": [list(pair) for pair in self.oriented],
        }


def summarise_regimes(
    moments: Statistics,
    labels: NDArray[np.str_] | None,
    oriented: Sequence[tuple[str, str]] = (),
) -> RegimeSummary:
    """Return what there is to know about regimes.

    Parameters
    ----------
    moments : what was kept of the table; of means in regimes it tells where no value is missing.
    labels : regime of each row; may be None where the moments have regimes.
    oriented : edges that regimes orient.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> X[40:, 0] += 3.0
    >>> labels = np.array(["control"] * 40 + ["drug"] * 20)
    >>> print(summarise_regimes(Regimes.from_labelled(X, labels, ["dose", "pulse"]), labels))
    2 regimes, each with means of its own: control (40 rows), drug (20 rows).
    1 of 2 columns shift between them; in brackets how far the outermost means are apart, in
    standard deviations within regimes: dose (3).
    Which columns they act on was not told, so that they take shifts away and orient nothing by
    themselves.
    """
    kept = moments.columns if isinstance(moments, Blocks) else moments
    if not isinstance(kept, Regimes):
        assert labels is not None
        found, rows = np.unique(labels, return_counts=True)
        nothing = np.empty((len(found), 0))
        return RegimeSummary(tuple(found.tolist()), rows, (), nothing, np.zeros(0, dtype=np.bool_))
    columns = np.arange(kept.d)
    if isinstance(moments, Blocks):
        columns = moments.first[:-1][moments.widths == 1]
    means = np.array([part.mean[columns] for part in kept.parts])
    within = np.sqrt(np.diagonal(kept.cov)[columns])
    targets = None
    if kept.changed is not None:
        targets = tuple(
            tuple(kept.labels[j] for j in np.flatnonzero(row).tolist()) for row in kept.changed
        )
    return RegimeSummary(
        kept.regimes,
        kept.sizes,
        tuple(kept.labels[j] for j in columns.tolist()),
        (means - np.median(means, axis=0)) / within,
        _shifted(means / within, kept.sizes),
        targets,
        targets is not None and kept.common,
        kept.interventions,
        tuple(oriented),
    )


def _shifted(means: Array, sizes: IntArray) -> BoolArray:
    """Tell for each column, in units of its deviation, whether its means differ beyond chance.

    Without shifts ``Σ_g n_g (m_g − m)²`` is chi-squared with one degree less than regimes.
    """
    far = sizes @ (means - sizes @ means / sizes.sum()) ** 2
    return np.asarray(chi2.sf(far, len(sizes) - 1) < BY_CHANCE / max(means.shape[1], 1))
