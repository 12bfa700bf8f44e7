"""A real cluster of Dask whose workers are killed: the same bits, and errors that name it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from daglock import DAGLock
from daglock.clusters import MOST_DEATHS, Tasks, active_client, tasks
from daglock.clusters import cluster as cluster_module
from daglock.confidence import Bootstrap
from daglock.confidence.workers import Workers, find_workers
from daglock.errors import ClusterError, ConvergenceWarning, WorkerDiedError
from daglock.simulate import erdos_renyi, linear_sem
from tests.dask_cluster import DaskCluster

Client: Any = pytest.importorskip("distributed").Client
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path_factory.mktemp("dask")) as started:
        yield started


@pytest.fixture
def client(cluster: DaskCluster) -> Iterator[Any]:
    cluster.tend()
    with Client(cluster.address) as connected:
        yield connected
        cluster.wait_until(lambda: not connected.futures)  # nothing of ours is left there


@pytest.fixture
def tended(cluster: DaskCluster) -> Iterator[None]:
    with cluster.tended():
        yield


def fitted() -> DAGLock:
    return DAGLock(random_state=0).fit(linear_sem(erdos_renyi(8, 10, rng=3), 300, rng=4))


def parts(counted: Bootstrap) -> list[Any]:
    names = ("n", "first", "second", "forward", "backward", "adjacent")
    return [np.asarray(getattr(counted, name)).tolist() for name in names]


# --- replicates


def test_bits_are_those_of_one_process_however_often_workers_are_killed(
    cluster: DaskCluster, client: Any
) -> None:
    model = fitted()
    one = parts(model.bootstrap(40, rng=7, n_jobs=1))
    assert parts(model.bootstrap(40, rng=7)) == one

    killed: list[int] = []

    def kill(done: int, n: int) -> None:
        if len(killed) < 3:
            killed.append(done)
            cluster.kill(done % 2)

    assert parts(model.bootstrap(40, rng=7, progress=kill)) == one
    assert len(killed) == 3


def test_all_workers_are_killed_with_all_data(cluster: DaskCluster, client: Any) -> None:
    killed: list[int] = []

    def kill(done: int, n: int) -> None:
        if not killed:
            killed.append(done)
            cluster.kill(replace=False)
            cluster.kill(replace=False)
            cluster.start_worker()
            cluster.start_worker()

    model = fitted()
    expected = parts(model.bootstrap(20, rng=1, n_jobs=1))
    assert parts(model.bootstrap(20, rng=1, progress=kill)) == expected
    assert killed


def test_joblibs_backend_survives_a_killed_worker(cluster: DaskCluster, client: Any) -> None:
    model = fitted()
    killed: list[int] = []

    def kill(done: int, n: int) -> None:
        if not killed:
            killed.append(done)
            cluster.kill()

    with joblib.parallel_config(backend="dask"):
        assert isinstance(find_workers(None), Tasks)
        assert isinstance(find_workers(2), Tasks)
        counted = model.bootstrap(30, rng=2, progress=kill)
    assert killed
    assert parts(counted) == parts(model.bootstrap(30, rng=2, n_jobs=1))


def test_rows_beyond_what_dask_warns_of(client: Any) -> None:
    X = np.random.default_rng(0).standard_normal((500_000, 3))  # 12 MB
    X[:, 1] += X[:, 0]
    model = DAGLock(random_state=0).fit(X)
    assert parts(model.bootstrap(3, rng=1)) == parts(model.bootstrap(3, rng=1, n_jobs=1))


def test_ctrl_c_keeps_what_was_done(client: Any) -> None:
    model = fitted()
    once = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def interrupt(done: int, n: int) -> None:
        if once.ident is None:  # a second one could come when nobody waits for it any more
            once.start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background
    try:
        with pytest.warns(ConvergenceWarning, match="Interrupted after"):
            counted = model.bootstrap(100_000, rng=3, progress=interrupt)
        once.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < counted.n < 100_000
    assert counted.stopped == "interrupt"
    assert parts(counted) == parts(model.bootstrap(counted.n, rng=3, n_jobs=1))


# --- who does the work


def test_whose_workers(client: Any) -> None:
    assert id(active_client(None)) == id(client)
    assert active_client(1) is None
    assert isinstance(find_workers(2), Workers)  # asks for two processes here
    # a task that waits for tasks could wait for ever
    inside = client.submit(_finds_none, key="inside")
    assert inside.result(60) is True
    inside.release()


def _finds_none() -> bool:
    from distributed import worker_client

    with worker_client():
        return active_client(None) is None


def test_no_client_no_cluster() -> None:
    assert active_client(None) is None
    assert isinstance(find_workers(None), Workers)


# --- pieces of work


def square(number: int, folder: Path, deadly: int, deaths: int) -> int:
    """Return the square of a number; of one number only after some deaths."""
    (folder / f"{number}-{os.getpid()}").touch()
    if number == deadly and len(list(folder.glob(f"{number}-*"))) <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


@pytest.mark.usefixtures("tended")
@pytest.mark.parametrize("deaths", [1, 2])
def test_what_was_lost_is_done_again(client: Any, tmp_path: Path, deaths: int) -> None:
    with Tasks(client) as workers:
        pieces = [(number, tmp_path, 3, deaths) for number in range(6)]
        assert list(workers.in_order(square, pieces)) == [n**2 for n in range(6)]


@pytest.mark.usefixtures("tended")
def test_three_deaths_of_the_same_are_an_error_that_keeps_the_rest(
    client: Any, tmp_path: Path
) -> None:
    done: list[int] = []
    with Tasks(client) as workers:
        pieces = [(number, tmp_path, 2, 100) for number in range(5)]
        with pytest.raises(WorkerDiedError, match=r"Replicate 3 has ended its worker \d t") as e:
            done.extend(workers.in_order(square, pieces))
    assert done == [0, 1]
    # the scheduler begins it anew before it can be told not to
    assert MOST_DEATHS <= e.value.deaths <= len(list(tmp_path.glob("2-*"))) <= MOST_DEATHS + 3


def fail(number: int) -> int:
    raise TimeoutError(number)


def test_other_errors_are_not_taken_for_deaths(client: Any) -> None:
    with Tasks(client) as workers, pytest.raises(TimeoutError, match="1"):
        list(workers.in_order(fail, [(1,)]))


def test_an_error_is_the_works_own_where_waiting_ran_out_as_it_came(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    wait, waited = distributed.wait, []

    def just_too_short(futures: Any, timeout: float) -> None:
        wait(futures)
        waited.append(futures)
        raise TimeoutError("nothing yet")

    monkeypatch.setattr(distributed, "wait", just_too_short)
    with Tasks(client) as workers, pytest.raises(TimeoutError, match="1"):
        list(workers.in_order(fail, [(1,)]))
    assert len(waited) == 1


def test_workers_with_other_versions_are_refused(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_VERSIONS", {"daglock": "0", "numpy": "1"})
    with Tasks(client) as workers, pytest.raises(ClusterError, match="install daglock 0, numpy 1"):
        list(workers.in_order(square, [(1, Path(), 0, 0)]))


def lacking() -> None:
    raise ModuleNotFoundError("No module named 'daglock'")


def test_workers_without_daglock_are_told_of(client: Any) -> None:
    with Tasks(client) as workers, pytest.raises(ClusterError, match=r"lack a package .*daglock"):
        list(workers.in_order(lacking, [()]))


# --- a cluster that is not there


def test_workers_restarted_by_hand_lose_nothing(cluster: DaskCluster, client: Any) -> None:
    with Tasks(client) as workers:
        found = workers.in_order(slow_square, [(n,) for n in range(6)])
        assert next(found) == 0
        # all futures are cancelled, as when the scheduler is another one
        client.cancel(_futures(client), force=True)
        assert list(found) == [n**2 for n in range(1, 6)]


def _futures(client: Any) -> list[Any]:
    from distributed import Future

    return [Future(key, client) for key in list(client.futures)]


def slow_square(number: int) -> int:
    time.sleep(0.2)
    return number**2


def test_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.5)
    monkeypatch.setattr(cluster_module, "_ASK", 0.1)
    with (
        DaskCluster(tmp_path, n_workers=0) as empty,
        Client(empty.address),
        pytest.raises(ClusterError, match=r"has had no workers for 0\.5 seconds: start some"),
    ):
        fitted().bootstrap(3, rng=0)


def test_a_scheduler_that_goes_away_and_comes_back(tmp_path: Path) -> None:
    with DaskCluster(tmp_path, n_workers=1) as cluster, Client(cluster.address) as client:
        assert cluster.scheduler is not None
        scheduler = cluster.scheduler

        def restart() -> None:
            scheduler.kill()
            scheduler.wait()
            cluster.start_scheduler()
            cluster.kill()  # it would come back by itself, later

        with Tasks(client) as workers:
            found = workers.in_order(slow_square, [(n,) for n in range(12)])
            assert next(found) == 0
            thread = threading.Thread(target=restart)
            thread.start()
            assert list(found) == [n**2 for n in range(1, 12)]
            thread.join()


def test_a_scheduler_that_goes_away_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE", 1.0)
    done: list[int] = []
    with (
        DaskCluster(tmp_path, n_workers=1) as cluster,
        Client(cluster.address, timeout=1) as client,
        Tasks(client) as workers,
    ):
        found = workers.in_order(slow_square, [(n,) for n in range(50)])
        done.append(next(found))
        assert cluster.scheduler is not None
        cluster.scheduler.kill()
        with pytest.raises(ClusterError, match="does not answer any more"):
            done.extend(found)
    assert done[0] == 0
    assert len(done) < 50
