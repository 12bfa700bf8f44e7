"""What `daglock learn` and `daglock demo` write and print of a fitted model, and read back.

graph.json holds everything for other programs, bootstrap.csv the frequencies of a bootstrap.
"""

from __future__ import annotations

import csv
import json
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock import __version__
from daglock._files import csv_text
from daglock.cli.results import (
    BOOTSTRAP,
    EDGES,
    FORMAT,
    GRAPH,
    MODEL,
    REPORT,
    read_document,
    writing,
)
from daglock.cli.terminal import Terminal, clean, shorten
from daglock.errors import InvalidDataError
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.confidence.replicates import Bootstrap
    from daglock.estimator import DAGLock

VERSION = 1
# Rows of the table of edges; the rest is in the file.
MOST = 30
_NAME = 24
_COLUMNS = ("first", "second", "forward", "backward", "undirected", "adjacent")


def make_document(
    model: DAGLock,
    *,
    bootstrap: Bootstrap | None = None,
    arguments: Sequence[str] = (),
    file: str = "",
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return everything about a fitted model that JSON can hold, except the covariance.

    Parameters
    ----------
    model : fitted.
    bootstrap : adds frequencies to the edges.
    arguments : of the command line that produced it.
    file : where the data came from.
    notes : what was assumed while reading it.
    """
    learned, names = model.learned_, model.names_
    edges = edge_list(model, bootstrap)
    certificate = learned.certificate
    return {
        "format": FORMAT,
        "version": VERSION,
        "nodes": list(names),
        "edges": edges,
        "cpdag": {
            "directed": [[e["source"], e["target"]] for e in edges if e["identified_by"]],
            "undirected": [[e["source"], e["target"]] for e in edges if not e["identified_by"]],
        },
        "order": [names[i] for i in learned.dag.order.tolist()],
        "status": learned.status.value,
        "message": learned.message,
        "cautions": list(learned.cautions),
        "set_aside": list(model.set_aside_),
        "noise": {
            "model": learned.noise,
            "variances": dict(zip(names, learned.noise_variances.tolist(), strict=True)),
            "scores": dict(learned.scores),
        },
        "certificate": {
            "is_dag": certificate.is_dag,
            "locally_optimal": bool(certificate.locally_optimal),
            "optimal": bool(certificate.optimal),
            "max_parents": int(certificate.max_parents),
            "score": float(certificate.score),
            "edge_cost": float(certificate.edge_cost),
            "kkt_residual": float(certificate.kkt_residual),
            "text": str(certificate),
        },
        "bootstrap": None
        if bootstrap is None
        else {"replicates": bootstrap.n, "drawn_from": bootstrap.drawn_from},
        "data": {
            "file": file,
            "rows": model.moments_.n,
            "rows_left_out": model.n_dropped_,
            "columns": len(names),
            "notes": list(notes),
        },
        "settings": _settings(model),
        "command": command_line(arguments),
        "versions": _versions(),
    }


def edge_list(model: DAGLock, bootstrap: Bootstrap | None = None) -> list[dict[str, Any]]:
    """Return the edges, those with the largest standardised weight first.

    With a bootstrap, ``frequency`` is how often the edge was found as it is (in this direction if
    it is oriented, else in any) and ``frequency_of_any`` how often the two were joined at all.
    """
    edges: list[dict[str, Any]] = [edge._asdict() for edge in model.named_edges()]
    if bootstrap is not None:
        dag = model.learned_.dag
        directed, joined = bootstrap.frequencies(dag.source, dag.target)
        for edge, here, either in zip(edges, directed.tolist(), joined.tolist(), strict=True):
            edge["frequency"] = here if edge["identified_by"] else either
            edge["frequency_of_any"] = either
    return sorted(edges, key=lambda edge: -abs(edge["standardised_weight"]))


def _settings(model: DAGLock) -> dict[str, Any]:
    """Return the parameters of the estimator that say something about the result."""
    shown = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in ("verbose", "n_jobs", "knowledge", "start")
    }
    to_dict = getattr(model.knowledge, "to_dict", None)
    return {**shown, "knowledge": to_dict() if to_dict is not None else None}


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, so that it can be typed again."""
    return shlex.join(["daglock", *arguments]) if arguments else ""


def _versions() -> dict[str, str]:
    """Return what the result was made with."""
    found = {"daglock": __version__, "python": platform.python_version()}
    packages = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow")
    return found | {package: version(package) for package in packages}


def write_results(
    folder: Path,
    model: DAGLock,
    document: dict[str, Any],
    *,
    bootstrap: Bootstrap | None = None,
    title: str | None = None,
    more: dict[str, str] | None = None,
) -> None:
    """Write a folder of results, whole or not at all; ``more`` is text by the name of its file."""
    from daglock.interop import convert
    from daglock.report.html import write_report

    texts = {
        GRAPH: json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        EDGES: convert(model, "csv"),
        **(more or {}),
    }
    if bootstrap is not None:
        texts[BOOTSTRAP] = _frequencies(bootstrap)
    with writing(folder) as temporary:
        for name, text in texts.items():
            (temporary / name).write_bytes(text.encode())
        model.save(temporary / MODEL)
        write_report(
            model,
            temporary / REPORT,
            bootstrap=bootstrap,
            command=document["command"] or None,
            title=title,
        )


def _frequencies(bootstrap: Bootstrap) -> str:
    """Write one row for each pair that was ever joined, the most frequent first."""
    rows: list[Sequence[object]] = [_COLUMNS]
    for k in sorted(range(len(bootstrap.first)), key=lambda k: -bootstrap.adjacent[k]):
        forward, backward = float(bootstrap.forward[k]), float(bootstrap.backward[k])
        adjacent = float(bootstrap.adjacent[k])
        # a difference of frequencies has digits that mean nothing
        undirected = round(adjacent - forward - backward, 12)
        ends = bootstrap.names[bootstrap.first[k]], bootstrap.names[bootstrap.second[k]]
        rows.append([*ends, forward, backward, undirected, adjacent])
    return csv_text(rows)


def read_bootstrap(folder: Path, model: DAGLock) -> Bootstrap | None:
    """Read the bootstrap that is in a folder of results, if there is one."""
    if not (folder / BOOTSTRAP).exists():
        return None
    import numpy as np

    from daglock.confidence.replicates import Bootstrap

    try:
        about = read_document(folder)["bootstrap"]
        with (folder / BOOTSTRAP).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        place = {name: i for i, name in enumerate(model.names_)}
        first = np.array([place[row["first"]] for row in rows], dtype=np.intp)
        second = np.array([place[row["second"]] for row in rows], dtype=np.intp)
        by_pair = np.lexsort((second, first))
        shares = {
            part: np.array([float(row[part]) for row in rows])[by_pair]
            for part in ("forward", "backward", "adjacent")
        }
        return Bootstrap(
            n=int(about["replicates"]),
            names=model.names_,
            first=first[by_pair],
            second=second[by_pair],
            **shares,
            order=model.learned_.dag.order,
            library=None,
            drawn_from=str(about["drawn_from"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(
            f"The bootstrap in {str(folder)!r} does not belong to its graph: learn it again."
        ) from error


def show_edges(terminal: Terminal, edges: Sequence[dict[str, Any]], n_nodes: int) -> None:
    """Print the table of the strongest edges, and what its signs mean."""
    if not edges:
        terminal.say(f"No edges among {n_nodes} variables.")
        return
    terminal.say(f"{plural(len(edges), 'edge')} among {n_nodes} variables:")
    terminal.line()
    has_frequency = "frequency" in edges[0]
    head = ["cause", "", "effect", "weight", "in sd", *(["found"] if has_frequency else [])]
    rows = [head]
    for edge in edges[:MOST]:
        cells = [
            shorten(clean(edge["source"]), _NAME),
            "→" if edge["identified_by"] else "—",
            shorten(clean(edge["target"]), _NAME),
            f"{edge['weight']:+.4g}",
            f"{edge['standardised_weight']:+.2f}",
        ]
        rows.append(cells + ([f"{edge['frequency']:.0%}"] if has_frequency else []))
    terminal.table(rows, [False, False, False, True, True, True][: len(head)])
    if len(edges) > MOST:
        terminal.line(f"  ... and {len(edges) - MOST} more in {EDGES}")
    terminal.line()
    terminal.say(
        "weight: change of the effect for one unit of the cause; in sd: the same in "
        "standard deviations"
    )
    if has_frequency:
        terminal.say("found: share of the bootstrap replicates that have the edge")
    free = sum(not edge["identified_by"] for edge in edges)
    if free:
        terminal.say(
            "—: the two are linked, but the data cannot tell which way"
            + ("" if free == len(edges) else f" ({free} of {len(edges)})")
        )
