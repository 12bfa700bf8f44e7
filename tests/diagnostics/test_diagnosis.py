"""The diagnosis of learned graphs, and the words that it is put in."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from daglock.datasets import load_sachs
from daglock.diagnostics import (
    Baseline,
    Diagnosis,
    Finding,
    diagnose,
    r2_sortability,
    sortnregress,
    var_sortability,
)
from daglock.diagnostics import diagnosis as module
from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.graph import WeightedDAG, dag_to_cpdag
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def diagnosed(moments: Moments, learned: Learned) -> Diagnosis:
    return diagnose(
        moments,
        learned.dag,
        noise=learned.noise,
        scores=learned.scores,
        edge_cost=learned.certificate.edge_cost,
    )


def of_data(X: Array, noise: str = "auto") -> Diagnosis:
    moments = Moments.from_data(X)
    return diagnosed(moments, learn(moments, noise=noise, rng=0))


def finding(diagnosis: Diagnosis, start: str) -> Finding:
    (found,) = [f for f in diagnosis.sentences() if f.title.startswith(start)]
    return found


@pytest.fixture(scope="module")
def simulated() -> Array:
    return linear_sem(erdos_renyi(20, 30, rng=0), 1000, rng=1)


@pytest.fixture(scope="module")
def equal(simulated: Array) -> Diagnosis:
    return of_data(simulated)


@pytest.fixture(scope="module")
def unequal(simulated: Array) -> Diagnosis:
    return of_data(simulated / simulated.std(axis=0))


@pytest.fixture(scope="module")
def sachs() -> tuple[Moments, Learned, Diagnosis]:
    data = load_sachs()
    moments = Moments.from_data(data.data, names=data.names)
    learned = learn(moments, rng=0)
    return moments, learned, diagnosed(moments, learned)


def test_numbers_of_sachs(sachs: tuple[Moments, Learned, Diagnosis]) -> None:
    moments, learned, found = sachs
    W, cov = learned.to_sparse(), moments.cov
    assert found.noise == "unequal"
    gap = moments.n * (learned.scores["equal"] - learned.scores["unequal"])
    assert found.noise_gap == pytest.approx(gap)
    assert found.var_sortability == var_sortability(cov, W)
    assert found.r2_sortability == r2_sortability(cov, W)
    marks = learned.dag.marks().toarray()
    names = moments.names or ()
    expected = {
        (names[i], names[j])
        for i, j in zip(learned.dag.source, learned.dag.target, strict=True)
        if marks[i, j] == 2
    }
    assert set(found.reversible) == expected
    assert len(found.reversible) == len(expected) == found.reversible_if_unequal
    assert [b.name for b in found.baselines] == ["learned", "empty", "variance", "r2"]
    assert found.baselines[0].score == pytest.approx(learned.certificate.score)
    for baseline, by in zip(found.baselines[2:], ("variance", "r2"), strict=True):
        price = learned.certificate.edge_cost
        assert baseline.score == sortnregress(moments, by, price=price).score
    assert found.assumptions is not None
    assert found.assumptions.standardised


def test_words_about_sachs(sachs: tuple[Moments, Learned, Diagnosis]) -> None:
    _, learned, found = sachs
    directed = learned.dag.n_edges - len(found.reversible)
    directions = finding(
        found, f"The model identifies {directed} of {learned.dag.n_edges} directions"
    )
    assert directions.level == "note"
    assert "Raf – Mek" in directions.text
    assert finding(found, "A noise variance for each column").level == "good"
    assert "whatever units" in finding(found, "Variance grows").text
    assert "Erk, Akt" in finding(found, "Columns that overlap").text
    assert finding(found, "Paper's theorem, 3 of 3: beta-min fails").level == "note"
    assert not any(f.level == "warning" for f in found.sentences())


def test_equal_variances(equal: Diagnosis) -> None:
    assert equal.noise == "equal"
    assert equal.reversible == ()
    pattern = dag_to_cpdag(erdos_renyi(20, 30, rng=0))
    assert equal.reversible_if_unequal == (np.triu(pattern) == 2).sum() > 0
    directions = finding(equal, "The model identifies all 30 directions")
    assert directions.level == "note"
    assert f"For {equal.reversible_if_unequal} of them" in directions.text
    assert finding(equal, "One noise variance for all").level == "good"
    assert equal.assumptions is not None
    assert not equal.assumptions.standardised
    variance = finding(equal, "Variance grows along 99% of paths")
    assert variance.level == "note"  # the data were asked, and prefer equal variances
    assert "var-sortability 0.99" in variance.text


def test_equal_variances_are_tested_by_the_residuals(simulated: Array) -> None:
    found = of_data(simulated, noise="equal")
    assert found.noise_gap is None
    assert found.residuals_agree
    assert finding(found, "One noise variance for all").level == "good"
    assert finding(found, "Variance grows").level == "note"
    assert finding(of_data(simulated, noise="unequal"), "A noise variance").level == "note"
    scaled = of_data(simulated * np.linspace(1.0, 3.0, simulated.shape[1]), noise="equal")
    assert not scaled.residuals_agree
    assert finding(scaled, "One noise variance for all").level == "warning"
    assert "differ by more than chance" in finding(scaled, "One noise variance").text
    assert finding(scaled, "Variance grows").level == "warning"


@pytest.mark.parametrize(
    ("gap", "level", "word"), [(9.9, "warning", "weak"), (10, "good", "strong")]
)
def test_how_strong_evidence_is(equal: Diagnosis, gap: float, level: str, word: str) -> None:
    found = finding(replace(equal, noise_gap=gap), "One noise variance")
    assert found.level == level
    assert f"{word} evidence" in found.text


def test_unequal_variances_of_standardised_columns(unequal: Diagnosis) -> None:
    assert unequal.noise == "unequal"
    assert unequal.var_sortability is None
    assert [b.name for b in unequal.baselines] == ["learned", "empty", "r2"]
    text = finding(unequal, "Better than simple graphs").text
    assert "There is no order by variance: all columns have the same." in text
    assert not any(f.title.startswith(("Variance", "Standardised")) for f in unequal.sentences())
    assert not any(f.title == "Not computed" for f in unequal.sentences())


def test_equal_variances_of_standardised_columns(simulated: Array) -> None:
    found = of_data(simulated / simulated.std(axis=0), noise="equal")
    assert finding(found, "Standardised columns").level == "warning"


def test_units_do_not_matter_with_unequal_variances(simulated: Array) -> None:
    scales = np.exp(np.random.default_rng(0).normal(size=20))
    first, second = (of_data(X, noise="unequal") for X in (simulated, simulated * scales))
    for ours, theirs in zip(first.baselines, second.baselines, strict=True):
        if ours.name != "variance":
            assert ours.adjacencies == theirs.adjacencies
            shift = np.log(scales).sum()
            assert theirs.log_likelihood == pytest.approx(ours.log_likelihood - shift)
    assert first.r2_sortability == second.r2_sortability
    assert first.assumptions is not None
    assert second.assumptions is not None
    assert first.assumptions.kappa == pytest.approx(second.assumptions.kappa)


def test_fewer_rows_than_columns() -> None:
    found = of_data(linear_sem(erdos_renyi(20, 10, rng=0), 15, rng=1))
    assert found.r2_sortability is None
    assert "r2" not in [b.name for b in found.baselines]
    assert finding(found, "15 rows, 20 columns").level == "warning"
    assert any("more rows than columns" in f.text for f in found.sentences())
    assert not any(f.title == "Not computed" for f in found.sentences())


def test_no_edges() -> None:
    found = of_data(np.random.default_rng(0).normal(size=(500, 4)) * [1, 2, 3, 4])
    assert found.n_edges == 0
    assert (found.var_sortability, found.r2_sortability, found.assumptions) == (None,) * 3
    assert finding(found, "No edges").level == "note"
    assert not any(f.title == "Not computed" for f in found.sentences())


def test_a_large_graph_says_what_it_leaves_out(
    simulated: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_COMPARED", 19)
    monkeypatch.setattr(module, "MAX_DENSE", 19)
    monkeypatch.setattr(module, "MAX_PATH_WORK", 10.0)
    found = of_data(simulated)
    assert [b.name for b in found.baselines] == ["learned", "empty"]
    assert (found.var_sortability, found.r2_sortability, found.assumptions) == (None,) * 3
    assert finding(found, "Not computed").text == (
        "These would take too long for a graph of this size: the graph by sorted variances, the "
        "graph by sorted R², var-sortability, R²-sortability, the assumptions of the paper's "
        "theorem."
    )


def beside(diagnosis: Diagnosis, *others: Baseline) -> Finding:
    found = replace(diagnosis, baselines=(diagnosis.baselines[0], *others))
    (finding,) = [f for f in found.sentences() if "simple graph" in f.title]
    return finding


def test_simple_graphs_that_are_as_good(equal: Diagnosis) -> None:
    learned, empty, variance, _ = equal.baselines
    same = replace(learned, name="variance")
    close = beside(equal, empty, same)
    assert close.level == "note"
    assert "by variance, the same graph, just as good" in close.text
    better = beside(equal, empty, replace(variance, score=learned.score - 0.01))
    assert (better.level, better.title) == ("warning", "Not better than simple graphs")
    assert "10 points better" in better.text
    apart = replace(variance, n_edges=1, adjacencies=0, directions=0)
    assert "1 edge with none of the 30 learned links" in beside(equal, empty, apart).text


@pytest.mark.parametrize(
    ("value", "level", "word"),
    [(0.95, "note", "much the same"), (0.6, "good", "60%"), (0.05, "note", "backwards")],
)
def test_order_of_r2(equal: Diagnosis, value: float, level: str, word: str) -> None:
    found = finding(replace(equal, r2_sortability=value), "R² grows")
    assert found.level == level
    assert word in found.text


def test_directions_that_every_graph_shares(unequal: Diagnosis) -> None:
    found = finding(replace(unequal, reversible=()), "The model identifies all 30 directions")
    assert found.level == "note"  # never green: what the model identifies may still be wrong
    assert "turned fit worse by a margin" in found.text
    assert "if the model holds" in found.text


def test_a_required_edge_of_weight_zero_is_an_edge() -> None:
    moments = Moments.from_covariance(np.diag([1.0, 2.0, 3.0]), n=100)
    found = diagnose(
        moments,
        WeightedDAG.from_parents([0, 1, 2], [[], [0], []], [[], [0.0], []]),
        noise="unequal",
        scores={"unequal": 0.0},
        edge_cost=0.05,
    )
    assert found.var_sortability == 1.0
    assert found.baselines[0].n_edges == 1
    assert found.assumptions is not None
    assert found.assumptions.weakest == 0.0
    assert finding(found, "Not better than simple graphs").level == "warning"


def test_all_of_it_is_json(
    equal: Diagnosis, unequal: Diagnosis, sachs: tuple[Moments, Learned, Diagnosis]
) -> None:
    few = of_data(linear_sem(erdos_renyi(8, 8, rng=0), 6, rng=1))
    for found in (equal, unequal, sachs[2], few):
        values = json.loads(json.dumps(asdict(found), allow_nan=False))
        assert values.keys() == vars(found).keys()
        assert values["table"].keys() == vars(found.table).keys()
        assert [tuple(pair) for pair in values["reversible"]] == list(found.reversible)
        assert values["baselines"] == [vars(baseline) for baseline in found.baselines]


def test_every_finding_is_short_and_ends(equal: Diagnosis, unequal: Diagnosis) -> None:
    for found in (*equal.sentences(), *unequal.sentences()):
        assert len(found.title) <= 60
        assert found.text.endswith(".")
        assert "nan" not in found.text
        assert "None" not in found.text
