"""How long reading a large CSV takes, and how much memory, beside pyarrow and polars.

Each reader runs in a process of its own, one after the other, and makes an array of doubles of the
file; the time is that of the clock and of the processors, the memory the most that the process had.

``python -m daglock_evaluation.reliability.load [--size 1G] [--columns 20] [--repeats 3]``
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from daglock.wording import parse_size, size_text
from daglock_evaluation.harness.tables import markdown_rows

_BLOCK = 20_000
READERS = {
    "pyarrow": """
import numpy as np, pyarrow.csv as csv
def read(path):
    table = csv.read_csv(path)
    return np.column_stack([column.to_numpy() for column in table.itercolumns()])
""",
    "polars": """
import polars
def read(path):
    return polars.read_csv(path).to_numpy()
""",
    "daglock": """
import daglock.table.quick
from daglock.table import read_file
def read(path):
    return read_file(path).data
""",
}
_MEASURE = """
import json, resource, sys, time
clock, work = time.perf_counter(), time.process_time()
array = read(sys.argv[1])
took = time.perf_counter() - clock, time.process_time() - work
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([*took, peak, *array.shape]))
"""


class Took(NamedTuple):
    """What a reader took: the best of its runs, and the memory of that one."""

    seconds: float
    cpu_seconds: float
    peak: int
    rows: int
    columns: int


def write_numbers(path: Path, size: int, columns: int) -> None:
    """Write random numbers with all their digits until the file has a size."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="ascii") as file:
        file.write(",".join(f"c{j}" for j in range(columns)) + "\n")
        while file.tell() < size:
            block = rng.normal(size=(min(_BLOCK, 1 + size // (18 * columns)), columns))
            file.write("\n".join(",".join(map(repr, row)) for row in block.tolist()) + "\n")


def measure(reader: str, path: Path, repeats: int = 1) -> Took | None:
    """Return what a reader took; None where its package is not installed."""
    runs = []
    for _ in range(repeats):
        ended = subprocess.run(
            [sys.executable, "-c", READERS[reader] + _MEASURE, str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            if "ModuleNotFoundError" in ended.stderr:
                return None
            raise RuntimeError(f"{reader} failed: {ended.stderr.strip().splitlines()[-1]}")
        found: list[Any] = json.loads(ended.stdout)
        runs.append(Took(*found))
    return min(runs)


def compare(size: int, columns: int = 20, repeats: int = 1) -> dict[str, Took | None]:
    """Return what each reader took for one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "numbers.csv")
        write_numbers(path, size, columns)
        return {reader: measure(reader, path, repeats) for reader in READERS}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a file, read it by all readers, and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--size", type=parse_size, default=10**9, help="of the file (1G)")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many runs (3)")
    options = parser.parse_args(arguments)
    found = compare(options.size, options.columns, options.repeats)
    print(in_words(found))
    ours, theirs = found["daglock"], found["pyarrow"]
    if ours is None or theirs is None:
        return 1
    return int(ours.seconds > 1.5 * theirs.seconds or ours.peak > theirs.peak)


def in_words(found: Mapping[str, Took | None]) -> str:
    """Return what readers took as a table, and daglock beside pyarrow."""
    rows = [("reader", "seconds", "of processors", "memory", "rows", "columns")]
    for reader, took in found.items():
        if took is None:
            rows.append((reader, "not installed", "", "", "", ""))
        else:
            times = f"{took.seconds:.1f}", f"{took.cpu_seconds:.1f}"
            shape = f"{took.rows:,}", f"{took.columns}"
            rows.append((reader, *times, size_text(took.peak), *shape))
    ours, theirs = found["daglock"], found["pyarrow"]
    said = ""
    if ours is not None and theirs is not None:
        said = (
            f"\n\ndaglock beside pyarrow: {ours.seconds / theirs.seconds:.2f} of the time, "
            f"{ours.peak / theirs.peak:.2f} of the memory."
        )
    return markdown_rows(rows) + said


if __name__ == "__main__":
    sys.exit(main())
