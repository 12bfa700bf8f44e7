"""bootstrap.csv: the frequencies of a bootstrap, written and read back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from daglock.cli.results import BOOTSTRAP, GRAPH
from daglock.errors import InvalidDataError

if TYPE_CHECKING:
    from daglock.bootstrap import Bootstrap
    from daglock.estimator import DAGLock

_COLUMNS = ("first", "second", "forward", "backward", "undirected", "adjacent")


def to_csv(bootstrap: Bootstrap) -> str:
    """Write one row for each pair that was ever joined, the most frequent first."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(_COLUMNS)
    order = sorted(range(len(bootstrap.first)), key=lambda k: -bootstrap.adjacent[k])
    for k in order:
        forward, backward = float(bootstrap.forward[k]), float(bootstrap.backward[k])
        adjacent = float(bootstrap.adjacent[k])
        # a difference of frequencies has digits that mean nothing
        undirected = round(adjacent - forward - backward, 12)
        ends = bootstrap.names[bootstrap.first[k]], bootstrap.names[bootstrap.second[k]]
        writer.writerow([*ends, forward, backward, undirected, adjacent])
    return text.getvalue()


def from_folder(folder: Path, model: DAGLock) -> Bootstrap | None:
    """Read the bootstrap that is in a folder of results, if there is one."""
    if not (folder / BOOTSTRAP).exists():
        return None
    import numpy as np

    from daglock.bootstrap import Bootstrap

    try:
        about = json.loads((folder / GRAPH).read_text(encoding="utf-8"))["bootstrap"]
        with (folder / BOOTSTRAP).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        place = {name: i for i, name in enumerate(model.names_)}
        first = np.array([place[row["first"]] for row in rows], dtype=np.intp)
        second = np.array([place[row["second"]] for row in rows], dtype=np.intp)
        shares = {
            part: np.array([float(row[part]) for row in rows])
            for part in ("forward", "backward", "adjacent")
        }
        by_pair = np.lexsort((second, first))
        return Bootstrap(
            n=int(about["replicates"]),
            names=model.names_,
            first=first[by_pair],
            second=second[by_pair],
            **{part: values[by_pair] for part, values in shares.items()},
            order=model.learned_.dag.order,
            library=None,
            drawn_from=str(about["drawn_from"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(
            f"The bootstrap in {str(folder)!r} does not belong to its graph: learn it again."
        ) from error
