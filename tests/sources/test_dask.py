"""Moments of Dask's frames and arrays: those of their rows, also when workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments
from daglock.clusters import cluster as cluster_module
from daglock.errors import ClusterError, InvalidDataError
from daglock.regimes import Regimes
from daglock.sources import as_source
from daglock.sources.source import Batch
from tests.dask_cluster import DaskCluster
from tests.sources.test_from_source import NAMES, make, require_equal

pytest.importorskip("distributed")


def frame(n: int = 3000) -> pd.DataFrame:
    return pd.DataFrame(make(n), columns=NAMES)


def partitioned(table: pd.DataFrame, npartitions: int) -> Any:
    return import_module("dask.dataframe").from_pandas(table, npartitions=npartitions)


@pytest.mark.parametrize("npartitions", [1, 2, 7])
def test_a_frame_in_threads(npartitions: int) -> None:
    found = Moments.from_source(partitioned(frame(), npartitions))
    require_equal(found, Moments.from_data(make(), NAMES))


@pytest.mark.parametrize("chunks", [(3000, 4), (700, 3), (50, 4)])
def test_an_array(chunks: tuple[int, int]) -> None:
    X = make()
    require_equal(
        Moments.from_source(import_module("dask.array").from_array(X, chunks=chunks)),
        Moments.from_data(X, ["x0", "x1", "x2", "x3"]),
    )


def test_columns_and_regimes() -> None:
    table = frame().assign(batch=np.repeat(["u", "v", "w"], 1000))
    chosen = Moments.from_source(partitioned(table, 5), columns=["c", "a"])
    require_equal(chosen, Moments.from_data(make()[:, [2, 0]], ["c", "a"]))
    within = Regimes.from_source(partitioned(table, 5), regimes="batch")
    expected = Regimes.from_labelled(make(), table["batch"].to_numpy(), NAMES)
    np.testing.assert_allclose(within.cov, expected.cov, rtol=1e-9)


@pytest.mark.slow
def test_on_a_cluster_the_bits_are_those_of_threads(cluster: DaskCluster) -> None:
    from distributed import Client

    table = partitioned(frame(), 9)
    alone = Moments.from_source(table)
    with Client(cluster.address):
        found = Moments.from_source(table)
    assert found.cov.tobytes() == alone.cov.tobytes()
    assert found.means.tobytes() == alone.means.tobytes()


@pytest.mark.slow
def test_a_fit_is_that_of_the_rows_in_memory(client: Any) -> None:
    found = DAGLock(random_state=0).fit(partitioned(frame(), 4))
    expected = DAGLock(random_state=0).fit(frame())
    np.testing.assert_array_equal(found.weights_ != 0, expected.weights_ != 0)
    assert found.names_ == expected.names_


class Deadly:
    """Counts rows; the worker of one piece is killed, so many times."""

    def __init__(self, folder: Path, deaths: int) -> None:
        self.folder, self.deaths = folder, deaths

    def __call__(self, batches: Iterable[Batch]) -> dict[int, int]:
        rows: dict[int, int] = {}
        for batch in batches:
            rows[batch.piece] = rows.get(batch.piece, 0) + batch.data.num_rows
            if batch.piece == 3 and len(list(self.folder.iterdir())) < self.deaths:
                (self.folder / str(os.getpid())).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return rows


def joined(first: dict[int, int], second: dict[int, int]) -> dict[int, int]:
    assert not set(first) & set(second)  # no part is counted twice
    first.update(second)
    return first


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(cluster: DaskCluster, client: Any, tmp_path: Path) -> None:
    source = as_source(partitioned(frame(), 8))
    assert source is not None
    assert source.reduce(Deadly(tmp_path, 1), joined) == dict.fromkeys(range(8), 375)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_all_workers_die(
    cluster: DaskCluster, client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE", 1.0)
    monkeypatch.setattr(cluster_module, "_ASK", 0.5)
    source = as_source(partitioned(frame(), 8))
    assert source is not None
    with pytest.raises(ClusterError, match="has had no workers for 1 seconds"):
        source.reduce(Deadly(tmp_path, 100), joined)


@pytest.mark.slow
def test_what_is_wrong_is_named_by_its_partition(client: Any) -> None:
    table = frame()
    table.loc[2000, "b"] = np.inf
    with pytest.raises(InvalidDataError, match=r"'b' in row 501 of partition 3 of the Dask data"):
        Moments.from_source(partitioned(table, 4))


def test_an_array_of_three_dimensions() -> None:
    cube = import_module("dask.array").zeros((3, 3, 3))
    with pytest.raises(InvalidDataError, match="has 3 dimensions"):
        Moments.from_source(cube)
