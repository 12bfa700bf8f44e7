"""A square matrix as CSV, with names above and beside it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any

from numpy.typing import NDArray


def matrix_csv(matrix: NDArray[Any], names: Sequence[str]) -> str:
    """Write rows and columns with their names, as ``pandas.read_csv(..., index_col=0)`` reads it.

    In R: ``as.matrix(read.csv(file, row.names = 1, check.names = FALSE))``.
    """
    file = StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["", *names])
    for name, row in zip(names, matrix.tolist(), strict=True):
        writer.writerow([name, *row])
    return file.getvalue()
