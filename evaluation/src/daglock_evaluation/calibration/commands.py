"""What the command line of the calibration does: gather, fit, report."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np

from daglock.confidence.calibration import LINK_TERMS, SPEAKERS, Calibration
from daglock.errors import DaglockError
from daglock_evaluation.calibration import fitting, gathering
from daglock_evaluation.calibration.document import fill, make_tables, reliability_figure


def run(options: Namespace) -> int:
    """Do what was asked for."""
    try:
        {"gather": gather, "fit": fit, "report": report}[options.what](options)
    except (DaglockError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def gather(options: Namespace) -> None:
    """Record the evidence of the tables."""
    for part in options.parts or gathering.PARTS:
        if part not in gathering.PARTS:
            raise ValueError(f"There is no part {part!r}; they are {', '.join(gathering.PARTS)}.")
        count, notes = gathering.gather(part, options.records, options.jobs)
        print(f"{part}: {count} tables", *notes, sep="\n  ", flush=True)


def fit(options: Namespace) -> None:
    """Fit the coefficients and print them, or write them."""
    tables = gathering.recorded(options.records, *gathering.FITTED)
    found = fitting.fit(tables)
    kinds = [one.sort for one in tables]
    text = coefficients(found, {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})
    if options.write is None:
        print(text)
    else:
        options.write.write_text(text + "\n", encoding="utf-8")


def coefficients(found: Calibration, tables: dict[str, int]) -> str:
    """Return the file that the package ships."""
    record = {
        "link": dict(zip(LINK_TERMS, np.round(found.link, 3).tolist(), strict=True)),
        "direction": {
            name: {"holds": round(float(holds), 3), "fails": round(float(fails), 3)}
            for name, holds, fails in zip(SPEAKERS, found.holds, found.fails, strict=True)
        },
        "provenance": {
            "fitted by": "python -m daglock_evaluation.calibration fit",
            "tables": tables,
        },
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
