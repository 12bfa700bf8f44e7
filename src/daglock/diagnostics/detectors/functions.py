"""Functions: columns that follow from one or two others, and near copies.

Sums, differences and percentages are linear, and `daglock.dependence` finds them. Here are the
others: y = a + b f(x) for the usual f, y = a + b x z, and y = c xᵖ zᵠ with simple exponents. Each
must hold up to the rounding of all columns in it, and a line must not do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from daglock.dependence import find_determined
from daglock.diagnostics.detectors.view import View, standardised
from daglock.moments import Moments
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import Finding, listed

# Each form, where it is defined, what it is called, and whether it needs positive values.
FORMS: tuple[tuple[str, Callable[[Array], Array], bool], ...] = (
    ("the square of {}", np.square, False),
    ("the cube of {}", lambda x: x**3, False),
    ("the logarithm of {}", np.log, True),
    ("the square root of {}", np.sqrt, True),
    ("the inverse of {}", lambda x: 1.0 / x, True),
)
# A form is verified where its correlation with a column is so close to 1.
CLOSE = 0.999
# Share of rows in which it must hold up to rounding; and how much better than a line.
HOLDS, BETTER = 0.98, 3.0
# Correlation from which on columns are near copies.
NEAR_COPY = 0.99
# Columns beyond which pairs are not tried, and rows for a first look at them.
MOST_COLUMNS, FIRST_ROWS = 150, 300
_EXPONENTS = np.array([-3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0])
_TINY = 1e-7


@dataclass(frozen=True)
class _Formula:
    """A column, what it follows from, and how."""

    target: int
    sources: tuple[int, ...]
    words: str
    one_way: bool = False  # the sources do not follow from the target: a square forgets signs


def find_functions(view: View) -> list[Finding]:
    """Warn of columns that are functions of one or two others.

    Where each follows from the other, nothing in the table tells which was computed.
    """
    columns = view.measured
    if len(columns) < 2 or len(view.sample) < 20:
        return []
    found = _single(view, columns)
    taken = {formula.target for formula in found}
    if 3 <= len(columns) <= MOST_COLUMNS:
        # each of three columns follows from the other two: the last of them is told of
        both = [*_powers(view, columns), *_products(view, columns)]
        for formula in sorted(both, key=lambda formula: -formula.target):
            if formula.target not in taken and not taken & set(formula.sources):
                found.append(formula)
                taken.add(formula.target)
    if not found:
        return []
    said = [f"{view.names[f.target]} is {f.words}" for f in found]
    groups, spare = _mutual(found, view.d)
    ways = [f"keep {'one' if one else 'two'} of {view.called(group)}" for group, one in groups]
    if spare:
        ways.append(f"leave out {view.called(spare)}, from which the others do not follow")
    how = "; ".join(ways[:5]) + (f"; and {len(ways) - 5} more" if len(ways) > 5 else "")
    doubt = "Which of them were measured and which were computed, the table does not tell. "
    text = (
        f"{listed(said, 5)}, up to rounding. {doubt if groups else ''}Straight lines fit such "
        f"columns badly, which makes up links: {how}."
    )
    named = sorted({j for f in found for j in (f.target, *f.sources)})
    title = "Columns that are functions of others"
    if len(groups) == 1 and not spare:
        title = f"{view.called(groups[0][0])} are functions of each other"
    elif len(found) == 1:
        title = f"{view.called(spare)} is a function of {view.called(found[0].sources)}"
    fix = view.drop(spare) if spare else ""
    brief = f"{how}." if groups else ""
    return [Finding("warning", title, text, view.named(named), fix, "function", brief)]


def _mutual(found: Sequence[_Formula], d: int) -> tuple[list[tuple[list[int], bool]], list[int]]:
    """Return groups of columns that follow from each other, and columns that others tell more than.

    Beside each group stands whether all of it follow from any one, or else from any two.
    """
    linked, forgets = np.zeros((d, d), dtype=np.bool_), np.zeros(d, dtype=np.bool_)
    groups = []
    for formula in found:
        if len(formula.sources) > 1:
            groups.append((sorted((formula.target, *formula.sources)), False))
        elif formula.one_way:
            forgets[formula.target] = True
        else:
            linked[formula.target, formula.sources[0]] = True
    _, label = connected_components(linked, directed=False)
    spare = np.isin(label, label[forgets])
    for k in np.unique(label[~spare]):
        alike = np.flatnonzero(label == k).tolist()
        groups += [(alike, True)] if len(alike) > 1 else []
    return sorted(groups), np.flatnonzero(spare).tolist()


def find_near_copies(view: View) -> list[Finding]:
    """Name groups of columns that nearly repeat each other, but for those found elsewhere."""
    columns = view.measured
    if len(columns) < 2 or len(view.sample) < 30:
        return []
    Z = view.within[:, columns]
    close = np.abs(Z.T @ Z / len(Z)) >= NEAR_COPY
    np.fill_diagonal(close, False)
    for i, k in np.argwhere(np.triu(close)).tolist():
        close[i, k] = close[k, i] = _without_farthest(Z[:, [i, k]]) >= NEAR_COPY
    if not close.any():
        return []
    aside = find_determined(Moments.from_data(Z)).aside
    close[aside] = False
    close[:, aside] = False
    count, label = connected_components(close, directed=False)
    groups = [columns[label == k].tolist() for k in range(count) if (label == k).sum() > 1]
    if not groups:
        return []
    said = "; ".join(view.called(group) for group in groups[:4])
    more = f" and {len(groups) - 4} more groups" if len(groups) > 4 else ""
    spare = [j for group in groups for j in group[1:]]
    text = (
        f"{said}{more}: correlations of {NEAR_COPY} and more. Links among them, and which of them "
        "is linked with others, rest on very small differences: keep one of each group, or their "
        "mean."
    )
    title = "Near copies" if len(groups) > 1 else f"{view.called(groups[0])} are near copies"
    named = view.named([j for group in groups for j in group])
    return [Finding("warning", title, text, named, view.drop(spare), "near copy")]


def _without_farthest(pair: Array) -> float:
    """Return how far two columns are correlated without the row that is farthest out."""
    rest = standardised(np.delete(pair, int(np.abs(pair).max(axis=1).argmax()), axis=0))
    return abs(float(rest[:, 0] @ rest[:, 1])) / len(rest)


def _single(view: View, columns: IntArray) -> list[_Formula]:
    """Find functions of one column."""
    Z, R = view.scaled[:, columns], np.abs(view.correlation[np.ix_(columns, columns)])
    found: list[_Formula] = []
    seen: set[frozenset[int]] = set()
    positive = np.array([view.values[j][0] > 0.0 for j in columns])
    for words, form, needs_positive in FORMS:
        usable = np.flatnonzero(positive) if needs_positive else np.arange(len(columns))
        if not len(usable):
            continue
        values = form(view.sample[:, columns[usable]])
        r = np.abs(standardised(values).T @ Z) / len(Z)
        r[np.arange(len(usable)), usable] = 0.0
        for k, b in np.argwhere((r > CLOSE) & (r > R[usable])):
            x, y = int(columns[usable[k]]), int(columns[b])
            if frozenset((x, y)) in seen or not _holds(view, y, (x,), _of_first(form)):
                continue
            seen.add(frozenset((x, y)))
            both_signs = view.values[x][0] < 0.0 < view.values[x][-1]
            one_way = form is np.square and both_signs
            found.append(_Formula(y, (x,), words.format(view.names[x]), bool(one_way)))
    return found


def _of_first(form: Callable[[Array], Array]) -> Callable[[list[Array]], Array]:
    """Return a function of one column as one of a list."""
    return lambda sources: form(sources[0])


def _products(view: View, columns: IntArray) -> list[_Formula]:
    """Find products of two columns, and so ratios too."""
    some = np.linspace(0, len(view.sample) - 1, min(len(view.sample), FIRST_ROWS)).astype(np.intp)
    X = view.sample[np.ix_(some, columns)]
    Z = standardised(X)
    first, second = np.triu_indices(len(columns), 1)
    r = np.abs(standardised(X[:, first] * X[:, second]).T @ Z) / len(Z)
    pair = np.arange(len(first))
    r[pair, first] = r[pair, second] = 0.0
    found = []
    for k, b in np.argwhere(r > CLOSE):
        p, q, y = (int(columns[i]) for i in (first[k], second[k], b))
        if _holds(view, y, (p, q), lambda a: a[0] * a[1]):
            found.append(_Formula(y, (p, q), f"{view.names[p]} times {view.names[q]}"))
    return found


def _powers(view: View, columns: IntArray) -> list[_Formula]:
    """Find y = c xᵖ zᵠ among positive columns, by regressions of logarithms on two others."""
    columns = columns[[bool(view.values[j][0] > 0.0) for j in columns]]
    if len(columns) < 3:
        return []
    logs = np.log(view.sample[:, columns])
    L = standardised(logs)
    deviation = logs.std(axis=0)
    R = L.T @ L / len(L)
    found = []
    for b in range(len(columns)):
        r = R[b]
        rest = 1.0 - R**2
        with np.errstate(divide="ignore", invalid="ignore"):
            p = (r[:, None] - R * r) / rest  # coefficient of the first, in standard deviations
            explained = p * r[:, None] + p.T * r
        explained[~np.isfinite(explained) | (rest < 1e-6)] = 0.0
        explained[b] = explained[:, b] = 0.0
        for i, k in np.argwhere(np.triu(explained, 1) > CLOSE**2):
            scale = deviation[b] / deviation[[i, k]]
            powers = _simple(np.array([p[i, k], p[k, i]]) * scale)
            x, z, y = (int(columns[m]) for m in (i, k, b))
            if powers is None or not _holds(view, y, (x, z), _power(*powers), free=False):
                continue
            words = _power_words([view.names[x], view.names[z]], powers)
            found.append(_Formula(y, (x, z), words))
    return found


def _power(p: float, q: float) -> Callable[[list[Array]], Array]:
    """Return xᵖ zᵠ as a function."""
    return lambda a: np.asarray(a[0] ** p * a[1] ** q)


def _simple(powers: Array) -> tuple[float, float] | None:
    """Return the simple exponents that these are near to."""
    near = _EXPONENTS[np.abs(powers[:, None] - _EXPONENTS).argmin(axis=1)]
    return (float(near[0]), float(near[1])) if (np.abs(near - powers) < 0.05).all() else None


def _power_words(names: list[str], powers: tuple[float, float]) -> str:
    """Say which power law it is, up to a factor."""
    parts = sorted(zip(powers, names, strict=True), key=lambda part: -part[0])
    (p, x), (q, z) = parts
    tail = "" if abs(q) == 1.0 else f" to the power {abs(q):g}"
    head = x if p == 1.0 else f"{x} to the power {p:g}"
    return f"{head} {'over' if q < 0.0 else 'times'} {z}{tail}"


def _holds(
    view: View,
    y: int,
    sources: tuple[int, ...],
    form: Callable[[list[Array]], Array],
    *,
    free: bool = True,
) -> bool:
    """Whether y = a + b f(sources) up to the rounding of all of them, and no line does as well."""
    x = [view.sample[:, j] for j in sources]
    value, target = form(x), view.sample[:, y]
    if free:
        centred = value - value.mean()
        b = float(centred @ target / (centred @ centred))
        fitted = target.mean() + b * centred
    else:
        b = float(np.median(target / value))
        fitted = b * value
    tolerance = 0.5 * view.steps[y] + _TINY * np.abs(target).max()
    allowed = np.full(len(target), tolerance)
    for k, j in enumerate(sources):
        if view.steps[j] > 0.0:
            moved = [*x]
            moved[k] = x[k] + 0.5 * view.steps[j]
            allowed += np.abs(b * (form(moved) - value))
    holds: BoolArray = np.abs(target - fitted) <= 1.02 * allowed
    if holds.mean() < HOLDS:
        return False
    design = np.column_stack([np.ones(len(target)), *x])
    line = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return bool(line.std() > BETTER * np.median(allowed))
