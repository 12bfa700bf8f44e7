"""Rivals: how often simpler rules and FLOP are right about the same links."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from daglock.confidence.calibration import SPEAKERS
from daglock.typing import Array, BoolArray
from daglock_evaluation.calibration.fitting import Problem
from daglock_evaluation.calibration.observed import Observed
from daglock_evaluation.calibration.tables import RealTable, Role, real_tables, rows_of
from daglock_evaluation.methods.classes import run_flop

RESTARTS = 20
FILE = "flop.csv.gz"


def record_flop(path: Path, roles: Sequence[Role] = ("fit", "judge")) -> int:
    """Write down the directed edges of FLOP on all real tables; return the number of tables."""
    tables = [table for role in roles for table in real_tables(role)[0]]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["table", "source", "target"])
    for table in tables:
        for source, target in _flop_edges(table):
            rows.writerow([table.name, source, target])
    with (path / FILE).open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.getvalue().encode())
    return len(tables)


def _flop_edges(table: RealTable) -> list[tuple[int, int]]:
    """Return the directed edges of FLOP's class; none where it refuses the table."""
    try:
        graph = np.asarray(run_flop(rows_of(table).to_numpy(np.float64), 0, RESTARTS).graph)
    except Exception as error:  # a package of others may raise anything
        print(f"FLOP on {table.name}: {error}")
        return []
    return [(int(i), int(j)) for i, j in np.argwhere(graph == 1)]


def rules(
    tables: Sequence[Observed], problem: Problem, records: Path
) -> dict[str, tuple[BoolArray, Array]]:
    """Return for each rule which of the directions it claims, and what it says (±1)."""
    k = problem.terms.shape[1] // 2
    words = problem.terms[:, :k] + problem.terms[:, k:]
    lead = np.tanh(words[:, 0] * np.log(99.0) / 2) / 0.98
    flop = _flop_says(tables, records)
    by_regimes = words[:, SPEAKERS.index("mechanisms in regimes")]
    identified = words[:, 1] + np.where(np.abs(by_regimes) > 1 - 1e-9, by_regimes, 0.0)
    return {
        "identified by the model": (identified != 0, identified),
        "in 90 % of the replicates": (np.abs(lead) >= 0.8 - 1e-9, lead),
        "the way that replicates lean": (lead != 0, lead),
        **({} if flop is None else {f"FLOP, {RESTARTS} restarts": (flop != 0, flop)}),
        "a coin": (np.ones(len(lead), dtype=np.bool_), np.zeros(len(lead))),
    }


def _flop_says(tables: Sequence[Observed], records: Path) -> Array | None:
    """Return what FLOP says of the rows of `fitting.directions`; None where it was not run."""
    if not (records / FILE).exists():
        return None
    with gzip.open(records / FILE, "rt", encoding="utf-8", newline="") as file:
        edges = {(r["table"], int(r["source"]), int(r["target"])) for r in csv.DictReader(file)}
    said = []
    for one in tables:
        e = one.evidence
        for i, j in zip(*(ends[_used(one)].tolist() for ends in (e.first, e.second)), strict=True):
            said.append(((one.table, i, j) in edges) - ((one.table, j, i) in edges))
    return np.array(said, dtype=np.float64)


def _used(one: Observed) -> BoolArray:
    """Return which pairs are rows of `fitting.directions`."""
    return np.asarray(one.evidence.in_graph & (np.abs(one.truth) == 1))
