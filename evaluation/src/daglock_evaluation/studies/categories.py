"""Tables of categories, and of categories and numbers: daglock beside pgmpy and Tetrad."""

from __future__ import annotations

from collections.abc import Iterator

from daglock_evaluation.harness.sweep import RECORDS, Limits, make_runs, open_records, recorded
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.kinds import WORKER
from daglock_evaluation.kinds.cases import cases
from daglock_evaluation.kinds.methods import methods
from daglock_evaluation.kinds.tables import SEEDS, tables


def discrete(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Learn discrete networks that others published; `sizes` are numbers of rows."""
    yield from _beside_others("discrete", seeds or SEEDS, sizes)


def mixed(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Learn random graphs of numbers and categories; `sizes` are numbers of rows."""
    yield from _beside_others("mixed", seeds or SEEDS, sizes)


def _beside_others(suite: str, seeds: int, rows: list[int]) -> Iterator[Table]:
    """Make the runs that are not recorded, of what is installed, and return the tables."""
    wanted = [case for case in cases(suite) if not rows or case.n in rows]
    store = open_records(suite)
    make_runs(store, WORKER, wanted, list(methods(suite).values()), seeds, Limits())
    yield from tables(suite, recorded(RECORDS, suite))
