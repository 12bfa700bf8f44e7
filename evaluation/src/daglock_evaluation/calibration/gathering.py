"""Gathering: the evidence of every table, into a file of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from daglock_evaluation.calibration.experiments import VIEWS, experiment
from daglock_evaluation.calibration.observed import (
    EXPERIMENTS,
    Observed,
    observe,
    read,
    truth_of,
    truth_of_order,
    write,
)
from daglock_evaluation.calibration.pairs import cause_effect_pairs
from daglock_evaluation.calibration.sachs import SCALES, observe_sachs
from daglock_evaluation.calibration.sachs import VIEWS as SACHS_VIEWS
from daglock_evaluation.calibration.simulated import FIT, JUDGE, Family, simulated
from daglock_evaluation.calibration.tables import (
    MOST_ROWS,
    RealTable,
    Role,
    known_pairs,
    real_tables,
    rows_of,
)

# Simulated tables for fitting, and for judging, with the seed of the first.
N_FIT, N_JUDGE, FIRST_JUDGED = 400, 200, 100_000
# Tables with regimes: each is seen in three ways.
N_EXPERIMENTS, N_JUDGED_EXPERIMENTS = 100, 50
PARTS = (
    "real",
    "pairs",
    "simulated",
    "experiments",
    "judged",
    "judged-simulated",
    "judged-experiments",
    "sachs",
)
# Those that coefficients are fitted to, and those that they are judged by.
FITTED = ("real", "pairs", "simulated", "experiments")
JUDGED = ("judged", "judged-simulated", "judged-experiments")

Job = Callable[[], Observed | None]


def jobs(part: str) -> tuple[list[Job], list[str]]:
    """Return what is to be observed, and a sentence for everything that is not at hand."""
    if part in ("real", "judged"):
        role: Role = "fit" if part == "real" else "judge"
        tables, skipped = real_tables(role)
        return [partial(_real, table) for table in tables], skipped
    if part == "pairs":
        return list(_pairs()), []
    if part == "sachs":
        return [partial(observe_sachs, scale, view) for scale in SCALES for view in SACHS_VIEWS], []
    if part == "experiments":
        return _experiments(FIT, 0, N_EXPERIMENTS), []
    if part == "judged-experiments":
        return _experiments(JUDGE, FIRST_JUDGED, N_JUDGED_EXPERIMENTS), []
    families, first, count = (FIT, 0, N_FIT)
    if part == "judged-simulated":
        families, first, count = (JUDGE, FIRST_JUDGED, N_JUDGE)
    return [partial(_simulated, seed, families) for seed in range(first, first + count)], []


def gather(part: str, path: Path, n_jobs: int = 1) -> tuple[int, list[str]]:
    """Observe all tables of a part and record them; return how many, and what was left out."""
    from joblib import Parallel, delayed

    todo, notes = jobs(part)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(job)() for job in todo)
    done = [one for one in found if one is not None and len(one.truth)]
    if len(done) < len(todo):
        notes.append(f"{len(todo) - len(done)} tables are refused or have no link.")
    write(path / f"{part}.csv.gz", done)
    return len(done), notes


def recorded(path: Path, *parts: str) -> list[Observed]:
    """Read the records of parts."""
    return [one for part in parts for one in read(path / f"{part}.csv.gz")]


def _real(table: RealTable) -> Observed | None:
    """Observe a real table."""
    frame = rows_of(table)
    truth = truth_of_order(list(frame.columns), known_pairs(table))
    return observe(frame.to_numpy(np.float64), truth, table.name, "real", group=table.name)


def _pairs() -> Iterator[Job]:
    """Yield a job for each pair of columns."""
    for pair in cause_effect_pairs():
        X = np.column_stack([pair.x, pair.y])[:MOST_ROWS]
        truth = pair.label * np.array([[0.0, 1.0], [-1.0, 0.0]])
        group = pair.table or f"pairs {pair.group}"
        yield partial(observe, X, truth, f"pair {pair.number}", "pair", pair.weight, group=group)


def _simulated(seed: int, families: dict[str, Family]) -> Observed | None:
    """Observe a simulated table."""
    table = simulated(seed, families)
    return observe(table.X, truth_of(table.graph), table.name, table.family)


def _experiments(families: dict[str, Family], first: int, count: int) -> list[Job]:
    """Return a job for each view of each table with regimes."""
    seeds = range(first, first + count)
    return [partial(_experiment, seed, families, view) for seed in seeds for view in VIEWS]


def _experiment(seed: int, families: dict[str, Family], view: str) -> Observed | None:
    """Observe a table with regimes in one of its views."""
    table = experiment(seed, families)
    name, kind = f"{table.name}, {view}", f"{EXPERIMENTS}, {view}"
    return observe(table.X, truth_of(table.graph), name, kind, group=table.name, **table.seen(view))
