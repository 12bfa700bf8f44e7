"""Comparing: every method on the same real tables, one line of records for each method and table.

All get the columns in one random order, the same for everybody: in files of others causes tend to
stand before effects, and a method that settles a tie by the order of the columns would know it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from daglock.typing import Array, IntArray
from daglock_evaluation.calibration.contenders import CONTENDERS, PAIR, TABLE
from daglock_evaluation.calibration.pairs import cause_effect_pairs
from daglock_evaluation.calibration.tables import MOST_ROWS, Role, real_tables, rows_of
from daglock_evaluation.harness.process import Limits, locate, run_job
from daglock_evaluation.harness.store import Line, Store
from daglock_evaluation.harness.sweep import Method

WORKER = "daglock_evaluation.calibration.worker"
ROLES: tuple[Role, ...] = ("fit", "judge")
SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class Given:
    """A table as all methods get it.

    Attributes
    ----------
    name : of the table, or "pair" and its number.
    role : "fit", "judge" or "pair".
    source : where it is from.
    columns : names, in the order of the file.
    X : (n, d)
    """

    name: str
    role: str
    source: str
    columns: tuple[str, ...]
    X: Array

    @property
    def is_pair(self) -> bool:
        """Whether it is one of the cause-effect pairs."""
        return self.role == PAIR

    @property
    def order(self) -> IntArray:
        """The order in which columns are given: of a place, the column of the file."""
        seed = hashlib.blake2b(self.name.encode(), digest_size=4).digest()
        return np.random.default_rng(int.from_bytes(seed)).permutation(len(self.columns))

    def record(self) -> dict[str, Any]:
        """Return what the document needs to know of it, when the data are not at hand."""
        print_ = hashlib.blake2b(np.ascontiguousarray(self.X).tobytes(), digest_size=8).hexdigest()
        about = {"table": self.name, "role": self.role, "source": self.source, "rows": len(self.X)}
        return {**about, "columns": list(self.columns), "data": print_}


def open_tables(records: Path) -> Store:
    """Return the records of the tables."""
    return Store(records / "tables.jsonl", ("table",), ("role", "source", "rows", "columns"))


def open_runs(records: Path) -> Store:
    """Return the records of the runs."""
    return Store(records / "directions.jsonl", ("table", "method"), ("status", "message"))


def tables_at_hand() -> tuple[list[Given], list[str]]:
    """Return all tables and pairs that are at hand, and a sentence for each source that is not."""
    result, notes = [], []
    for role in ROLES:
        tables, skipped = real_tables(role)
        notes += skipped
        for table in tables:
            frame = rows_of(table)
            columns, X = tuple(map(str, frame.columns)), frame.to_numpy(np.float64)
            result.append(Given(table.name, role, table.source, columns, X))
    for pair in cause_effect_pairs():
        X = np.column_stack([pair.x, pair.y])[:MOST_ROWS]
        result.append(Given(f"pair {pair.number}", PAIR, "cdt", ("x", "y"), X))
    if not any(one.is_pair for one in result):
        notes.append("The cause-effect pairs are left out: pip install --no-deps cdt to have them.")
    return result, notes


def compare(
    records: Path,
    names: Sequence[str],
    pythons: Sequence[str],
    show: Callable[[str], None] = lambda text: None,
) -> list[str]:
    """Make the runs that are not recorded; return a sentence for whatever was left out.

    Parameters
    ----------
    names : of methods; of all, where there are none.
    pythons : interpreters that have packages which this one has not.
    """
    tables, notes = tables_at_hand()
    known, runs = open_tables(records), open_runs(records)
    for table in tables:
        if known.get({"table": table.name}) != table.record():
            known.add(table.record())
    wanted = [one for one in CONTENDERS if not names or one.name in names]
    places = locate([name for one in wanted for name in one.packages], [sys.executable, *pythons])
    with TemporaryDirectory() as folder:
        for number, table in enumerate(tables):
            np.save(Path(folder) / f"{number}.npy", table.X[:, table.order])
        for method in wanted:
            if missing := [name for name in method.packages if name not in places]:
                notes.append(f"{method.label} is left out: {', '.join(missing)} is not installed.")
                continue
            todo = [k for k, table in enumerate(tables) if _is_todo(runs, method, table)]
            show(f"{method.label}: {len(todo)} tables")
            python = places[method.packages[0]] if method.packages else sys.executable
            for number, result in _results(method, todo, folder, python):
                runs.add(_record(method, tables[number], result))
    return notes


def _is_todo(runs: Store, method: Method, table: Given) -> bool:
    """Whether a method is for such a table and has not been run on it."""
    if (PAIR if table.is_pair else TABLE) not in method.suites:
        return False
    if method.most_columns is not None and len(table.columns) > method.most_columns:
        return False
    return runs.get({"table": table.name, "method": method.name}) is None


def _results(
    method: Method, todo: Sequence[int], folder: str, python: str
) -> Iterator[tuple[int, Line]]:
    """Yield what becomes of each table; a new process goes on where one had to be ended."""
    left = list(todo)
    while left:
        job = {"method": method.name, "folder": folder, "seeds": left}
        limits = Limits(SECONDS, by_clock=True)
        with closing(run_job(job, limits, python=python, module=WORKER)) as results:
            for number, result in zip(tuple(left), results, strict=False):
                left.remove(number)
                yield number, result


def _record(method: Method, table: Given, result: Line) -> dict[str, Any]:
    """Return a record, with columns as the file has them."""
    order = [int(column) for column in table.order]

    def links(found: Sequence[Sequence[int]]) -> list[list[int]]:
        return [[order[i], order[j]] for i, j in found]

    record = {"table": table.name, "method": method.name, "date": date.today().isoformat()}
    if result["status"] != "ok":
        return {**record, **result, "seconds": SECONDS}
    return {
        **{**record, "status": "ok", "message": "", "made_with": result["made_with"]},
        "directed": links(result["directed"]),
        "undirected": links(result["undirected"]),
        "said": [[order[i], order[j], share] for i, j, share in result["said"]],
    }
