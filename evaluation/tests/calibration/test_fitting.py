"""Fitting: coefficients are found again, and tables with regimes settle those of regimes alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from daglock.confidence.calibration import SPEAKERS, Calibration
from daglock.confidence.evidence import Evidence
from daglock.confidence.opinions import OPINIONS
from daglock_evaluation.calibration.fitting import (
    HIDDEN,
    REGIMES,
    direction_fit,
    directions,
    directions_left_out,
    fit,
    fit_hidden,
    fit_regimes,
    left_out,
)
from daglock_evaluation.calibration.observed import Observed

K = len(OPINIONS)
OTHERS = [k for k in range(len(SPEAKERS)) if k != REGIMES]
TRUE = Calibration((0.3, 4.0, -1.0, -2.0, -1.5), (1.5,) * len(SPEAKERS), (0.5,) * len(SPEAKERS))


def drawn(seed: int, kind: str, regimes: float = 0.0, m: int = 300) -> Observed:
    """A table whose directions are as likely as `TRUE` says."""
    rng = np.random.default_rng(seed)
    evidence = Evidence(
        first=np.arange(0, 2 * m, 2),
        second=np.arange(1, 2 * m, 2),
        joined=rng.random(m),
        lead=rng.uniform(-1, 1, m),
        arrow=np.ones(m),
        margin=rng.choice([-1.0, 0.0, 1.0], m),
        shaped=rng.choice([-1.0, 0.0, 1.0], m),
        known=np.zeros(m),
        required=np.zeros(m, dtype=np.bool_),
        opinions=rng.uniform(-1, 1, (m, K)),
        misfit=np.full(m, float(seed % 2)),
        regimes=regimes * rng.uniform(-1, 1, m),
        hidden=np.where(rng.random(m) < 0.2, rng.uniform(1.0, 20.0, m), 0.0),
    )
    truth = np.where(rng.random(m) < TRUE.directions(evidence), 1.0, -1.0)
    truth[rng.random(m) > TRUE.links(evidence)] = 0.0
    return Observed(f"{kind} {seed}", kind, 1.0, f"{kind} {seed}", evidence, truth)


def with_regimes() -> list[Observed]:
    return [drawn(seed, "experiments, told", 1.0) for seed in range(100, 130)]


def without() -> list[Observed]:
    kinds = ("real", "linear Gaussian")
    return [drawn(seed, kind) for kind in kinds for seed in range(30)]


def test_coefficients_are_found_again() -> None:
    found = fit([*without(), *with_regimes()])
    assert 0.75 < min(found.holds) < max(found.holds) < 1.6  # the ridge draws them to 0
    np.testing.assert_allclose(found.fails, TRUE.fails, atol=0.25)
    np.testing.assert_allclose(found.link, TRUE.link, atol=0.3)


def test_tables_with_regimes_change_nothing_that_is_said_of_others() -> None:
    alone, both = fit(without()), fit([*without(), *with_regimes()])
    assert alone.link == both.link
    for before, after in ((alone.holds, both.holds), (alone.fails, both.fails)):
        assert [before[k] for k in OTHERS] == [after[k] for k in OTHERS]
        assert before[REGIMES] == 0 < after[REGIMES]


def test_what_regimes_count_can_be_fitted_with_all_else_kept() -> None:
    found = fit_regimes(with_regimes(), TRUE)
    assert found.link == TRUE.link
    for before, after in ((TRUE.holds, found.holds), (TRUE.fails, found.fails)):
        assert [before[k] for k in OTHERS] == [after[k] for k in OTHERS]
        assert after[REGIMES] != before[REGIMES]
        assert abs(after[REGIMES] - before[REGIMES]) < 0.5


def test_what_a_hidden_cause_counts_can_be_fitted_with_all_else_kept() -> None:
    tables = [drawn(seed, kind) for seed in range(20) for kind in ("hidden causes", "codes")]
    found = fit_hidden(tables, replace(TRUE, link=(*TRUE.link[:-1], 0.0)))
    assert found.link[:-1] == TRUE.link[:-1]
    assert abs(found.link[HIDDEN] - TRUE.link[HIDDEN]) < 0.4
    assert found.holds == TRUE.holds
    # those with hidden causes count half, however few they are
    few = [one for one in tables if one.kind == "codes"] + tables[:2]
    truth = np.zeros(len(tables[0].truth))
    unlinked = [replace(one, truth=truth) if one.kind != "codes" else one for one in few]
    assert fit_hidden(unlinked, TRUE).link[HIDDEN] < fit_hidden(few, TRUE).link[HIDDEN] - 0.5


def test_regimes_that_say_the_contrary_of_what_is_true_count_nothing() -> None:
    wrong = [
        Observed(one.table, one.kind, 1.0, one.group, one.evidence, -one.truth)
        for one in with_regimes()
    ]
    found = fit([*without(), *wrong])
    assert found.holds[REGIMES] == found.fails[REGIMES] == 0


def test_nobody_is_judged_by_coefficients_that_were_fitted_to_it() -> None:
    """A table whose truth is turned round changes what is said of others, not of itself."""
    tables = [*without(), *with_regimes()]
    last = len(tables) - 1
    turned = [
        *tables[:-1],
        Observed(
            "", tables[-1].kind, 1.0, tables[-1].group, tables[-1].evidence, -tables[-1].truth
        ),
    ]
    said, again = (np.array(left_out(directions(t), t, direction_fit)) for t in (tables, turned))
    np.testing.assert_allclose(said[last], again[last], atol=1e-6)
    assert np.abs(said - again)[:last].max() > 1e-6
    before, after = (directions_left_out(t).forward for t in (tables, turned))
    own = directions(tables).table == last
    np.testing.assert_allclose(before[own], after[own], atol=1e-6)
    assert np.abs(before - after)[~own].max() > 1e-6
