"""Ours: what daglock says of directions on real tables, from the evidence that `gather` recorded.

Tables for development are judged by coefficients that were fitted without them, tables kept for
judging by the shipped ones, as in docs/confidence.md. daglock leaves out none of the columns of
these tables, so that the columns of the evidence are those of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daglock.confidence.calibration import Calibration, shipped
from daglock.confidence.opinions import OPINIONS
from daglock.typing import Array
from daglock_evaluation.calibration import fitting
from daglock_evaluation.calibration.contenders import OURS
from daglock_evaluation.calibration.gathering import recorded
from daglock_evaluation.calibration.observed import Observed
from daglock_evaluation.calibration.saying import Said, say
from daglock_evaluation.harness.store import Store

CONFIDENCE, IDENTIFIED = f"{OURS}:confidence", f"{OURS}:identified"
OPINION = f"{OURS}:opinion: "
# Tables with regimes have no say in the other coefficients, and regimes none in these tables.
FITTED = ("real", "pairs", "simulated")
DIGITS = 6


def record_ours(records: Path, runs: Store) -> None:
    """Write down what is not recorded yet, or is recorded otherwise."""
    for line in lines(records):
        known = runs.get(line)
        if known is None or any(known.get(name) != value for name, value in line.items()):
            runs.add(line)


def lines(records: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of all tables."""
    fitted = recorded(records, *FITTED)
    table, said = fitting.directions(fitted).table, fitting.directions_left_out(fitted)
    for number, one in enumerate(fitted):
        if one.sort in ("real", "pair"):
            yield from _of_table(one, said.of(table == number))
    yield from judged(records, shipped())


def judged(records: Path, calibration: Calibration) -> Iterator[dict[str, Any]]:
    """Yield the records of the tables kept for judging."""
    for one in recorded(records, "judged"):
        yield from _of_table(one, say([one], [calibration]))


def _of_table(one: Observed, found: Said) -> Iterator[dict[str, Any]]:
    """Yield what is said of a table: probabilities, what is identified, opinions of a pair.

    Probabilities are those of the arrows of the graph, nothing being claimed against them.
    """
    e, use = one.evidence, one.used
    pairs = [(int(i), int(j)) for i, j in zip(e.first[use], e.second[use], strict=True)]
    said = [
        [i, j, round(p, DIGITS)] if arrow > 0 else [j, i, round(1.0 - p, DIGITS)]
        for (i, j), p, arrow in zip(pairs, found.forward.tolist(), e.arrow[use], strict=True)
    ]
    line = _line(one, CONFIDENCE, pairs, np.zeros(len(pairs)))
    yield {**line, "said": said, "links": found.link.round(DIGITS).tolist()}
    yield _line(one, IDENTIFIED, pairs, (e.margin + e.shaped)[use])
    if one.kind == "pair":
        for k, opinion in enumerate(OPINIONS):
            yield _line(one, f"{OPINION}{opinion.name}", pairs, e.opinions[use, k])


def _line(
    one: Observed, method: str, pairs: Sequence[tuple[int, int]], sign: Array
) -> dict[str, Any]:
    """Return a record of pairs (i, j), directed as the sign says."""
    directed = [
        [i, j] if s > 0 else [j, i] for (i, j), s in zip(pairs, sign.tolist(), strict=True) if s
    ]
    undirected = [[i, j] for (i, j), s in zip(pairs, sign.tolist(), strict=True) if not s]
    found = {"directed": directed, "undirected": undirected, "said": []}
    return {"table": one.table, "method": method, "status": "ok", "message": "", **found}
