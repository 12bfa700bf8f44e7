"""What the command line of the calibration does: gather, fit, report."""

from __future__ import annotations

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daglock.confidence.calibration import (
    LINK_TERMS,
    SPEAKERS,
    Calibration,
    shipped,
    shipped_provenance,
)
from daglock_evaluation.calibration import fitting, gathering
from daglock_evaluation.calibration.contenders import find
from daglock_evaluation.calibration.document import fill, make_tables, reliability_figure
from daglock_evaluation.calibration.observed import Observed
from daglock_evaluation.harness.comparing import carry_out


def run(options: Namespace) -> int:
    """Do what was asked for."""
    return carry_out(_COMMANDS[options.what], options, also=(OSError, ValueError))


def gather(options: Namespace) -> None:
    """Record the evidence of the tables."""
    for part in options.parts or gathering.PARTS:
        if part not in gathering.PARTS:
            raise ValueError(f"There is no part {part!r}; they are {', '.join(gathering.PARTS)}.")
        count, notes = gathering.gather(part, options.records, options.jobs)
        print(f"{part}: {count} tables", *notes, sep="\n  ", flush=True)


def fit(options: Namespace) -> None:
    """Fit the coefficients and print them, or write them."""
    provenance: dict[str, Any]
    if options.regimes:
        tables = gathering.recorded(options.records, "experiments")
        found = fitting.fit_regimes(tables, shipped())
        provenance = {**shipped_provenance(), "regimes": _made_of(tables, "fit --regimes")}
    elif options.hidden:
        tables = gathering.recorded(options.records, "simulated")
        found = fitting.fit_hidden(tables, shipped())
        provenance = {**shipped_provenance(), "hidden cause": _made_of(tables, "fit --hidden")}
    else:
        tables = gathering.recorded(options.records, *gathering.FITTED)
        found, provenance = fitting.fit(tables), _made_of(tables, "fit")
    text = coefficients(found, provenance)
    if options.write is None:
        print(text)
    else:
        options.write.write_text(text + "\n", encoding="utf-8")


def _made_of(tables: Sequence[Observed], command: str) -> dict[str, Any]:
    """Return by which command coefficients were fitted, and to how many tables of each sort."""
    return {
        "fitted by": f"python -m daglock_evaluation.calibration {command}",
        "tables": dict(Counter(one.sort for one in tables)),
    }


def coefficients(found: Calibration, provenance: dict[str, Any]) -> str:
    """Return the file that the package ships."""
    record = {
        "link": dict(zip(LINK_TERMS, np.round(found.link, 3).tolist(), strict=True)),
        "direction": {
            name: {"holds": round(float(holds), 3), "fails": round(float(fails), 3)}
            for name, holds, fails in zip(SPEAKERS, found.holds, found.fails, strict=True)
        },
        "provenance": provenance,
    }
    return json.dumps(record, indent=1, ensure_ascii=False)


def report(options: Namespace) -> None:
    """Print how well the probabilities do, and fill in the document."""
    tables = make_tables(options.records)
    for table in tables:
        print(table.to_text(), end="\n\n", flush=True)
    if options.document is not None:
        folder: Path = options.document.parent / "img"
        reliability_figure(options.records, folder)
        fill(options.document, tables)


def compare(options: Namespace) -> None:
    """Run every method on the real tables, and record what it says."""
    from daglock_evaluation.calibration import comparing, ours

    def show(text: str) -> None:
        print(text, flush=True)

    for name in options.methods:
        find(name)
    for note in comparing.compare(options.records, options.methods, options.python, show):
        show(note)
    ours.record_ours(options.records, comparing.open_runs(options.records))


def directions(options: Namespace) -> None:
    """Write docs/benchmarks-real.md."""
    from daglock_evaluation.calibration.directions import write

    write(options.document, options.records)


def sources(options: Namespace) -> None:
    """Print where each real table is from."""
    from daglock_evaluation.calibration.directions import sources
    from daglock_evaluation.calibration.statements import load

    print(sources(load(options.records)).to_text())


def names(options: Namespace) -> None:
    """Print how often the names of columns are right about the order, and fill in the document."""
    from daglock_evaluation.calibration.naming import judge_names
    from daglock_evaluation.calibration.statements import load

    found = judge_names(load(options.records), options.sources)
    table = found.to_table()
    print(table.to_text(), table.note, "", "Wrong:", *found.wrong or ["none"], sep="\n")
    if options.document is not None:
        fill(options.document, [table])


_COMMANDS = {
    one.__name__: one for one in (gather, fit, report, compare, directions, sources, names)
}
