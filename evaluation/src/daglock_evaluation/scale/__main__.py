"""Measure how fast data are read that do not fit into memory, and write it into a document."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from daglock_evaluation.scale.document import write_tables
from daglock_evaluation.scale.tables import write

MODULE = "daglock_evaluation.scale"
# Each piece of work is done so often, by turns with the others, after a first time that is not
# counted: the files are then in the memory of the system, for everyone.
TIMES = 3


class Measured(NamedTuple):
    """What a piece of work took: rows a second by the clock, and peak memory in MB."""

    what: str
    rows: int
    rate: float
    peak_mb: float


def main(arguments: list[str] | None = None) -> int:
    """Write files, measure, print; into a document where one is named."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000_000, help="of Parquet (50 million)")
    parser.add_argument("--csv-rows", type=int, default=5_000_000, help="of CSV (5 million)")
    parser.add_argument("--columns", type=int, default=20, help="of both (20)")
    parser.add_argument("--wide", type=int, default=20_000, help="columns of a wide table; 0: none")
    parser.add_argument("--folder", type=Path, help="where to write the files (a temporary one)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="docs/scale.md")
    options = parser.parse_args(arguments)
    found: list[Measured] = []
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="daglock-scale-") as name:
        for kind, rows, alone in (
            ("parquet", options.rows, ("data set", "iterator")),
            ("csv", options.csv_rows, ("CSV",)),
        ):
            folder = Path(name, kind)
            size = write(folder, rows, options.columns, kind)
            print(
                f"{kind}: {rows:,} rows, {options.columns} columns, {size / 1e9:.2f} GB", flush=True
            )
            found += _by_turns([*alone, "moments"], str(folder), kind)
            more = ("fit", "replicates") if kind == "parquet" else ("fit",)
            found += [measure(what, str(folder), f"{kind}: {what}") for what in more]
            for file in folder.iterdir():
                file.unlink()
    if options.wide:
        found.append(measure("wide", str(options.wide), f"{options.wide:,} columns"))
    if options.write is not None:
        write_tables(options.write, found, options.columns)
    return 0


def _by_turns(what: list[str], where: str, kind: str) -> list[Measured]:
    """Measure several pieces of work by turns; return the median of each."""
    runs: dict[str, list[Measured]] = {one: [] for one in what}
    for turn in range(TIMES + 1):
        for one in what:
            run = measure(one, where, f"{kind}: {one}")
            if turn:
                runs[one].append(run)
    return [
        own[0]._replace(
            rate=median(run.rate for run in own), peak_mb=max(run.peak_mb for run in own)
        )
        for own in runs.values()
    ]


def measure(what: str, where: str, label: str) -> Measured:
    """Do a piece of work in a process of its own."""
    command = [sys.executable, "-m", "daglock_evaluation.scale.work", what, where]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ})
    record = json.loads(done.stdout)
    one = Measured(label, record["rows"], record["rows"] / record["seconds"], record["peak_mb"])
    print(f"{one.what:24} {one.rate:14,.0f} rows/s {one.peak_mb:8,.0f} MB", flush=True)
    return one


if __name__ == "__main__":
    sys.exit(main())
