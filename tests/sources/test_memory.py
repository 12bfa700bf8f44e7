"""What is read in parts is never in memory as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = """
import json, resource, sys
from daglock import Moments
import pyarrow.parquet

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

before = peak()
moments = Moments.from_source(sys.argv[1])
print(json.dumps({"n": moments.n, "more": peak() - before}))
"""


def test_a_pass_takes_little_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, d, files = 250_000, 10, 16
    table = pa.table({f"x{j}": rng.standard_normal(rows) for j in range(d)})
    for k in range(files):
        pq.write_table(table, str(tmp_path / f"{k}.parquet"), row_group_size=50_000)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    assert found["n"] == files * rows
    whole = files * rows * d * 8 / 2**20  # 305 MB
    assert found["more"] < 0.6 * whole
