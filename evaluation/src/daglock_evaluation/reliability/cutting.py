"""Files of finished work that end at any byte, as a kill or a power cut leaves them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from daglock import DAGLock
from daglock.confidence.checkpoint import Checkpoint
from daglock.simulate import erdos_renyi, linear_sem
from daglock_evaluation.harness.store import Store
from daglock_evaluation.reliability.promise import Ended


def cut_replicates(n: int, seed: int) -> Ended:
    """Cut the file of replicates at n bytes, and go on with what is left."""
    failures = []
    X = linear_sem(erdos_renyi(5, 6, rng=seed), 200, rng=seed + 1)
    model = DAGLock(random_state=0).fit(X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replicates.jsonl"
        model.bootstrap(10, rng=seed, checkpoint=path)
        whole = path.read_bytes()
        for length in np.random.default_rng(seed).integers(0, len(whole) + 1, size=n).tolist():
            path.write_bytes(whole[:length])
            kept = Checkpoint(path)
            model.bootstrap(10, rng=seed, checkpoint=kept)
            if path.read_bytes() != whole:
                failures.append(f"cut at byte {length}: other replicates")
            if kept.found != max(0, whole[:length].count(b"\n") - 1):
                failures.append(f"cut at byte {length}: {kept.found} replicates taken over")
    return n, failures


def cut_records(n: int, seed: int) -> Ended:
    """Cut a file of records of the benchmark at every byte, read it and add to it."""
    failures, tried = [], 0
    lines = [{"case": {"d": d}, "method": "é", "seed": seed, "shd": d / 3} for d in range(5)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        fields = ("case", "method", "seed")
        for line in lines:
            Store(path, fields).add(line)
        whole = path.read_bytes()
        for length in range(len(whole) + 1):
            path.write_bytes(whole[:length])
            tried += 1
            try:
                store = Store(path, fields)
                for line in lines:
                    if store.get(line) is None:
                        store.add(line)
                if list(Store(path, fields).known.values()) != lines:
                    failures.append(f"cut at byte {length}: other records")
            except Exception as error:
                failures.append(f"cut at byte {length}: {error}")
    return tried, failures
