"""The payload: JSON without NaN, and the numbers of the model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from daglock import DAGLock
from daglock.report import payload as module
from daglock.report.payload import make_payload, numbers, rounded
from tests.report.conftest import fit, made_up_bootstrap, made_up_confidence


def test_it_is_json_and_agrees_with_the_model(sachs: DAGLock) -> None:
    sure = made_up_confidence(sachs)
    payload = json.loads(json.dumps(make_payload(sachs, sure), allow_nan=False))
    W = np.zeros((11, 11))
    edges = payload["edges"]
    W[edges["source"], edges["target"]] = edges["weight"]
    assert np.array_equal(W, sachs.to_sparse().toarray())
    assert payload["names"] == list(sachs.names_)
    assert payload["order"] == sachs.learned_.dag.order.tolist()
    assert payload["n"] == 853
    assert edges["identified_by"] == [edge.identified_by for edge in sachs.named_edges()]
    own = sure.of_edges(sachs.learned_.dag)
    assert (edges["claim"], edges["because"]) == (list(own.claims), list(own.because))
    assert edges["link"] == pytest.approx(own.link, abs=1e-4)
    assert edges["direction"] == pytest.approx(own.direction, abs=1e-4)
    assert edges["arrow"] == pytest.approx(own.link * own.direction, abs=1e-4)
    deviation = np.sqrt(np.diag(sachs.moments_.cov))
    assert payload["deviation"] == pytest.approx(deviation)
    standardised = W * deviation[:, None] / deviation
    assert edges["standardised"] == pytest.approx(standardised[edges["source"], edges["target"]])
    assert payload["bootstrap"] is None
    assert payload["assessed"] is True


def test_what_the_evidence_says_belongs_to_its_edge(sachs: DAGLock) -> None:
    sure = made_up_confidence(sachs)
    turned = replace(sure, source=sure.source[::-1], target=sure.target[::-1])
    for confidence in (sure, turned):
        edges = make_payload(sachs, confidence)["edges"]
        for i, j, said in zip(edges["source"], edges["target"], edges["said"], strict=True):
            assert said
            for _, certainty, words in said:
                assert 0.5 <= certainty <= 1
                ends = (sachs.names_[i], sachs.names_[j])
                pairs = [f"{a} {sign} {b}: " for a, b in (ends, ends[::-1]) for sign in "→—"]
                assert words.startswith(tuple(pairs))


def test_without_confidence_everything_is_open(equal: DAGLock) -> None:
    payload = make_payload(equal)
    assert payload["assessed"] is False
    assert set(payload["edges"]["claim"]) == {"open"}
    assert "link" not in payload["edges"]


def test_one_variable_at_a_time_beyond_sixty() -> None:
    assert make_payload(fit(60, 60))["opened"]
    assert not make_payload(fit(61, 60))["opened"]


def test_explained_share_is_the_r2_of_a_regression(sachs: DAGLock) -> None:
    S, learned = sachs.moments_.cov, sachs.learned_
    explained = make_payload(sachs)["explained"]
    for j in range(11):
        P = learned.dag.source[learned.dag.target == j]
        fitted = (
            S[P, j] @ np.linalg.lstsq(S[np.ix_(P, P)], S[P, j], rcond=None)[0] if len(P) else 0.0
        )
        assert explained[j] == pytest.approx(fitted / S[j, j], abs=1e-4)


def test_layout_follows_the_edges(equal: DAGLock) -> None:
    payload = make_payload(equal)
    y, edges = np.array(payload["layout"]["y"]), payload["edges"]
    assert (y[edges["target"]] > y[edges["source"]]).all()
    assert len(payload["layout"]["bends"]) == len(edges["source"])
    assert all(len(flat) % 2 == 0 for flat in payload["layout"]["bends"])


def test_a_name_that_is_empty_gets_a_box_for_what_is_shown(hostile: DAGLock) -> None:
    widths = make_payload(hostile)["layout"]["w"]
    assert widths[hostile.names_.index("")] > 60


def test_trace(unequal: DAGLock, equal: DAGLock) -> None:
    trace = make_payload(unequal)["trace"]
    stages = unequal.learned_.trace
    assert len(stages.mu)
    assert trace["continuous"]["n_nonzero"] == stages.n_nonzero.tolist()
    assert trace["continuous"]["identification"] == stages.identification_iteration
    assert trace["search"] == pytest.approx(unequal.learned_.trace.search_scores)
    assert make_payload(equal)["trace"]["continuous"] is None


def test_bootstrap_frequencies(equal: DAGLock) -> None:
    bootstrap = made_up_bootstrap(equal)
    table = make_payload(equal, bootstrap=bootstrap)["bootstrap"]
    assert table["adjacent"] == sorted(table["adjacent"], reverse=True)
    assert len(table["first"]) == len(bootstrap.first)
    directed, adjacency = bootstrap.directed(), bootstrap.adjacency()
    for k, (i, j) in enumerate(zip(table["first"], table["second"], strict=True)):
        assert table["forward"][k] == pytest.approx(directed[i, j], abs=1e-4)
        assert table["backward"][k] == pytest.approx(directed[j, i], abs=1e-4)
        assert table["adjacent"][k] == pytest.approx(adjacency[i, j], abs=1e-4)
    consensus = bootstrap.consensus()
    pairs = zip(table["consensus"]["source"], table["consensus"]["target"], strict=True)
    assert {(equal.names_[i], equal.names_[j]) for i, j in pairs} == set(consensus.edges)


def test_size_does_not_grow_with_the_square(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [len(json.dumps(make_payload(fit(d, d)))) for d in (50, 200)]
    assert sizes[1] < 6 * sizes[0]
    monkeypatch.setattr(module, "MAX_DRAWN", 100)
    layout = make_payload(fit(200, 200))["layout"]
    assert layout["x"] is None
    assert len(layout["w"]) == 200


def test_numbers_that_json_cannot_hold_become_null(equal: DAGLock) -> None:
    assert numbers([1.0, np.nan, np.inf]) == [1.0, None, None]
    assert rounded([0.123456, np.nan], 2) == [0.12, None]
    trace = replace(equal.trace_, search_scores=np.array([np.inf, 1.0]))
    stalled = replace(equal.learned_, trace=trace)
    model = fit(12, 18)
    model.learned_ = stalled
    assert make_payload(model)["trace"]["search"] == [None, 1.0]
