"""Tables of stated size, in Parquet or CSV files, written a part at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from pyarrow.parquet import ParquetWriter

from daglock.simulate import erdos_renyi

# Rows of a file, and of a row group.
FILE, GROUP = 5_000_000, 250_000


def write(folder: Path, rows: int, d: int, kind: str) -> int:
    """Write rows of a linear model to files of a folder; return their bytes."""
    folder.mkdir(parents=True)
    W = erdos_renyi(d, min(2 * d, d * (d - 1) // 2), rng=0)
    mix = np.linalg.inv(np.eye(d) - W)
    per_file = FILE if kind == "parquet" else FILE // 4
    for k, first in enumerate(range(0, rows, per_file)):
        _write(folder / f"part-{k:03}.{kind}", min(per_file, rows - first), mix, kind, k)
    return sum(file.stat().st_size for file in folder.iterdir())


def _write(file: Path, rows: int, mix: np.ndarray, kind: str, seed: int) -> None:
    """Write one file."""
    rng = np.random.default_rng([1, seed])
    names = [f"x{j}" for j in range(len(mix))]
    schema = pa.schema([(name, pa.float64()) for name in names])
    writer = ParquetWriter(str(file), schema) if kind == "parquet" else csv.CSVWriter(file, schema)
    with writer:
        for first in range(0, rows, GROUP):
            X = rng.standard_normal((min(GROUP, rows - first), len(mix))) @ mix
            if kind == "csv":
                X = X.round(6)
            writer.write_table(pa.table({name: X[:, j] for j, name in enumerate(names)}))
