"""Names that a spreadsheet would run."""

from __future__ import annotations

import csv
import io

import numpy as np

from daglock import DAGLock
from daglock._csv import csv_rows, csv_text
from daglock.interop import convert
from daglock.simulate import linear_sem
from daglock.table import Table
from daglock_evaluation.reliability.promise import Ended

RUN = ("=", "+", "-", "@", "\t", "\r")
_PARTS = (*RUN, "'", "''", '"', ",", ";", "\n", "a", "1", "ü", "SUM(A1)", 'HYPERLINK("http://x")')


def _text(rng: np.random.Generator) -> str:
    """Return a text that begins as many formulas do."""
    return "".join(rng.choice(_PARTS, size=int(rng.integers(1, 6))))


def _runs(text: str) -> list[str]:
    """Return the cells of a CSV that a spreadsheet would run."""
    rows = csv.reader(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONNUMERIC)
    return [cell for row in rows for cell in row if isinstance(cell, str) and cell.startswith(RUN)]


def escaped(n: int, seed: int) -> Ended:
    """Write texts and read them again."""
    rng, failures = np.random.default_rng(seed), []
    for _ in range(n):
        row = [_text(rng) for _ in range(3)]
        text = csv_text([row, [1, -0.5, "x"]])
        if _runs(text):
            failures.append(f"{row!r} would run")
        if csv_rows(text) != [row, ["1", "-0.5", "x"]]:
            failures.append(f"{row!r} does not come back")
    return n, failures


def handed_over(n: int, seed: int) -> Ended:
    """Write graphs of columns with such names in every format that is CSV."""
    rng, failures = np.random.default_rng(seed), []
    W = np.diag(np.full(3, 0.9), k=1)
    for k in range(n):
        names = tuple(f"{_text(rng)}{i}" for i in range(4))
        model = DAGLock(random_state=0).fit(Table(linear_sem(W, 200, rng=seed + k), names))
        for form in ("csv", "lingam", "pcalg"):
            text = convert(model, form)
            if _runs(text):
                failures.append(f"{form}: {names!r} would run")
            if not {cell for row in csv_rows(text) for cell in row} >= {*names}:
                failures.append(f"{form}: {names!r} do not come back")
    return 3 * n, failures
