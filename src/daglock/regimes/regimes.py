"""Regimes: moments of a table whose rows come from batches, environments or experiments.

Every column has a mean of its own in each regime, so that shifts between regimes make no edges: the
covariance is that within regimes. Where it is known which columns a regime targets, each node has
its groups, regimes that share one mechanism of it; a regime that targets it is left out, or has a
mechanism of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.moments import Moments
from daglock.moments.grouped import Collected
from daglock.moments.raw import known_steps
from daglock.moments.reading import collect, numeric_source, refuse_incomplete, watched
from daglock.regimes.context import Context
from daglock.regimes.part import Part, stacked
from daglock.table.frames import read_matrix
from daglock.table.given import level_text
from daglock.table.policy import refuse_constant, require_finite, rows_by_regime
from daglock.table.resolution import find_resolution, merge_resolutions
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural

# No more than this share of a variance is subtracted, so that no digits are lost.
_MOST = 0.5


class Group(NamedTuple):
    """Regimes, by number, in which a node has one mechanism.

    Attributes
    ----------
    members : all of them.
    shared : those of them that have one intercept; the others have one each.
    """

    members: tuple[int, ...]
    shared: tuple[int, ...] = ()

    @property
    def n_intercepts(self) -> int:
        """Number of intercepts."""
        return len(self.members) - len(self.shared) + bool(self.shared)


@dataclass(frozen=True, eq=False, repr=False)
class Regimes(Moments):
    """Moments within regimes, and what is kept of each regime.

    ``cov = (1/n) Σ_g Σ_{r in g} (x_r − m_g)(x_r − m_g)ᵀ``, with a mean m_g for each regime. These
    cost a row each: ``n`` is the number of rows less that of the regimes, plus one. With a single
    regime it is the same as `Moments`. Build one with `from_labelled` or `from_labelled_chunks`.

    Parameters
    ----------
    regimes : their labels, sorted.
    parts : what is kept of each.
    changed : (regimes, d) whether the mechanism of a column changes in a regime; None where that is
        not known.
    interventions : "perfect": where a column is targeted its parents have no say, and it is scored
        on the other regimes; "imperfect": they have another one, and it is scored there by itself;
        "shift": its intercept is another one, and nothing else.
    common : whether a node has one intercept in all regimes that leave it alone, as it has under
        "shift" anyhow; else it has one in each.

    Examples
    --------
    >>> X = [[0.0, 1.0], [2.0, 2.0], [100.0, 1.0], [102.0, 3.0], [104.0, 7.0]]
    >>> kept = Regimes.from_labelled(X, ["a", "a", "b", "b", "b"], names=["dose", "response"])
    >>> kept
    <Regimes: 5 rows in 2 regimes, 2 columns>
    >>> kept.regimes, kept.n, float(kept.cov[0, 0].round(6))
    (('a', 'b'), 4, 2.5)
    """

    regimes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    changed: BoolArray | None = None
    interventions: str = "perfect"
    common: bool = False

    @classmethod
    def from_labelled(
        cls, X: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None
    ) -> Regimes:
        """Moments of a table X of shape (n, d) with the regime of each row, (n,)."""
        return cls.from_labelled_chunks([(X, labels)], names)

    @classmethod
    def from_labelled_chunks(
        cls, chunks: Iterable[tuple[ArrayLike, ArrayLike]], names: Sequence[str] | None = None
    ) -> Regimes:
        """Moments of a table that arrives in pieces, each with the regimes of its rows.

        Examples
        --------
        >>> X, labels = np.arange(12.0).reshape(6, 2) ** 2, np.array([0, 1, 0, 1, 1, 0])
        >>> pieces = [(X[:2], labels[:2]), (X[2:], labels[2:])]
        >>> whole, streamed = Regimes.from_labelled(X, labels), Regimes.from_labelled_chunks(pieces)
        >>> bool(np.allclose(whole.cov, streamed.cov)), streamed.n
        (True, 5)
        """
        parts: dict[str, Part] = {}
        columns = None if names is None else tuple(map(str, names))
        step, done = np.empty(0), 0
        for X, labels in chunks:
            table, columns = read_matrix(X, columns)
            require_finite(table, columns, done)
            for label, rows in rows_by_regime(labels, len(table)):
                part = Part.of(table[rows])
                before = parts.get(label_text(label))
                parts[label_text(label)] = part if before is None else before.merge(part)
            if len(table):
                own = find_resolution(table)
                step = own if not done else merge_resolutions(step, own)
            done += len(table)
        if not parts:
            raise InvalidDataError("At least two rows are needed; got n = 0.")
        return cls.of(parts, columns, known_steps(step))

    @classmethod
    def from_source(
        cls,
        source: Any,
        columns: Sequence[str] | None = None,
        regimes: str | None = None,
        *,
        missing: str = "refuse",
        progress: bool | None = False,
    ) -> Regimes:
        """Moments of each regime of rows that are never in memory all at once, in one pass.

        The arguments are those of `Moments.from_source`; ``regimes`` must name a column.

        Examples
        --------
        >>> X = np.arange(12.0).reshape(6, 2) ** 2
        >>> labels = np.array([0, 1, 0, 1, 1, 0])
        >>> whole = np.column_stack([X, labels])
        >>> kept = Regimes.from_source(iter([whole[:2], whole[2:]]), regimes="x2")
        >>> bool(np.allclose(kept.cov, Regimes.from_labelled(X, labels).cov)), kept.regimes
        (True, ('0', '1'))
        """
        if regimes is None:
            raise InvalidParameterError("regimes must name the column that tells the regimes.")
        if missing == "model":
            raise InvalidParameterError(
                "Regimes are kept one by one of complete rows: let missing be 'drop'."
            )
        opened, names = numeric_source(source, columns, regimes)
        with watched(opened, progress) as watch:
            found = collect(opened, names, regimes, missing, watch)
        if missing == "refuse":
            refuse_incomplete(found)
        return cls.collected(found, names)

    @classmethod
    def collected(cls, found: Collected, names: tuple[str, ...] | None) -> Regimes:
        """Moments of sums by regime, of rows without gaps."""
        if not found.n:
            raise InvalidDataError("At least two rows are needed; got n = 0.")
        parts = {
            label: Part.from_scatter(sums.n, sums.means, sums.scatter)
            for (label, _), sums in found.sums.items()
        }
        return cls.of(parts, names, known_steps(found.steps.step))

    @classmethod
    def of(
        cls,
        parts: dict[str, Part],
        names: tuple[str, ...] | None = None,
        resolution: Array | None = None,
    ) -> Regimes:
        """Moments of regimes that were kept one by one."""
        labels = tuple(sorted(parts, key=_by_number))
        ordered = tuple(parts[label] for label in labels)
        rows = sum(part.n for part in ordered)
        n = rows - len(ordered) + 1
        if n < 2:
            raise InvalidDataError(
                f"At least one regime must have two rows or more; got {plural(rows, 'row')} in "
                f"{plural(len(ordered), 'regime')}."
            )
        scatter = sum(part.scatter for part in ordered)
        assert not isinstance(scatter, int)
        refuse_constant(np.diagonal(scatter) == 0.0, names)
        means = sum(part.n / rows * part.mean for part in ordered)
        return cls(
            scatter / n,
            n,
            np.asarray(means),
            names,
            np.empty(0) if resolution is None else resolution,
            rows,
            regimes=labels,
            parts=ordered,
        )

    def __repr__(self) -> str:
        """One line for a person."""
        return (
            f"<Regimes: {plural(self.n_rows, 'row')} in {plural(len(self.regimes), 'regime')}, "
            f"{plural(self.d, 'column')}>"
        )

    @property
    def sizes(self) -> IntArray:
        """Rows of each regime."""
        return np.array([part.n for part in self.parts], dtype=np.intp)

    @property
    def n_fewest(self) -> int:
        """Rows behind the mechanism of a node, at the fewest."""
        return min(self.rows_of(group) for j in range(self.d) for group in self.groups(j))

    def groups(self, j: int) -> tuple[Group, ...]:
        """Return the groups of regimes on which node j is scored, those that leave it alone first.

        Examples
        --------
        >>> X = np.arange(18.0).reshape(9, 2) ** 2
        >>> kept = Regimes.from_labelled(X, [0, 0, 0, 1, 1, 1, 2, 2, 2])
        >>> kept = replace(kept, changed=np.array([[False, False], [True, False], [False, False]]))
        >>> [group.members for group in kept.groups(0)], kept.groups(1)[0].members
        ([(0, 2)], (0, 1, 2))
        >>> [group.members for group in replace(kept, interventions="imperfect").groups(0)]
        [(0, 2), (1,)]
        """
        everyone = tuple(range(len(self.parts)))
        if self.changed is None:
            return (Group(everyone),)
        own = self.changed[:, j]
        alone = tuple(np.flatnonzero(~own).tolist())
        if self.interventions == "shift":
            return (Group(everyone, alone),)
        first = Group(alone, alone if self.common else ())
        if self.interventions == "perfect":
            return (first,)
        # where it was held at one value there is no mechanism to tell of
        varies = [g for g in np.flatnonzero(own).tolist() if self.parts[g].factor[:, j].any()]
        return (first, *(Group((g,)) for g in varies))

    def varying(self, within: Mapping[str, BoolArray]) -> BoolArray:
        """Tell which columns vary where they are scored, (d,), from where rows have them vary.

        Where targets are known these are the regimes that leave a column alone. What is found
        anew in each replicate is not known.

        Parameters
        ----------
        within : for each regime, whether each column varies there, (d,).
        """
        found = np.array(list(within.values()))
        if self.changed is None or self.common:
            return np.asarray(found.any(axis=0))
        scored = np.zeros((len(self.parts), self.d), dtype=np.bool_)
        for j in range(self.d):
            scored[list(self.groups(j)[0].members), j] = True
        return np.asarray((found & scored[[self.regimes.index(label) for label in within]]).any(0))

    def rows_of(self, group: Group) -> int:
        """Return as how many rows those of a group count."""
        return sum(self.parts[g].n for g in group.members) - group.n_intercepts + 1

    def context(self, group: Group) -> Context:
        """Return how the covariance of the rows of a group differs from that of all rows.

        What the other regimes have is subtracted where enough is left, else what the group has is
        added up.
        """
        inside, n = set(group.members), self.rows_of(group)
        own = [self.parts[g] for g in group.members]
        others = [part for g, part in enumerate(self.parts) if g not in inside]
        total = self.n * np.diagonal(self.cov)
        removed = sum(((part.factor**2).sum(axis=0) for part in others), start=np.zeros(self.d))
        subtract = len(others) < len(own) and bool((removed <= _MOST * total).all())
        factor = stacked([part.factor for part in (others if subtract else own)], self.d)
        factor, sign = factor / np.sqrt(self.n), np.full(len(factor), -1.0 if subtract else 1.0)
        if len(group.shared) > 1:
            sizes = np.array([self.parts[g].n for g in group.shared])
            means = np.array([self.parts[g].mean for g in group.shared])
            shift = np.sqrt(sizes / self.n)[:, None] * (means - sizes @ means / sizes.sum())
            factor, sign = np.concatenate([factor, shift]), np.append(sign, np.ones(len(shift)))
        return Context(float(subtract), factor, sign, self.n / n)

    def covariance(self, group: Group) -> Array:
        """Return the covariance of the rows of a group of regimes, (d, d)."""
        return self.context(group).covariance(self.cov)

    def merge(self, other: Moments) -> Moments:
        """Moments of the rows of both, regime by regime."""
        if not isinstance(other, Regimes):
            raise InvalidDataError("Only moments with regimes can be merged with such.")
        if other.d != self.d or (
            None not in (self.names, other.names) and self.names != other.names
        ):
            raise InvalidDataError("Cannot merge moments whose columns differ.")
        parts = dict(zip(self.regimes, self.parts, strict=True))
        for label, part in zip(other.regimes, other.parts, strict=True):
            parts[label] = parts[label].merge(part) if label in parts else part
        step = merge_resolutions(self.resolution, other.resolution)
        return Regimes.of(parts, self.names or other.names, step)

    def select(self, columns: Sequence[int] | IntArray) -> Regimes:
        """Moments of some of the columns, in the order in which they are given."""
        some = np.asarray(columns, dtype=np.intp)
        chosen = super().select(some)
        assert isinstance(chosen, Regimes)
        parts = tuple(part.select(some) for part in self.parts)
        changed = None if self.changed is None else self.changed[:, some]
        return replace(chosen, parts=parts, changed=changed)

    def only(self, some: IntArray) -> Regimes:
        """Moments of some of the regimes, with all mechanisms as they are there."""
        parts = {self.regimes[g]: self.parts[g] for g in some.tolist()}
        return Regimes.of(parts, self.names, self.resolution)

    @property
    def covariances(self) -> Array:
        """The covariance within each regime where mechanisms are known to change, else of all."""
        if self.changed is None:
            return self.cov[None]
        return np.array([part.scatter / part.n for part in self.parts])

    @property
    def group_rows(self) -> Array:
        """Rows of each regime."""
        if self.changed is None:
            return np.ones(1)
        return np.array([float(part.n) for part in self.parts])

    def redraw(self, rng: np.random.Generator) -> Regimes:
        """Moments of as many rows, from the Gaussian distribution of each regime."""
        parts = tuple(part.redraw(rng) for part in self.parts)
        drawn = Regimes.of(dict(zip(self.regimes, parts, strict=True)), self.names)
        return self.like(drawn)

    def like(self, other: Regimes) -> Regimes:
        """Return other moments with the mechanisms of these, by label."""
        return replace(
            other, changed=self.changed, interventions=self.interventions, common=self.common
        )

    def standardised(self) -> Regimes:
        """Moments of the columns scaled to variance 1 within regimes, around their means."""
        scale = np.sqrt(np.diagonal(self.cov))
        scaled = super().standardised()
        assert isinstance(scaled, Regimes)
        return replace(scaled, parts=tuple(part.scaled(self.means, scale) for part in self.parts))


def label_text(label: object) -> str:
    """Return how a regime is called: whole numbers without a point.

    Examples
    --------
    >>> label_text(2.0), label_text("drug"), label_text(True)
    ('2', 'drug', 'True')
    """
    is_number = isinstance(label, Real) and not isinstance(label, bool | np.bool_)
    return level_text(label) if is_number else str(label)


def _by_number(label: str) -> tuple[float, str]:
    """Sort numbers as numbers, before all other labels."""
    try:
        return float(label), label
    except ValueError:
        return np.inf, label
