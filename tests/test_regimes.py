"""fit(X, regimes=, targets=): what a user gives, gets and reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock
from daglock.datasets import load_sachs
from daglock.errors import DaglockError
from daglock.regimes import Regimes
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array

NAMES = ["a", "b", "c", "d"]


def chain(seed: int = 0, n: int = 200, *, held: bool = True) -> pd.DataFrame:
    """a -> b -> c -> d, observed, and with b and with d cut off from its causes."""
    rng = np.random.default_rng(seed)
    parts = []
    for label, target in (("plain", None), ("on b", 1), ("on d", 3)):
        X = rng.normal(size=(n, 4))
        for j in range(1, 4):
            X[:, j] += 0.0 if held and j == target else X[:, j - 1]
        frame = pd.DataFrame(X + rng.normal(size=4) * 3.0, columns=NAMES)
        parts.append(frame.assign(condition=label))
    return pd.concat(parts, ignore_index=True)


TARGETS = {"on b": ["b"], "on d": "d"}


def pairs(model: DAGLock) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in model.named_edges()}


def test_experiments_orient_what_no_table_without_them_does() -> None:
    model = DAGLock().fit(chain(), regimes="condition", targets=TARGETS)
    assert pairs(model) == {("a", "b"), ("b", "c"), ("c", "d")}
    assert set(model.edges_["identified_by"]) == {"regimes"}
    assert model.noise_model_ == "regimes"
    assert model.left_out_ == {"condition": "regime"}
    assert model.certificate_.verify(model.moments_)
    assert (model.identified_.to_numpy() == model.adjacency_matrix_.to_numpy()).all()
    without = DAGLock(noise="unequal").fit(chain(), regimes="condition")
    assert set(without.edges_["identified_by"]) == {""}
    pooled = DAGLock(noise="unequal").fit(chain().drop(columns="condition"))
    assert len(pairs(pooled)) > len(pairs(without))


def test_labels_beside_the_table_and_a_file_of_targets_give_the_same(tmp_path: Path) -> None:
    frame = chain()
    told = DAGLock().fit(frame, regimes="condition", targets=TARGETS)
    file = tmp_path / "targets.yaml"
    file.write_text("on b: [b]\non d: d\nplain:\n", encoding="utf-8")
    for labels in (frame["condition"], frame["condition"].to_numpy(), list(frame["condition"])):
        other = DAGLock().fit(frame[NAMES], regimes=labels, targets=str(file))
        assert other.edges_.equals(told.edges_)
    given = DAGLock(columns={"condition": "regime"}).fit(frame, targets=file)
    assert given.edges_.equals(told.edges_)
    numbers = frame.assign(condition=frame["condition"].map({"plain": 0, "on b": 1, "on d": 2}))
    by_number = DAGLock().fit(numbers, regimes="condition", targets={1: ["b"], 2.0: ["d"]})
    # other names sort otherwise, so that sums end in other bits
    pd.testing.assert_frame_equal(by_number.edges_, told.edges_, rtol=1e-12)


def test_rows_may_come_in_any_order() -> None:
    frame = chain()
    shuffled = frame.sample(frac=1.0, random_state=0)
    told = DAGLock().fit(frame, regimes="condition", targets=TARGETS)
    other = DAGLock().fit(shuffled, regimes="condition", targets=TARGETS)
    pd.testing.assert_frame_equal(other.edges_, told.edges_)


@pytest.mark.parametrize("seed", range(3))
def test_shifts_of_batches_change_nothing_when_the_batches_are_told(seed: int) -> None:
    X = np.asarray(linear_sem(erdos_renyi(20, 30, rng=seed), 1000, rng=seed))
    batches = np.repeat(np.arange(5), 200)
    shift = 5.0 * np.random.default_rng(seed).normal(size=(5, 20))[batches]
    plain = DAGLock(noise="unequal").fit(X)
    told = DAGLock(noise="unequal").fit(X + shift, regimes=batches)
    same = DAGLock(noise="unequal").fit(X, regimes=batches)
    assert (told.adjacency_matrix_ == same.adjacency_matrix_).all()
    assert (told.adjacency_matrix_ == plain.adjacency_matrix_).all()
    assert (told.identified_ == plain.identified_).all()
    pooled = DAGLock(noise="unequal", scores="raw").fit(X + shift)
    assert pooled.learned_.dag.n_edges > 1.5 * plain.learned_.dag.n_edges


@pytest.mark.parametrize("name", ["model.npz", "model.json"])
def test_a_saved_model_knows_its_regimes(name: str, tmp_path: Path) -> None:
    frame = chain()
    model = DAGLock().fit(frame, regimes="condition", targets=TARGETS)
    model.save(tmp_path / name)
    again = daglock.load(tmp_path / name)
    assert isinstance(again.moments_, Regimes)
    assert again.moments_.regimes == ("on b", "on d", "plain")
    assert again.edges_.equals(model.edges_)
    assert again.changes_.round(6).equals(model.changes_.round(6))
    first, second = (m.bootstrap(10, X=frame, rng=3).table() for m in (model, again))
    assert first.equals(second)
    again.bootstrap(3, rng=0)  # from what was kept of each regime
    with pytest.raises(DaglockError, match="not those that the model was fitted on"):
        again.bootstrap(3, X=frame.sample(frac=1.0, random_state=1))


def test_replicates_draw_within_regimes_and_in_groups_if_asked() -> None:
    frame = chain(n=60)
    model = DAGLock().fit(frame, regimes="condition", targets=TARGETS)
    groups = np.arange(len(frame)) // 3
    for drawn in (model.bootstrap(20, rng=0), model.bootstrap(20, rng=0, groups=groups)):
        table = drawn.table()
        kept = table[table["adjacent"] == 1.0]
        assert len(kept) == 3
        assert (kept["forward"] > 0.8).all()


def test_effects_come_from_the_regimes_that_leave_the_path_alone() -> None:
    """Cut off from its causes in a third of the rows, d seems to depend on a by 2/3."""
    model = DAGLock().fit(chain(n=3000), regimes="condition", targets=TARGETS)
    effect = model.effect("c", "d")
    assert effect.value == pytest.approx(1.0, abs=0.05)
    assert effect.low < 1.0 < effect.high
    assert model.effect("b", "c").value == pytest.approx(1.0, abs=0.05)


def test_targets_that_nobody_tells_are_found() -> None:
    frame = chain(n=300)
    frame[NAMES] -= frame.groupby("condition")[NAMES].transform("mean")
    model = DAGLock().fit(frame, regimes="condition", targets="find")
    assert pairs(model) == {("a", "b"), ("b", "c"), ("c", "d")}
    found = {(one.column, one.regime) for one in model.changes_.itertuples()}
    assert found == {("b", "on b"), ("d", "on d")}
    assert set(model.edges_["identified_by"]) <= {"regimes", ""}
    by_regimes = model.edges_[model.edges_["identified_by"] == "regimes"]
    assert ("c", "d") in set(zip(by_regimes["source"], by_regimes["target"], strict=True))
    assert model.certificate_.verify(model.moments_)
    assert (model.confidence_["link"].head(3) > 0.5).all()


@pytest.mark.parametrize("seed", range(3))
def test_found_targets_do_not_depend_on_the_order_of_the_columns(seed: int) -> None:
    cells = load_sachs("pooled")
    frame = pd.DataFrame(np.log(cells.data), columns=cells.names)
    some = np.random.default_rng(seed).permutation(cells.names)
    told = [
        {
            frozenset((edge.source, edge.target)): (edge.source, edge.identified_by)
            for edge in DAGLock(scores="raw")
            .fit(columns, regimes=cells.conditions, targets="find")
            .named_edges()
        }
        for columns in (frame, frame[list(some)])
    ]
    assert told[0] == told[1]


def test_a_target_that_follows_its_causes_as_ever_is_questioned() -> None:
    with pytest.warns(daglock.errors.DataWarning, match="d in on d. Are the targets right"):
        model = DAGLock().fit(chain(held=False), regimes="condition", targets=TARGETS)
    assert "Are the targets right" in model.message_
    assert set(model.edges_["identified_by"]) == {""}
    assert (model.confidence_["claim"] != "directed").all()
    told = DAGLock(interventions="imperfect")
    told.fit(chain(held=False), regimes="condition", targets=TARGETS)
    assert set(told.edges_["identified_by"]) == {""}  # where nothing changes nothing is identified


def test_a_column_that_varies_between_regimes_only_is_left_out() -> None:
    frame = chain().assign(dose=lambda f: f["condition"].map({"plain": 0, "on b": 1, "on d": 5}))
    with pytest.warns(daglock.errors.DataWarning, match="dose"):
        model = DAGLock().fit(frame, regimes="condition", targets=TARGETS)
    assert model.left_out_["dose"] == "does not vary within a regime"
    assert model.names_ == tuple(NAMES)


def test_categories_and_gaps_take_regimes_without_targets() -> None:
    frame = chain().assign(group=lambda f: np.where(f["a"] > f["a"].median(), "x", "y"))
    frame["group"] = np.where(np.arange(len(frame)) % 7 == 0, "z", frame["group"])
    model = DAGLock().fit(frame, regimes="condition")
    assert model.noise_model_ == "mixed"
    assert model.bootstrap(3, rng=0).n == 3
    gaps = chain()
    gaps.loc[::9, "b"] = np.nan
    with pytest.warns(daglock.errors.DataWarning):
        model = DAGLock(missing="model", noise="unequal").fit(gaps, regimes="condition")
    assert {frozenset(pair) for pair in pairs(model)} == {
        frozenset("ab"),
        frozenset("bc"),
        frozenset("cd"),
    }
    dropped = DAGLock(missing="drop").fit
    with pytest.warns(daglock.errors.DataWarning, match="left out"):
        labels = dropped(gaps[NAMES], regimes=gaps["condition"].to_numpy(), targets=TARGETS)
    with pytest.warns(daglock.errors.DataWarning, match="left out"):
        column = dropped(gaps, regimes="condition", targets=TARGETS)
    assert labels.edges_.equals(column.edges_)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"regimes": "batch"}, "There is no column 'batch'|no column"),
    ({"targets": TARGETS}, "targets need regimes"),
    ({"regimes": [1, 2, 3]}, "a label for each of the 600 rows"),
    ({"regimes": "condition", "targets": {"on B": ["b"]}}, "'on B' has no rows .did you mean"),
    ({"regimes": "condition", "targets": {"on b": ["beta"]}}, "'beta', a target of 'on b', is no"),
    ({"regimes": "condition", "targets": {"on b": ["condition"]}}, "'condition', a target of"),
    (
        {"regimes": "condition", "targets": dict.fromkeys(("on b", "on d", "plain"), "a")},
        "'a' is a target in every regime",
    ),
    ({"regimes": "condition", "targets": ["b"]}, "must name the columns that each regime targets"),
    ({"regimes": "condition", "targets": "nowhere.yaml"}, "nowhere.yaml"),
    ({"regimes": np.arange(600)}, "600 regimes in 600 rows"),
    ({"regimes": np.zeros(600)}, "All rows are of one regime"),
    ({"regimes": [None] + ["x"] * 599}, "no label for 1 row, the first is row 0"),
]


@pytest.mark.parametrize(("how", "message"), BAD)
def test_what_is_wrong_is_said_in_a_sentence(how: dict[str, Any], message: str) -> None:
    with pytest.raises(DaglockError, match=message) as caught:
        DAGLock().fit(chain(), **how)
    assert "\n" not in str(caught.value)


def test_everything_that_is_wrong_with_targets_is_said_at_once() -> None:
    targets = {"on x": ["b"], "on b": ["e", "f"]}
    with pytest.raises(DaglockError, match=r"'on x'.*'e'.*'f'"):
        DAGLock().fit(chain(), regimes="condition", targets=targets)


def test_options_that_do_not_go_with_targets_are_refused() -> None:
    with pytest.raises(DaglockError, match="noise='equal' does not go with targets"):
        DAGLock("equal").fit(chain(), regimes="condition", targets=TARGETS)
    with pytest.raises(DaglockError, match="interventions must be perfect, imperfect or shift"):
        DAGLock(interventions="soft").fit(chain(), regimes="condition", targets=TARGETS)
    with pytest.raises(DaglockError, match="it cannot be a variable"):
        DAGLock(columns={"condition": "categorical"}).fit(chain(), regimes="condition")
    few = pd.concat([chain().head(200), chain().tail(3)])
    with pytest.raises(DaglockError, match="has 3 rows, too few to tell how 'd' changed"):
        DAGLock(interventions="imperfect").fit(few, regimes="condition", targets={"on d": ["d"]})
    with pytest.raises(DaglockError, match="There are no regimes"):
        _ = DAGLock().fit(chain()[NAMES]).changes_


def test_a_gap_in_the_column_of_regimes_is_named() -> None:
    frame = chain()
    frame.loc[5, "condition"] = None
    with pytest.raises(
        DaglockError, match="'condition' has no regime in 1 row, the first is row 5"
    ):
        DAGLock().fit(frame, regimes="condition")


def interventional(d: int, seed: int) -> tuple[Array, Array, Array, dict[str, list[str]]]:
    """Return a graph, rows with each node cut off in turn, their regimes and the targets."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, d, rng=rng)
    variances = rng.uniform(0.5, 2.0, d)
    parts, labels = [linear_sem(W, 500, noise_variances=variances, rng=rng)], ["none"] * 500
    for j in range(d):
        cut = W.copy()
        cut[:, j] = 0.0
        parts.append(linear_sem(cut, 60, noise_variances=variances, rng=rng))
        labels += [f"on {j}"] * 60
    return W, np.vstack(parts), np.array(labels), {f"on {j}": [f"x{j}"] for j in range(d)}


def test_each_node_cut_off_in_turn_gives_the_graph() -> None:
    wrong = 0
    for seed in range(5):
        W, X, labels, targets = interventional(14, seed)
        model = DAGLock().fit(X, regimes=labels, targets=targets)
        wrong += int((model.adjacency_matrix_ != (W != 0)).sum())
        assert model.certificate_.locally_optimal
        assert model.certificate_.verify(model.moments_)
    assert wrong <= 3


def test_threads_and_time_limits_work_as_ever() -> None:
    _, X, labels, targets = interventional(16, 0)
    one = DAGLock().fit(X, regimes=labels, targets=targets)
    two = DAGLock(n_jobs=2).fit(X, regimes=labels, targets=targets)
    assert (one.weights_ == two.weights_).all()
    with pytest.warns(daglock.estimator.fitted.FitWarning):
        cut = DAGLock(time_limit=0).fit(X, regimes=labels, targets=targets)
    assert cut.certificate_.is_dag
