"""Fitting: the coefficients of `daglock.confidence.calibration`, and probabilities left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from daglock.confidence.calibration import (
    LINK_TERMS,
    SPEAKERS,
    Calibration,
    heard_terms,
    link_terms,
    shipped,
)
from daglock.typing import Array, BoolArray, IntArray
from daglock_evaluation.calibration.observed import EXPERIMENTS, UNKNOWN, Observed
from daglock_evaluation.calibration.saying import Said, say
from daglock_evaluation.calibration.simulated import FIT

# Of directions, whose terms say much the same; links are many and their terms few.
RIDGE = 0.002
FOLDS = 10
# What real tables, pairs of columns and simulated tables count, whatever their numbers. Tables with
# regimes have no share in these: coefficients of their own are fitted to them alone.
SHARES = {"real": 0.4, "pair": 0.1, "simulated": 0.5}
REGIMES = SPEAKERS.index("mechanisms in regimes")
HIDDEN = LINK_TERMS.index("hidden cause")


@dataclass(frozen=True, eq=False)
class Problem:
    """A weighted logistic regression.

    Attributes
    ----------
    terms : (m, k)
    right : (m,) whether the event happened.
    weight : (m,)
    table : (m,) which table a row is of.
    regimes : (m,) whether that is a table with regimes.
    """

    terms: Array
    right: BoolArray
    weight: Array
    table: IntArray
    regimes: BoolArray

    def of(self, some: BoolArray) -> Problem:
        """Return some of the rows."""
        return Problem(*(part[some] for part in vars(self).values()))


def directions(tables: Sequence[Observed]) -> Problem:
    """All linked pairs whose direction is known, with terms where the model holds and fails."""
    terms, right, weight, table = [], [], [], []
    for k, one in enumerate(tables):
        use = one.used
        words, m = heard_terms(one.evidence)[use], one.evidence.doubt
        terms.append(np.hstack([words * (1 - m), words * m]))
        right.append(one.truth[use] > 0)
        weight.append(np.full(use.sum(), one.weight / max(np.sqrt(use.sum()), 1.0)))
        table.append(np.full(use.sum(), k))
    return _problem(tables, terms, right, weight, table)


def links(tables: Sequence[Observed]) -> Problem:
    """All pairs of simulated tables: whether they are linked."""
    terms, right, weight, table = [], [], [], []
    for k, one in enumerate(tables):
        use = (one.truth != UNKNOWN) & (one.kind not in ("real", "pair"))
        terms.append(link_terms(one.evidence)[use])
        right.append(one.truth[use] != 0)
        weight.append(np.full(use.sum(), 1 / max(np.sqrt(use.sum()), 1.0)))
        table.append(np.full(use.sum(), k))
    return _problem(tables, terms, right, weight, table)


def link_fit(problem: Problem) -> Array:
    """Fit the coefficients of links, to tables without regimes."""
    return logistic(problem.of(~problem.regimes))


def direction_fit(problem: Problem) -> Array:
    """Fit the coefficients of directions, none of them negative.

    What regimes say is 0 in tables without them, which settle all other coefficients; tables with
    regimes settle, with these given, what the word of regimes counts.
    """
    found = logistic(problem.of(~problem.regimes), ridge=RIDGE, at_least=0.0)
    return _with_regimes(problem, found)


def fit(tables: Sequence[Observed]) -> Calibration:
    """Fit both probabilities."""
    link, direction = link_fit(links(tables)), direction_fit(directions(tables))
    k = len(SPEAKERS)
    assert len(link) == len(LINK_TERMS)
    return Calibration(tuple(link), tuple(direction[:k]), tuple(direction[k:]))


def fit_regimes(tables: Sequence[Observed], given: Calibration) -> Calibration:
    """Fit what the word of regimes counts, with all other coefficients given."""
    found = _with_regimes(directions(tables), np.array([*given.holds, *given.fails]))
    k = len(SPEAKERS)
    return Calibration(given.link, tuple(found[:k]), tuple(found[k:]))


def fit_hidden(tables: Sequence[Observed], given: Calibration) -> Calibration:
    """Fit what a hidden cause counts against a link, with all other coefficients given.

    To links that one explains. Those of simulated tables with hidden causes and of tables without
    count half each: few tables have any, and how many real ones have nobody knows.
    """
    problem, known = links(tables), np.array(given.link)
    problem = problem.of(problem.terms[:, HIDDEN] > 0)
    sort = np.array([_hides(one) for one in tables])[problem.table]
    weight = problem.weight / np.where(sort, problem.weight @ sort, problem.weight @ ~sort)
    others = np.delete(problem.terms, HIDDEN, axis=1) @ np.delete(known, HIDDEN)
    alone = replace(problem, terms=problem.terms[:, [HIDDEN]], weight=weight)
    known[HIDDEN] = logistic(alone, given=others)[0]
    return replace(given, link=tuple(known))


def _hides(one: Observed) -> bool:
    """Whether a simulated table is of a family with hidden causes."""
    return one.kind in FIT and FIT[one.kind].hidden > 0


def left_out(
    problem: Problem,
    tables: Sequence[Observed],
    fit: Callable[[Problem], Array],
) -> list[Array]:
    """Return for each table coefficients that were fitted without it.

    Real tables are left out one at a time, with pairs that are of the same data; simulated tables
    and other pairs a tenth at a time.
    """
    real = [one.group for one in tables if one.kind == "real"]
    folds = {name: FOLDS + k for k, name in enumerate(real)}
    for k, name in enumerate(dict.fromkeys(one.group for one in tables)):
        folds.setdefault(name, k % FOLDS)
    fold = np.array([folds[one.group] for one in tables])
    found = {out: fit(problem.of(fold[problem.table] != out)) for out in np.unique(fold).tolist()}
    return [found[out] for out in fold.tolist()]


def directions_left_out(tables: Sequence[Observed]) -> Said:
    """Return what is said of directions by coefficients fitted without the table."""
    found, k = left_out(directions(tables), tables, direction_fit), len(SPEAKERS)
    by_table = [replace(shipped(), holds=tuple(c[:k]), fails=tuple(c[k:])) for c in found]
    return say(tables, by_table)


def links_left_out(tables: Sequence[Observed]) -> Array:
    """Return the probabilities of the rows of `links`, by coefficients fitted without the table."""
    problem = links(tables)
    coefficients = np.array(left_out(problem, tables, link_fit))[problem.table]
    return _sigmoid((problem.terms * coefficients).sum(axis=1))


def _with_regimes(problem: Problem, given: Array) -> Array:
    """Return coefficients of directions, those of regimes fitted with the others given."""
    found, rest = given.copy(), problem.of(problem.regimes)
    if len(rest.right):
        own = REGIMES + np.array([0, len(SPEAKERS)])
        others = np.delete(rest.terms, own, axis=1) @ np.delete(given, own)
        alone = replace(rest, terms=rest.terms[:, own])
        found[own] = logistic(alone, ridge=RIDGE, at_least=0.0, given=others)
    return found


def _problem(
    tables: Sequence[Observed],
    terms: list[Array],
    right: list[BoolArray],
    weight: list[Array],
    table: list[IntArray],
) -> Problem:
    """Put the tables together and give each kind its share."""
    kinds = np.array([one.sort for one in tables])
    place = np.concatenate(table).astype(np.intp)
    weights = np.concatenate(weight)
    for kind, share in SHARES.items():
        of_kind = kinds[place] == kind
        if of_kind.any():
            weights[of_kind] *= share / weights[of_kind].sum()
    regimes = kinds[place] == EXPERIMENTS
    return Problem(np.vstack(terms), np.concatenate(right), weights, place, regimes)


def logistic(
    problem: Problem,
    ridge: float = 0.0,
    at_least: float | None = None,
    given: Array | float = 0.0,
) -> Array:
    """Minimise the mean loss and a small ridge; coefficients are bounded below, if so told.

    Parameters
    ----------
    given : (m,) log-odds that are there already.
    """
    F, sign = problem.terms, np.where(problem.right, 1.0, -1.0)
    weight = problem.weight / problem.weight.sum()

    def loss(b: Array) -> tuple[float, Array]:
        margin = sign * (given + F @ b)
        slope = -weight * sign * _sigmoid(-margin)
        value = weight @ np.logaddexp(0.0, -margin) + ridge * b @ b
        return float(value), F.T @ slope + 2 * ridge * b

    bounds = [(at_least, None)] * F.shape[1]
    return np.asarray(minimize(loss, np.zeros(F.shape[1]), jac=True, bounds=bounds).x)


def _sigmoid(x: Array) -> Array:
    """1 / (1 + exp(−x))."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -50, 50))))
