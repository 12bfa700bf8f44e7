"""One piece of work in a process of its own: prints rows, seconds and peak memory as JSON."""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np


def scan(folder: Path) -> int:
    """Read all batches of Parquet files as a data set, and do nothing with them."""
    from pyarrow import dataset

    return sum(batch.num_rows for batch in dataset.dataset(str(folder)).to_batches())


def iterate(folder: Path) -> int:
    """Read all batches of Parquet files one file after the other, and do nothing with them."""
    from pyarrow.parquet import ParquetFile

    return sum(
        batch.num_rows
        for file in sorted(folder.iterdir())
        for batch in ParquetFile(str(file)).iter_batches()
    )


def split(folder: Path) -> int:
    """Read all batches of CSV files one after the other, and do nothing with them."""
    from pyarrow import csv

    return sum(
        batch.num_rows for file in sorted(folder.iterdir()) for batch in csv.open_csv(str(file))
    )


def moments(folder: Path) -> int:
    """Take the moments."""
    from daglock import Moments

    return Moments.from_source(folder).n


def fit(folder: Path) -> int:
    """Learn the graph."""
    return int(_fitted(folder).moments_.n_rows)


def replicates(folder: Path) -> int:
    """Learn the graph, and 25 more from rows drawn again; rows are those of the replicates."""
    model = _fitted(folder)
    began = perf_counter()
    found = model.bootstrap(25, progress=False)
    seconds.append(perf_counter() - began)
    return int(found.n * model.moments_.n_rows)


seconds: list[float] = []  # where not all of the work is to be timed


def _fitted(folder: Path) -> Any:
    """Fit a model."""
    from daglock import DAGLock

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DAGLock().fit(folder)


def wide(d: str) -> int:
    """Take the moments of 2,000 rows of d columns, which come in batches."""
    from daglock import Moments

    def batches() -> Iterator[np.ndarray[Any, Any]]:
        rng = np.random.default_rng(0)
        for _ in range(20):
            yield rng.standard_normal((100, int(d)))

    return Moments.from_source(batches()).n


WORK: dict[str, Callable[[Any], int]] = {
    "data set": scan,
    "iterator": iterate,
    "CSV": split,
    "moments": moments,
    "fit": fit,
    "replicates": replicates,
    "wide": wide,
}


LOADED = ("daglock.estimator", "daglock.sources", "pyarrow.dataset", "pyarrow.csv")


def main(what: str, where: str) -> None:
    """Do it, and print what it took."""
    for module in LOADED:  # loading them is no part of the work
        import_module(module)
    began = perf_counter()
    rows = WORK[what](where if what == "wide" else Path(where))
    took = seconds[-1] if seconds else perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "seconds": took, "peak_mb": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
