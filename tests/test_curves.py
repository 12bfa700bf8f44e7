"""Curved effects from the table to the file: what is learned, claimed, told and refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments, load
from daglock.cli.app import main
from daglock.criteria.curved import MORE_FUNCTIONS, fit_curves
from daglock.curves import FUNCTIONS, Curves, curve_residuals
from daglock.datasets import load_sachs
from daglock.errors import DaglockError, DataWarning, InvalidDataError, InvalidParameterError
from daglock.estimator.fitted import FitWarning
from daglock.simulate import erdos_renyi, linear_sem
from daglock.simulate.sem import Noise
from daglock.solution import Status
from daglock.typing import Array

NAMES = ("heat", "dose", "level", "pain", "sleep")
EDGES = {("heat", "level"), ("dose", "level"), ("level", "pain"), ("pain", "sleep")}


def table(seed: int = 0, n: int = 400, noise: float = 1.0) -> pd.DataFrame:
    """Two causes of a third column, and a chain behind it; all curves."""
    rng = np.random.default_rng(seed)
    E = noise * rng.standard_normal((n, 5))
    heat, dose = rng.standard_normal((2, n))
    level = 2.0 * np.sin(1.5 * heat) + dose**2 + E[:, 2]
    pain = 2.0 * np.tanh(level - 1.0) + 0.5 * E[:, 3]
    sleep = np.abs(pain) * 2.0 + 0.5 * E[:, 4]
    return pd.DataFrame(dict(zip(NAMES, (heat, dose, level, pain, sleep), strict=True)))


def lines(seed: int, d: int = 8, n: int = 500) -> Array:
    rng = np.random.default_rng(seed)
    return linear_sem(
        erdos_renyi(d, d, rng=rng), n, noise_variances=rng.uniform(0.5, 2, d), rng=rng
    )


def edges_of(model: DAGLock) -> set[tuple[str, str]]:
    return {edge[:2] for edge in model.named_edges()}


@pytest.fixture(scope="module")
def model() -> DAGLock:
    return DAGLock(curved=True).fit(table())


def test_curves_tell_directions_that_lines_leave_open(model: DAGLock) -> None:
    assert edges_of(model) == EDGES
    assert model.noise_model_ == "curves"
    by = {edge[:2]: edge.identified_by for edge in model.named_edges()}
    assert by["heat", "level"] == by["dose", "level"] == "class"
    pair = DAGLock(curved=True).fit(table()[["level", "pain"]])
    assert [edge.identified_by for edge in pair.named_edges()] == ["curves"]
    assert edges_of(pair) == {("level", "pain")}


def test_weights_are_strengths_and_match_what_curves_explain(model: DAGLock) -> None:
    edges, curves = model.edges_, model.curves_
    assert edges.weight.between(0, 1).all()
    assert model.strengths().all()
    assert (edges.weight == edges.standardised_weight).all()
    assert list(curves.columns) == ["source", "target", "explained", "bend", "gain"]
    assert (curves.bend <= curves.explained).all()
    assert (curves.gain > 0).all()
    assert curves.bend.is_monotonic_decreasing
    X = table()
    share = dict(zip(model.names_, model.explained().tolist(), strict=True))
    chain = curves.set_index("target").loc["sleep"]
    assert chain.explained == pytest.approx(share["sleep"])
    line = np.corrcoef(X.pain, X.sleep)[0, 1] ** 2
    assert chain.bend == pytest.approx(chain.explained - line)
    left = X.var(ddof=0) * (1.0 - pd.Series(share))
    np.testing.assert_allclose(model.noise_variances_, left[list(model.names_)])


def test_where_lines_fail_is_said(model: DAGLock) -> None:
    said = model.about_curves()
    assert said.startswith("Lines are not enough for 4 of 4 effects;")
    assert said in model.summary()
    assert model.diagnostics_.sentences()


def test_lines_stay_lines() -> None:
    """Where no bend is worth its price the model is the linear one, to the last weight."""
    for seed in range(10):
        X = lines(seed)
        bent, straight = DAGLock(curved=True).fit(X), DAGLock("unequal").fit(X)
        assert bent.noise_model_ == "unequal"
        np.testing.assert_array_equal(bent.weights_, straight.weights_)
        np.testing.assert_array_equal(
            bent.edges_["identified_by"], straight.edges_["identified_by"]
        )
        assert len(bent.curves_) == 0
        assert bent.about_curves() == ""
    assert "smooth curves describe the table no better than lines do" in _noise_sentence(bent)


def test_where_curves_do_not_help_no_misfit_is_put_down_to_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of these cells the spread changes along effects: lines do not describe it, nor do curves."""
    data = load_sachs()
    columns = [data.names.index(name) for name in ("Raf", "Mek", "P38", "PKC")]
    frame = pd.DataFrame(data.data[:, columns], columns=["Raf", "Mek", "P38", "PKC"])
    frame.to_csv(tmp_path / "data.csv", index=False)
    out = tmp_path / "out"
    arguments = ["learn", str(tmp_path / "data.csv"), "--curved", "--bootstrap", "5"]
    assert main([*arguments, "--out", str(out)]) == 0
    for said in (capsys.readouterr().out, (out / "report.html").read_text()):
        said = " ".join(said.split())
        assert "The linear model does not describe 2 of 2 links: " in said
        assert "Smooth curves were tried and describe the table no better" in said
        assert "because the effect is curved" not in said
        assert "curved effects were asked for, but smooth curves describe the table no" in said


