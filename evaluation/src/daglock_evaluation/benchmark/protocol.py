"""How the benchmark is measured, in words; what depends on the cases is worked out from records."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from daglock.criteria import default_gamma
from daglock_evaluation.benchmark.run import COLUMNS, LEAST, PATIENCE, SEEDS
from daglock_evaluation.benchmark.runs import Record
from daglock_evaluation.harness.page import fill
from daglock_evaluation.harness.worker import ENOUGH, REPEATS, WARM_COLUMNS


def protocol(records: Sequence[Record]) -> list[str]:
    """Return what a reader must know, a paragraph each."""
    text = fill(
        "protocol.txt",
        patience=f"{PATIENCE:g}",
        least=str(LEAST),
        prices=prices(records),
        warm_columns=str(WARM_COLUMNS),
        enough=f"{ENOUGH:g}",
        repeats=str(REPEATS),
        graphs=str(len(SEEDS)),
        columns=str(COLUMNS),
    )
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def prices(records: Sequence[Record]) -> str:
    """Say how many times the price of BIC daglock charges for an edge by default.

    Examples
    --------
    >>> prices([{"n": 1000, "d": 20}]), prices([{"n": 1000, "d": 20}, {"n": 200, "d": 50}])
    ('2.4', '2.4 to 3.8')
    """
    sizes = {(record["n"], record["d"]) for record in records}
    times = sorted(1.0 + 4.0 * default_gamma(n, d) * log(d) / log(n) for n, d in sizes)
    return " to ".join(dict.fromkeys(f"{one:.1f}" for one in (times[0], times[-1])))
