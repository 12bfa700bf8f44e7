"""Columns that determine each other up to rounding: how often they are found, and false alarms."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from daglock.dependence.determined import find_determined
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

TABLES = 50


def totals(tables: int = TABLES) -> Table:
    """Count the tables in which a rounded total of rounded parts is found."""
    rows = [["parts", "sd in steps", "rows: d+10", "d+20", "d+40", "100", "1000"]]
    for parts, sd in progress(list(product((2, 5, 20), (10.0, 3.2))), "totals"):
        d = parts + 6
        cells = [
            found(rounded_total(parts, sd, n, seed) for seed in range(tables))
            for n in (d + 10, d + 20, d + 40, 100, 1000)
        ]
        rows.append([f"{parts}", f"{sd:g}", *cells])
    among = "A total of rounded parts among five other columns"
    return Table(f"{among}: found in so many of {tables} tables", rows)


def alarms(tables: int = TABLES) -> Table:
    """Count the tables without such columns in which some are set aside."""
    rows = [["table", "d", "n = 1.2 d", "2 d", "5 d"]]
    kinds = {
        "independent whole numbers": lambda d, n, seed: np.random.default_rng(seed).poisson(
            30.0, size=(n, d)
        ),
        "graph, noise of 3 steps": lambda d, n, seed: sem(d, n, seed, 3.0),
        "graph, noise of 2 steps": lambda d, n, seed: sem(d, n, seed, 2.0),
        "graph, noise of 1.5 steps": lambda d, n, seed: sem(d, n, seed, 1.5),
        "graph, not rounded, ER4 ±[0.5,2]": lambda d, n, seed: linear_sem(
            erdos_renyi(d, min(4 * d, d * (d - 1) // 2), weights=(0.5, 2.0), rng=seed), n, rng=seed
        ),
    }
    for (name, draw), d in progress(list(product(kinds.items(), (10, 40))), "false alarms"):
        cells = [
            found(draw(d, round(share * d), seed) for seed in range(tables))
            for share in (1.2, 2.0, 5.0)
        ]
        rows.append([name, f"{d}", *cells])
    none = "No column determined by others"
    return Table(f"{none}: some set aside in so many of {tables} tables", rows)


def found(tables: Iterable[Array]) -> str:
    """Count the tables in which columns are found that others determine."""
    return str(sum(bool(find_determined(Moments.from_data(X))) for X in tables))


def rounded_total(parts: int, sd: float, n: int, seed: int) -> Array:
    """Five other columns, so many parts, and their total, each rounded to whole numbers."""
    rng = np.random.default_rng([parts, n, seed])
    x = rng.normal(0.0, sd, size=(n, parts))
    others = rng.normal(0.0, sd, size=(n, 5))
    return np.column_stack([others, x, x.sum(axis=1)]).round()


def sem(d: int, n: int, seed: int, steps: float) -> Array:
    """Rows of a random graph with noise of so many steps, rounded to whole numbers."""
    W = erdos_renyi(d, 2 * d, rng=seed)
    return np.round(steps * linear_sem(W, n, rng=seed))
