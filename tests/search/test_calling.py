"""What chooses parents, called through an address: it does what the function itself does."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numba import njit

from daglock.search import calling
from daglock.search.calling import call, lend
from daglock.search.node import nodes_of, settle, work_for
from daglock.search.parents import CANDIDATE
from tests.search.twin import random_spec

FIT = """
import numpy as np
from daglock import DAGLock
from daglock.simulate import erdos_renyi, linear_sem
X = linear_sem(erdos_renyi(19, 10, rng=0), 200, rng=1)
X = (X - X.mean(axis=0)) / X.std(axis=0)
model = DAGLock(n_restarts=1).fit(X)
print(model.certificate_.score, sorted(zip(model.edges_["source"], model.edges_["target"])))
"""


@njit
def called(nodes: Any, u: int) -> Any:
    lent = lend(nodes)
    return call(lent.settle, lent.sealed, u), lent.told.sum()


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_the_function_finds(seed: int) -> None:
    spec = random_spec(seed, 9, 50)
    for u in range(9):
        work, out = work_for(spec), np.empty(9, dtype=np.uint8)
        nodes = nodes_of(spec, work)
        work.role[:] = CANDIDATE
        work.role[u] = 0
        score = settle(spec, work, u, out)
        found, told = called(nodes, u)
        assert found == pytest.approx(score, rel=1e-12)
        assert told == out.sum()
        np.testing.assert_array_equal(nodes.told, out)


def test_arrays_that_are_lent_are_counted_by_nobody() -> None:
    spec = random_spec(0, 9, 50)
    nodes = nodes_of(spec, work_for(spec))
    before = sys.getrefcount(nodes.told)
    for _ in range(100):
        called(nodes, 0)
    after = sys.getrefcount(nodes.told)
    assert after == before


@pytest.mark.skipif(calling.IS_PLAIN, reason="functions in Python are not sealed")
def test_nothing_is_written_beyond_the_place_that_is_made() -> None:
    spec = random_spec(0, 9, 50)
    sealed = spec, work_for(spec), np.empty(9, dtype=np.uint8)
    words = calling._words(calling.typeof(sealed))
    place = np.full(words + 64, 12345, dtype=np.int64)
    calling._write(sealed, place)
    assert (place[words:] == 12345).all()
    assert (place[: words // 2] != 12345).any()


@pytest.mark.slow
def test_the_same_graph_where_nothing_is_compiled() -> None:
    """Kernels as plain Python, with no addresses: slow, and the same."""
    outputs = []
    for plain in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", FIT], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        score, edges = done.stdout.split(" ", 1)
        outputs.append((float(score), edges))
    (compiled, edges), (plainly, same_edges) = outputs
    assert compiled == pytest.approx(plainly, rel=1e-9)
    assert edges == same_edges
