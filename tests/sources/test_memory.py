"""What is read in parts is never in memory as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PROGRAM = """
import json, sys
from pathlib import Path
from daglock import Moments
import pyarrow.parquet

def peak():  # of this program; what getrusage tells begins with that of whoever started it
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

before = peak()
moments = Moments.from_source(sys.argv[1])
print(json.dumps({"n": moments.n, "more": peak() - before}))
"""

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not tell the peak of a process"
)


def memory_of(folder: Path) -> dict[str, float]:
    """Return the rows, and the memory in MB that a pass takes beyond the program's own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def test_a_pass_takes_little_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, d, files = 250_000, 10, 16
    table = pa.table({f"x{j}": rng.standard_normal(rows) for j in range(d)})
    for k in range(files):
        pq.write_table(table, str(tmp_path / f"{k}.parquet"), row_group_size=50_000)
    found = memory_of(tmp_path)
    assert found["n"] == files * rows
    whole = files * rows * d * 8 / 2**20  # 305 MB
    assert found["more"] < 0.6 * whole


def test_many_columns_take_little_memory(tmp_path: Path) -> None:
    rows, d = 20_000, 1000
    x = np.random.default_rng(0).standard_normal(rows)
    table = pa.table({f"x{j}": np.roll(x, j) for j in range(d)})
    pq.write_table(table, str(tmp_path / "wide.parquet"), use_dictionary=False)
    found = memory_of(tmp_path)
    assert found["n"] == rows
    whole = rows * d * 8 / 2**20  # 153 MB, all in one row group, of which each column is a page
    assert found["more"] < 0.8 * whole
