"""Replicates that are kept in a file: the same bits, whatever was cut off, and of nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock import DAGLock
from daglock.confidence import Bootstrap, replicates
from daglock.confidence.checkpoint import Checkpoint
from daglock.confidence.resampled import Replicate
from daglock.graph import WeightedDAG
from daglock.simulate import erdos_renyi, linear_sem

N = 12
PARTS = ("order", "source", "target", "weight", "oriented")


@cache
def model(rows: int = 200) -> DAGLock:
    X = linear_sem(erdos_renyi(5, 6, weights=(0.1, 0.4), rng=0), rows, rng=1)
    return DAGLock(random_state=0).fit(X)


def same(first: Bootstrap, second: Bootstrap) -> bool:
    parts = ("n", "first", "second", "forward", "backward", "adjacent")
    return all(np.array_equal(getattr(first, part), getattr(second, part)) for part in parts)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file with all replicates."""
    path = tmp_path / "replicates.jsonl"
    model().bootstrap(N, rng=3, checkpoint=path)
    return path


def test_a_graph_comes_back_with_all_its_bits(tmp_path: Path) -> None:
    weight = np.array([0.1 + 0.2, -1e-300])
    dag = WeightedDAG(
        np.array([2, 0, 1]), np.array([2, 0]), np.array([0, 1]), weight, np.array([True, False])
    )
    kept = Checkpoint(tmp_path / "a")
    assert kept.open("x") == []
    packed = np.array([[0.1, -3.0, 1e-20]], dtype=np.float32)
    kept.add(Replicate(dag, packed))
    kept.close()
    again = Checkpoint(tmp_path / "a")
    (found,) = again.open("x")
    back = found.dag
    assert found.packed is not None
    assert found.packed.tobytes() == packed.tobytes()
    again.close()
    assert again.found == 1
    for part in PARTS:
        assert getattr(back, part).tobytes() == getattr(dag, part).tobytes()


def test_a_file_that_is_cut_at_any_byte(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    head = whole.index(b"\n") + 1
    name = whole[:head].decode().split('"')[3]
    cut = tmp_path / "cut.jsonl"
    for length in range(len(whole) + 1):
        cut.write_bytes(whole[:length])
        kept = Checkpoint(cut)
        known = kept.open(name)
        kept.close()
        assert len(known) == max(0, whole[:length].count(b"\n") - 1)
        assert whole.startswith(cut.read_bytes())  # ready for more


@pytest.mark.parametrize("length", [0, 10, 700, 2000, 10**6])
def test_what_was_cut_off_is_made_again(file: Path, length: int) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    kept = Checkpoint(file)
    found = model().bootstrap(N, rng=3, checkpoint=kept)
    assert same(found, model().bootstrap(N, rng=3))
    assert file.read_bytes() == whole
    assert (kept.found == N) == (length >= len(whole))
    assert (kept.found == 0) == (length < 400)


def test_more_and_fewer_of_the_same(file: Path) -> None:
    few, many = Checkpoint(file), Checkpoint(file)
    assert same(model().bootstrap(5, rng=3, checkpoint=few), model().bootstrap(5, rng=3))
    assert same(model().bootstrap(20, rng=3, checkpoint=many), model().bootstrap(20, rng=3))
    assert (few.found, many.found) == (N, N)


def test_those_of_others_are_not_taken(file: Path) -> None:
    other = DAGLock(random_state=0, ebic_gamma=1.0).fit(model()._rows)
    runs: list[tuple[DAGLock, dict[str, Any]]] = [
        (model(), {"rng": 4}),
        (model(201), {"rng": 3}),
        (model(), {"rng": 3, "groups": np.arange(200) // 2}),
        (other, {"rng": 3}),
    ]
    for one, how in runs:
        kept = Checkpoint(file)
        one.bootstrap(2, checkpoint=kept, **how)
        assert kept.found == 0
    kept = Checkpoint(file)  # the last of them, now
    other.bootstrap(2, rng=3, checkpoint=kept)
    assert kept.found == 2


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    def stop(done: int, n: int) -> None:
        raise KeyboardInterrupt

    kept = Checkpoint(tmp_path / "a")
    with pytest.warns(match="Interrupted after"):
        model().bootstrap(N, rng=3, checkpoint=kept, progress=stop)
    assert same(model().bootstrap(N, rng=3, checkpoint=kept), model().bootstrap(N, rng=3))
    assert 0 < kept.found < N


class Clock:
    """A clock that goes on by a second whenever somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replicates, "process_time", Clock())
    monkeypatch.setattr(replicates, "FEWEST", 4)


def within(seconds: float, **options: Any) -> Bootstrap:
    found = model().bootstrap(100, rng=3, n_jobs=1, seconds=seconds, **options)
    assert found.stopped == "time"
    return found


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("kept", [0, 1, 5, 9, 13])
def test_a_run_that_goes_on_has_no_more_time(tmp_path: Path, kept: int) -> None:
    """Killed after some replicates and started again, it makes as many as it would have made."""
    path = tmp_path / "replicates.jsonl"
    whole = within(20.0, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert whole.n == len(lines) - 1 >= 13
    path.write_bytes(b"".join(lines[: 1 + kept]))
    again = within(20.0, checkpoint=path)
    assert abs(again.n - whole.n) <= 2  # those of a batch that was under way
    done = within(20.0, checkpoint=path)  # killed when all were there: none is added
    assert same(done, again)
