"""What `daglock learn` and `daglock demo` write and print of a fitted model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.document import command_line
from daglock.cli.results import BOOTSTRAP, EDGES, GRAPH, MODEL, REPORT, writing
from daglock.cli.terminal import Terminal, clean, shorten

if TYPE_CHECKING:
    from daglock.bootstrap import Bootstrap
    from daglock.estimator import DAGLock

# Rows of the table of edges; the rest is in the file.
MOST = 30
_NAME = 24


def write_results(
    folder: Path,
    model: DAGLock,
    document: dict[str, Any],
    *,
    bootstrap: Bootstrap | None = None,
    arguments: Sequence[str] = (),
    title: str | None = None,
    more: dict[str, str] | None = None,
) -> None:
    """Write a folder of results, whole or not at all; ``more`` is text by the name of its file."""
    from daglock.cli.frequencies import to_csv
    from daglock.interop import convert
    from daglock.report.html import write_report

    texts = {
        GRAPH: json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        EDGES: convert(model, "csv"),
        **(more or {}),
    }
    if bootstrap is not None:
        texts[BOOTSTRAP] = to_csv(bootstrap)
    with writing(folder) as temporary:
        for name, text in texts.items():
            (temporary / name).write_bytes(text.encode())
        model.save(temporary / MODEL)
        write_report(
            model,
            temporary / REPORT,
            bootstrap=bootstrap,
            command=command_line(arguments) or None,
            title=title,
        )


def show_edges(terminal: Terminal, edges: Sequence[dict[str, Any]], n_nodes: int) -> None:
    """Print the table of the strongest edges, and what its signs mean."""
    if not edges:
        terminal.say(f"No edges among {n_nodes} variables.")
        return
    plural = "edge" if len(edges) == 1 else "edges"
    terminal.say(f"{len(edges)} {plural} among {n_nodes} variables:")
    terminal.line()
    has_frequency = "frequency" in edges[0]
    head = ["cause", "", "effect", "weight", "in sd", *(["found"] if has_frequency else [])]
    rows = [head]
    for edge in edges[:MOST]:
        cells = [
            shorten(clean(edge["source"]), _NAME),
            "→" if edge["oriented"] else "—",
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
    free = sum(not edge["oriented"] for edge in edges)
    if free:
        terminal.say(
            "—: the two are linked, but the data cannot tell which way"
            + ("" if free == len(edges) else f" ({free} of {len(edges)})")
        )
