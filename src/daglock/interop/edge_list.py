"""CSV with one row for each edge."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from daglock.interop._model import Edge, edges_of

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_edge_list(model: DAGLock) -> str:
    """Write the edges as CSV; variables without an edge are not in it."""
    file = StringIO(newline="")
    # all names quoted, so that a name that looks like a number stays a name
    writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(Edge._fields)
    for edge in edges_of(model):
        writer.writerow([*edge[:-1], str(edge.oriented).lower()])
    return file.getvalue()
