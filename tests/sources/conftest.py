"""A cluster of Dask for the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dask_cluster import DaskCluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path_factory.mktemp("dask")) as started:
        yield started


@pytest.fixture
def client(cluster: DaskCluster) -> Iterator[Any]:
    from distributed import Client

    cluster.tend()
    with Client(cluster.address) as connected:
        yield connected
