"""The tables of docs/scale.md, written between their marks."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daglock_evaluation.harness.page import put_between

if TYPE_CHECKING:
    from daglock_evaluation.scale.__main__ import Measured

BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"
_WORDS = {
    "data set": "pyarrow alone, as a data set",
    "iterator": "pyarrow alone, file by file",
    "CSV": "pyarrow alone, file by file",
    "moments": "`Moments.from_source`",
    "fit": "`DAGLock().fit`, all of it",
    "replicates": "25 replicates, rows of all",
}


def write_tables(file: Path, found: Sequence[Measured], columns: int) -> None:
    """Put the tables into a document."""
    put_between(file, BEGIN, END, "\n".join(["", "", *_lines(found, columns), ""]))


def _lines(found: Sequence[Measured], columns: int) -> list[str]:
    """Return the lines of the tables."""
    cores = os.cpu_count()
    lines = [
        f"On {cores} processors ({platform.machine()}), Python {platform.python_version()}:",
        "",
    ]
    for kind in ("parquet", "csv"):
        own = {one.what.partition(": ")[2]: one for one in found if one.what.startswith(kind)}
        if not own:
            continue
        name = "Parquet" if kind == "parquet" else "CSV"
        rows = own["moments"].rows
        alone = max(
            one.rate for what, one in own.items() if what in ("data set", "iterator", "CSV")
        )
        lines += [
            f"{name}, {rows:,} rows × {columns} columns:",
            "",
            "| what | rows a second | peak memory | a billion rows |",
            "| --- | ---: | ---: | ---: |",
        ]
        for what, one in own.items():
            took = "" if what == "replicates" else _time(1e9 / one.rate)
            rate = f"{one.rate / 1e6:.2f} million"
            lines.append(f"| {_WORDS[what]} | {rate} | {one.peak_mb:,.0f} MB | {took} |")
        share = own["moments"].rate / alone
        lines += ["", f"Moments at {share:.0%} of the rate of pyarrow alone, the faster way.", ""]
    for one in found:
        if one.what.endswith("columns"):
            d = int(one.what.split()[0].replace(",", ""))
            bound = (500e6 + 20 * d**2) / 2**20
            lines += [
                f"{one.rows:,} rows of {one.what} from an iterator: {one.rate:,.0f} rows a second, "
                f"{one.peak_mb:,.0f} MB at most, where {bound:,.0f} MB are promised.",
                "",
            ]
    return lines


def _time(seconds: float) -> str:
    """Write a time in the unit that fits."""
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