@pytest.mark.parametrize("noise", ["exponential", "laplace", "uniform"])
def test_noise_that_is_not_gaussian_does_not_make_lines_curves(noise: Noise) -> None:
    """A line with such noise is a curve the other way round, and a better one than a line."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        W = erdos_renyi(8, 10, rng=rng)
        X = linear_sem(W, 600, noise, rng.uniform(0.5, 2.0, 8), rng=rng)
        bent, straight = DAGLock(curved=True).fit(X), DAGLock("unequal").fit(X)
        np.testing.assert_array_equal(bent.weights_, straight.weights_)
        assert list(bent.edges_["identified_by"]) == list(straight.edges_["identified_by"])


def test_no_direction_is_claimed_where_the_noise_of_curves_is_not_gaussian() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(600)
    noise = {"y": rng.standard_normal(600), "z": 2.0 * (rng.standard_exponential(600) - 1.0)}
    for name, e in noise.items():
        X = pd.DataFrame({"x": x, name: np.sin(2.0 * x) * 3.0 + e})
        model = DAGLock(curved=True).fit(X) if name == "y" else None
        if model is None:
            with pytest.warns(DataWarning, match="What curves leave of z is not Gaussian"):
                model = DAGLock(curved=True, scores="raw").fit(X)
            known = {"forbidden": ["z -> x"]}
            told = DAGLock(curved=True, scores="raw", knowledge=known).fit(X)
            assert [edge.identified_by for edge in told.named_edges()] == ["knowledge"]
        assert model.noise_model_ == "curves"
        by = [edge.identified_by for edge in model.named_edges()]
        assert by == (["curves"] if name == "y" else [""])


def test_residuals_of_rows_have_the_variances_of_the_fit(model: DAGLock) -> None:
    """Up to the ridge, which leaves a little more."""
    X, kept = table().to_numpy(), model.moments_
    left = curve_residuals(X, kept, model.learned_.dag.parents)
    np.testing.assert_allclose(left.mean(axis=0), 0.0, atol=1e-10)
    share = model.noise_variances_ / X.var(axis=0)
    assert (left.var(axis=0) <= share + 1e-12).all()
    assert (left.var(axis=0) > 0.9 * share).all()


def _noise_sentence(model: DAGLock) -> str:
    from daglock.report.words import noise

    return noise(model)


def test_small_noise_shows_more_of_a_curve() -> None:
    much, little = (fit_curves(table(noise=noise).to_numpy()) for noise in (1.0, 0.02))
    assert isinstance(much, Curves)
    assert isinstance(little, Curves)
    assert (much.n_functions, little.n_functions) == (FUNCTIONS, MORE_FUNCTIONS)
    assert little.sharpness > much.sharpness


def test_the_order_of_columns_and_their_units_do_not_matter(model: DAGLock) -> None:
    X = table()
    X = (X * [1000.0, 1.0, 0.01, 5.0, -3.0] + 7.0)[list(reversed(NAMES))]
    again = DAGLock(curved=True).fit(X)
    assert edges_of(again) == EDGES
    assert again.certificate_.score == pytest.approx(model.certificate_.score, abs=1e-9)
    strengths = [
        {edge[:2]: round(edge.weight, 8) for edge in one.named_edges()} for one in (model, again)
    ]
    assert strengths[0] == strengths[1]


def test_knowledge_holds(model: DAGLock) -> None:
    known = DAGLock(curved=True, knowledge={"forbidden": ["pain -> sleep"]}).fit(table())
    assert ("pain", "sleep") not in edges_of(known)
    assert known.certificate_.score > model.certificate_.score


@pytest.mark.parametrize("file", ["model.npz", "model.json"])
def test_a_saved_model_is_the_same(model: DAGLock, tmp_path: Path, file: str) -> None:
    model.save(tmp_path / file)
    again = load(tmp_path / file)
    assert again.curved is True
    pd.testing.assert_frame_equal(again.edges_, model.edges_)
    pd.testing.assert_frame_equal(again.curves_, model.curves_)
    assert again.certificate_.verify(again.moments_)
    with pytest.raises(InvalidDataError, match="pass those that it was fitted on as X"):
        again.bootstrap(2)
    assert again.bootstrap(3, X=table()).n == 3


def test_a_certificate_does_not_verify_another_table(model: DAGLock) -> None:
    proof, kept = model.certificate_, model.moments_
    assert proof.verify(kept)
    assert not proof.verify(replace(kept, sharpness=2 * kept.sharpness))
    assert not proof.verify(fit_curves(table(1).to_numpy()))
    assert not replace(proof, score=proof.score - 1e-3).verify(kept)
    dearer = replace(proof.dag, weight=proof.dag.weight * 0.9)
    assert not replace(proof, dag=dearer).verify(kept)
    assert not proof.verify(Moments.from_data(table()))


def test_replicates_have_the_functions_of_the_fit(model: DAGLock) -> None:
    again = model._keep_rows()(table().to_numpy()[::-1], None).moments
    assert isinstance(again, Curves)
    assert (again.n_functions, again.sharpness) == (
        model.moments_.n_functions,
        model.moments_.sharpness,
    )
    np.testing.assert_allclose(again.gram, model.moments_.gram, atol=1e-10)
    claims = {edge[:2]: edge.claim for edge in model.claimed_edges()}
    assert {claims[edge] for edge in EDGES} <= {"directed", "leaning"}
    assert set(model.opinions_.evidence) & {"curves"}


def test_a_time_limit_leaves_a_graph() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30))
    X[:, 1:] += np.sin(2 * X[:, :-1])
    with pytest.warns(FitWarning):
        model = DAGLock(curved=True, time_limit=1e-3).fit(X)
    assert model.status_ is Status.TIME_LIMIT
    assert model.certificate_.is_dag
    assert model.certificate_.verify(model.moments_)


def test_beyond_sixteen_variables_orders_are_searched() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 20))
    X[:, 10:] += 2.0 * np.cos(1.5 * X[:, :10])
    with pytest.warns(DataWarning, match="Beyond 16 variables there is no proof"):
        model = DAGLock(curved=True, prove=5.0).fit(X)
    found = {(edge.source, edge.target) for edge in model.named_edges()}
    assert found == {(f"x{i}", f"x{i + 10}") for i in range(10)}
    assert set(model.edges_["identified_by"]) == {"curves"}
    assert not model.certificate_.optimal
    assert model.certificate_.verify(model.moments_)


def test_what_needs_lines_is_refused(model: DAGLock) -> None:
    for ask in (
        lambda: model.effect("dose", "pain"),
        model.total_effects,
        lambda: model.score(table()),
        lambda: model.sample(3),
        lambda: model.intervene({"dose": 1.0}),
    ):
        with pytest.raises(InvalidParameterError, match=r"^This model has curved effects, .*\.$"):
            ask()
    with pytest.raises(InvalidParameterError, match="fit with curved=True"):
        _ = DAGLock().fit(table()).curves_


def _with(**columns: Any) -> pd.DataFrame:
    return table().assign(**columns)


@pytest.mark.parametrize(
    ("settings", "X", "fit", "said"),
    [
        ({"curved": "yes"}, table(), {}, "curved must be True or False; got 'yes'."),
        ({"noise": "equal"}, table(), {}, "do not go with noise='equal'"),
        ({}, table(), {"regimes": ["a", "b"] * 200}, "do not go with regimes"),
        ({}, _with(sex=["f", "m", "x", "f"] * 100), {}, "'sex' is a category"),
        (
            {"missing": "model"},
            _with(dose=[np.nan] + [1.0, 2.0, 5.0] * 133),
            {},
            "missing in 'dose'",
        ),
        ({}, iter([table()]), {}, "read in parts"),
        ({}, table(n=60), {}, "at least 70 rows, and there are 60"),
        ({}, np.random.default_rng(0).random((80, 1001)), {}, "up to 1,000 columns"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    settings: dict[str, Any], X: Any, fit: dict[str, Any], said: str
) -> None:
    with pytest.raises(DaglockError) as caught:
        DAGLock(**{"curved": True, **settings}).fit(X, **fit)
    text = str(caught.value)
    assert said in text
    assert text.endswith(".")
    assert "\n" not in text


def test_moments_have_no_rows_to_bend() -> None:
    with pytest.raises(InvalidParameterError, match="leave curved out"):
        DAGLock(curved=True).fit_moments(Moments.from_data(table()))
    with pytest.raises(InvalidDataError, match="cannot be merged"):
        (kept := Curves.from_data(table())).merge(kept)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "pain.csv", tmp_path / "out"
    table().to_csv(file, index=False)
    assert main(["learn", str(file), "--curved", "--out", str(out), "--bootstrap", "3"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "linear model" not in said
    assert "Lines are not enough for 4 of 4 effects" in said
    document = json.loads((out / "graph.json").read_text())
    assert document["noise"]["model"] == "curves"
    assert {(edge["source"], edge["target"]) for edge in document["edges"]} == EDGES
    page = (out / "report.html").read_text()
    assert "Lines are not enough" in page
    assert "Do the curves fit?" in page
    assert '"strength":[true,true,true,true]' in page.replace(" ", "")  # so no line has a sign
    assert load(out).moments_.n_functions == FUNCTIONS
    assert main(["convert", str(out), "--to", "dot"]) == 0
    capsys.readouterr()
    assert main(["effect", str(out), "dose", "pain"]) == 2
    assert "This model has curved effects" in capsys.readouterr().err


def test_the_command_line_refuses_what_curves_cannot_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pain.csv"
    table().assign(part=["a", "b"] * 200).to_csv(file, index=False)
    assert main(["learn", str(file), "--curved", "--regime", "part", "--json"]) == 2
    assert "Curved effects do not go with regimes" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.daglock"))
