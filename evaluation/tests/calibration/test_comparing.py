"""Every method on the same tables: runs are recorded once, and columns are those of the file."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock_evaluation.calibration import comparing, contenders
from daglock_evaluation.calibration.comparing import Given, compare, open_runs, open_tables
from daglock_evaluation.calibration.contenders import CONTENDERS, OURS, PAIR, TABLE, Found, find
from daglock_evaluation.calibration.worker import measure, run
from daglock_evaluation.harness import sweep
from daglock_evaluation.methods import Answer, Method

FAKE = "fake_contender_worker"


def collider(name: str = "collider", role: str = "judge") -> Given:
    """Two causes and their effect, which come last in the file, and one column besides."""
    rng = np.random.default_rng(0)
    E = rng.normal(size=(500, 4))
    X = np.column_stack([E[:, 0] + E[:, 1] + E[:, 2], E[:, 3], E[:, 0], E[:, 1]])
    return Given(name, role, "nowhere", ("effect", "alone", "first", "second"), X)


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Given]:
    tables = [collider(), collider("again")]
    monkeypatch.setattr(comparing, "tables_at_hand", lambda: (tables, []))
    return tables


def test_what_is_recorded_is_of_the_columns_of_the_file(given: list[Given], tmp_path: Path) -> None:
    assert any((one.order != np.arange(4)).any() for one in given)
    said: list[str] = []
    assert compare(tmp_path, [OURS], [], said.append) == []
    for one in given:
        record = open_runs(tmp_path).get({"table": one.name, "method": OURS})
        assert record is not None
        assert record["status"] == "ok"
        assert sorted(record["directed"]) == [[2, 0], [3, 0]]
        assert record["undirected"] == []
    assert [line["columns"] for line in open_tables(tmp_path).known.values()] == [
        list(one.columns) for one in given
    ]
    sizes = [path.stat().st_size for path in sorted(tmp_path.iterdir())]
    compare(tmp_path, [OURS], [], said.append)
    assert said[-1].endswith(": 0 tables")  # what is recorded is not run again
    assert [path.stat().st_size for path in sorted(tmp_path.iterdir())] == sizes


def test_the_order_of_columns_is_one_for_everybody() -> None:
    assert np.array_equal(collider().order, collider().order)
    orders = {tuple(collider(f"table {k}").order.tolist()) for k in range(20)}
    assert len(orders) > 5


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what puts another worker in the place of the real one."""

    def replace(body: str) -> None:
        text = f"import json, os, sys, time\njob = json.loads(sys.argv[1])\n{textwrap.dedent(body)}"
        (tmp_path / f"{FAKE}.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(comparing, "WORKER", FAKE)

    return replace


def test_after_a_table_that_takes_too_long_the_next_one_runs(
    given: list[Given], worker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker("""
        for k in job["seeds"]:
            os.write(job["report_to"], b'{"event": "begin"}\\n')
            if k == 0:
                time.sleep(60)
            line = {"event": "result", "directed": [], "undirected": [], "said": [], "made_with": 0}
            os.write(job["report_to"], json.dumps(line).encode() + b"\\n")
        time.sleep(5)
    """)
    monkeypatch.setattr(comparing, "SECONDS", 0.3)
    records = tmp_path / "records"
    records.mkdir()
    compare(records, [OURS], [])
    statuses = [(run["table"], run["status"]) for run in open_runs(records).known.values()]
    assert statuses == [("collider", "time limit"), ("again", "ok")]


def test_a_worker_that_dies_costs_its_table_alone(
    given: list[Given], worker: Any, tmp_path: Path
) -> None:
    worker("""
        os.write(job["report_to"], b'{"event": "begin"}\\n')
        sys.exit("no such luck")
    """)
    records = tmp_path / "records"
    records.mkdir()
    compare(records, [OURS], [])
    runs = open_runs(records).known.values()
    assert [run["message"] for run in runs] == ["no such luck"] * 2
    assert {run["status"] for run in runs} == {"failed"}


def test_a_method_without_its_package_is_left_out(
    given: list[Given], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "locate", lambda packages, pythons: {})
    notes = compare(tmp_path, ["xges"], [])
    assert notes == ["XGES is left out: xges is not installed."]
    assert not open_runs(tmp_path).known


def test_methods_get_what_they_are_for(given: list[Given], tmp_path: Path) -> None:
    runs = open_runs(tmp_path)
    pair = Given("pair 1", PAIR, "cdt", ("x", "y"), np.zeros((3, 2)))
    wide = Given("wide", "fit", "nowhere", tuple("abcdefghijklm"), np.zeros((3, 13)))
    wanted = {
        one.name: [comparing._is_todo(runs, one, table) for table in (given[0], pair, wide)]
        for one in CONTENDERS
    }
    assert wanted["xges"] == [True, False, True]
    assert wanted["direct-lingam"] == [True, True, True]
    assert wanted["dagma"] == [True, False, False]
    assert wanted["anm"] == [False, True, False]


def test_what_a_package_raises_is_told(tmp_path: Path) -> None:
    def fails(X: Any) -> Found:
        raise RuntimeError("singular\nmatrix")

    method = sweep.Method("bad", "Bad", (TABLE,), fails)
    np.save(tmp_path / "0.npy", np.zeros((3, 2)))
    record = measure(method, tmp_path / "0.npy")
    assert (record["status"], record["message"]) == ("failed", "RuntimeError: singular")


def test_a_method_may_change_its_table() -> None:
    def changes(X: Any) -> Found:
        X[:] = 0
        return Found([(0, 1)], [])

    X = np.ones((3, 2))
    assert run(sweep.Method("", "", (TABLE,), changes), X)["directed"] == [(0, 1)]
    assert X.all()


def test_shares_of_replicates_are_of_the_links_of_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three columns: 0 -> 1 always, 0 - 2 on all rows and in replicates by turns the one way."""
    turn = iter(range(1000))

    def flop(X: Any, name: str) -> Found:
        k = next(turn)
        if k == 0:
            return Found([(1, 0)], [(0, 2)])
        return Found([(1, 0), *([(0, 2)] if k % 2 else [])], [] if k % 2 else [(0, 2), (1, 2)])

    monkeypatch.setattr(contenders, "run_benchmarked", flop)
    found = contenders.run_flop_again(np.random.default_rng(0).normal(size=(30, 3)), 20)
    assert found.said == [(0, 1, 0.0), (0, 2, 0.75)]
    assert found.directed == [(1, 0)]
    assert found.undirected == [(0, 2)]


def test_columns_are_standardised_for_those_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[float, Any] = {}

    def keep(X: Any, seed: int, alpha: float) -> Answer:
        seen[alpha] = X
        return Answer(np.array([[0, 1], [0, 0]]))

    method = Method("any", "Any", "class", keep, options={"alpha": 1})
    monkeypatch.setattr(contenders, "benchmarked", lambda name: method)
    X = np.array([[1.0, 10.0], [3.0, 30.0]])
    assert contenders.run_benchmarked(X, "any").directed == [(0, 1)]
    contenders.run_benchmarked(X, "any", scaled=True, alpha=2)
    np.testing.assert_array_equal(seen[1], X)
    np.testing.assert_array_equal(seen[2], [[-1, -1], [1, 1]])


def test_names_are_unique_and_a_wrong_one_is_refused() -> None:
    assert len({one.name for one in CONTENDERS}) == len({one.label for one in CONTENDERS})
    assert {kind for one in CONTENDERS for kind in one.suites} == {TABLE, PAIR}
    with pytest.raises(InvalidParameterError, match="There is no method 'flop'"):
        find("flop")
