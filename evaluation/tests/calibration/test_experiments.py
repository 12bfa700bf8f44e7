"""Tables with regimes: mechanisms that are left alone stay, targets change, users may be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.datasets import load_sachs
from daglock.regimes import centred
from daglock_evaluation.calibration.experiments import (
    FEWEST,
    INTERVENTIONS,
    JUDGED_INTERVENTIONS,
    VIEWS,
    Experiment,
    experiment,
)
from daglock_evaluation.calibration.gathering import N_EXPERIMENTS, N_JUDGED_EXPERIMENTS, jobs
from daglock_evaluation.calibration.observed import observe, read, truth_of, write
from daglock_evaluation.calibration.sachs import SCALES
from daglock_evaluation.calibration.sachs import VIEWS as SACHS_VIEWS
from daglock_evaluation.calibration.simulated import FIT, JUDGE, Family

LINES = {"linear Gaussian": Family()}


def of_kind(kind: str, seeds: int = 60) -> list[Experiment]:
    """Tables of lines and Gaussian noise, with many rows, by their interventions."""
    drawn = (experiment(seed, LINES) for seed in range(seeds))
    return [one for one in drawn if one.interventions == kind and len(one.X) == 3000]


def gaps(one: Experiment, label: str, j: int) -> list[float]:
    """How far coefficients of column j in a regime are from those where it is left alone, in t."""
    parents = np.flatnonzero(one.graph[:, j])
    alone = [g for g, targets in one.acted_on.items() if j not in targets and g != label]
    if not len(parents) or not alone:
        return []
    X, fits = centred(one.X, one.labels), []
    for rows in (one.labels == label, np.isin(one.labels, alone)):
        A = X[rows][:, parents] - X[rows][:, parents].mean(axis=0)
        b, *_ = np.linalg.lstsq(A, X[rows, j], rcond=None)
        fits.append((b, np.linalg.inv(A.T @ A) * (X[rows, j] - A @ b).var()))
    (b0, V0), (b1, V1) = fits
    return list(np.abs(b0 - b1) / np.sqrt(np.diag(V0 + V1)))


def test_a_table_is_drawn_from_its_seed_alone() -> None:
    one, again, other = experiment(3, FIT), experiment(3, FIT), experiment(4, FIT)
    np.testing.assert_array_equal(one.X, again.X)
    assert (one.told, one.told_as) == (again.told, again.told_as)
    assert one.X.shape != other.X.shape or not np.array_equal(one.X, other.X)


@pytest.mark.parametrize("families", [FIT, JUDGE], ids=["fit", "judge"])
def test_regimes_have_rows_and_targets_are_columns(families: dict[str, Family]) -> None:
    for seed in range(30):
        one = experiment(seed, families)
        labels, rows = np.unique(one.labels, return_counts=True)
        assert 3 <= len(labels) <= 8
        assert rows.min() >= FEWEST
        assert 5 <= one.X.shape[1] <= 20
        assert np.isfinite(one.X).all()
        for targets in (one.acted_on, one.told):
            assert set(targets) == set(labels)
            assert all(0 <= j < one.X.shape[1] for own in targets.values() for j in own)


@pytest.mark.parametrize(
    ("kind", "changes"), [("perfect", True), ("imperfect", True), ("shift", False)]
)
def test_coefficients_change_where_regimes_act_and_nowhere_else(kind: str, changes: bool) -> None:
    """In t-values: by chance hardly one is beyond 4."""
    alone: list[float] = []
    acted: list[float] = []
    for one in of_kind(kind):
        for label, targets in one.acted_on.items():
            for j in range(one.X.shape[1]):
                (acted if j in targets else alone).extend(gaps(one, label, j))
    assert len(acted) >= 10
    assert np.mean(np.array(alone) > 4) < 0.005
    assert (np.mean(np.array(acted) > 4) > 0.3) == changes


@pytest.mark.parametrize("by_kind", [INTERVENTIONS, JUDGED_INTERVENTIONS], ids=["fit", "judge"])
def test_of_a_perfect_intervention_nothing_is_left_of_the_parents(by_kind: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    mean, noise = rng.normal(size=(2, 2000))
    follows = {
        kind: [abs(np.corrcoef(mean, act(rng, mean, noise))[0, 1]) for _ in range(20)]
        for kind, act in by_kind.items()
    }
    assert max(follows["perfect"]) < 0.1
    assert min(np.mean(follows["imperfect"]), np.mean(follows["shift"])) > 0.2


def test_users_are_wrong_in_a_share_of_the_tables() -> None:
    drawn = [experiment(seed, FIT) for seed in range(150)]
    wrong = np.mean([one.told != one.acted_on for one in drawn])
    mistaken = [one.told_as == "perfect" for one in drawn if one.interventions == "imperfect"]
    assert 0.05 < wrong < 0.3
    assert 0.1 < np.mean(mistaken) < 0.5
    assert all(one.told_as == "perfect" for one in drawn if one.interventions == "perfect")


@pytest.mark.slow
def test_what_is_observed_in_each_view_is_kept(tmp_path: Path) -> None:
    table = next(one for one in of_kind("perfect") if one.X.shape[1] <= 8)
    seen = [
        observe(
            table.X[::4],
            truth_of(table.graph),
            view,
            f"experiments, {view}",
            **{**table.seen(view), "regimes": table.labels[::4]},
        )
        for view in VIEWS
    ]
    kept = [one for one in seen if one is not None]
    assert [one.sort for one in kept] == ["experiments"] * 3
    assert all(np.abs(one.evidence.regimes).max() > 0.5 for one in kept)
    write(tmp_path / "records.csv.gz", kept)
    for one, again in zip(kept, read(tmp_path / "records.csv.gz"), strict=True):
        np.testing.assert_allclose(again.evidence.regimes, one.evidence.regimes, atol=1e-3)
        assert (again.kind, again.sort) == (one.kind, "experiments")


def test_targets_of_sachs_are_columns_and_experiments_of_the_table() -> None:
    sachs = load_sachs("pooled")
    assert set(sachs.targets) <= set(sachs.conditions.tolist())
    assert {name for names in sachs.targets.values() for name in names} <= set(sachs.names)
    assert len(jobs("sachs")[0]) == len(SCALES) * len(SACHS_VIEWS)


@pytest.mark.parametrize("part", ["experiments", "judged-experiments"])
def test_each_table_with_regimes_is_seen_in_all_views(part: str) -> None:
    count = {"experiments": N_EXPERIMENTS, "judged-experiments": N_JUDGED_EXPERIMENTS}[part]
    assert len(jobs(part)[0]) == count * len(VIEWS)
