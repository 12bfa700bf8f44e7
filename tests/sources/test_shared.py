"""Files on a cluster: workers that see them read them, and the bits are those of one process."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments
from daglock.errors import ClusterError, InvalidDataError
from daglock.sources import as_source
from daglock.sources.source import Batch
from tests.dask_cluster import DaskCluster
from tests.sources.test_dask import Deadly, joined
from tests.sources.test_from_source import NAMES, make

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


def write(folder: Path, kind: str) -> Path:
    folder.mkdir()
    for k, rows in enumerate(np.split(make(), 6)):
        table = pd.DataFrame(rows, columns=NAMES)
        file = folder / f"part-{k}.{kind}"
        if kind == "csv":
            table.to_csv(file, index=False)
        else:
            table.to_parquet(file, row_group_size=200)
    return folder


class Where:
    """Collects the processes that read."""

    def __call__(self, batches: Iterable[Batch]) -> set[int]:
        assert sum(batch.data.num_rows for batch in batches)
        return {os.getpid()}


def both(first: set[int], second: set[int]) -> set[int]:
    return first | second


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_bits_are_those_of_one_process(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    from distributed import Client

    write(tmp_path / "rows", kind)
    monkeypatch.chdir(tmp_path)  # where workers are not
    alone = Moments.from_source("rows")
    steps: list[tuple[int, int]] = []
    with Client(cluster.address):
        source = as_source("rows")
        assert source is not None
        there = source.reduce(Where(), both, progress=lambda *step: steps.append(step))
        found = Moments.from_source("rows")
    assert there <= {worker.pid for worker in cluster.workers}
    assert steps[-1] == (3000 if kind == "parquet" else 0, source.n_bytes)
    assert found.cov.tobytes() == alone.cov.tobytes()
    assert found.means.tobytes() == alone.means.tobytes()


def test_replicates_are_those_of_one_process(cluster: DaskCluster, tmp_path: Path) -> None:
    from distributed import Client

    folder = write(tmp_path / "rows", "parquet")

    def replicates() -> Any:
        return DAGLock(random_state=0).fit(folder).bootstrap(4, rng=0, progress=False)

    here = replicates()
    with Client(cluster.address):
        there = replicates()
    np.testing.assert_array_equal(there.forward, here.forward)
    np.testing.assert_array_equal(there.adjacent, here.adjacent)


def test_files_that_workers_do_not_see_are_read_here(client: Any, tmp_path: Path) -> None:
    home = Path("/proc/self/cwd")
    if not home.is_dir():
        pytest.skip("a path that means another place in each process is needed")
    write(tmp_path / "rows", "parquet")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        source = as_source(home / "rows")
        assert source is not None
        assert source.reduce(Where(), both) == {os.getpid()}
    finally:
        os.chdir(before)


def test_a_worker_that_dies_is_replaced(cluster: DaskCluster, client: Any, tmp_path: Path) -> None:
    source = as_source(write(tmp_path / "rows", "csv"))
    killed = tmp_path / "killed"
    killed.mkdir()
    assert source is not None
    assert source.reduce(Deadly(killed, 1), joined) == dict.fromkeys(range(6), 500)
    assert len(list(killed.iterdir())) == 1


@pytest.fixture
def tended(cluster: DaskCluster) -> Iterator[None]:
    with cluster.tended():
        yield


@pytest.mark.usefixtures("tended")
def test_files_at_which_workers_die(client: Any, tmp_path: Path) -> None:
    source = as_source(write(tmp_path / "rows", "csv"))
    killed = tmp_path / "killed"
    killed.mkdir()
    assert source is not None
    with pytest.raises(ClusterError, match=r"died \d times at the same files"):
        source.reduce(Deadly(killed, 100), joined)


def test_what_is_wrong_is_named_by_its_file(client: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "rows", "csv")
    text = (folder / "part-4.csv").read_text().splitlines()
    text[300] = "1,2,x,4"
    (folder / "part-4.csv").write_text("\n".join(text))
    with pytest.raises(InvalidDataError, match=r"Column 'c' holds 'x' in line 301 of part-4.csv"):
        Moments.from_source(folder)
