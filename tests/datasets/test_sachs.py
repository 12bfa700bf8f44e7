"""The Sachs data: the very bytes of their source, and truths that are DAGs."""

from __future__ import annotations

import gzip
import hashlib
from importlib import resources
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from daglock.datasets import load_sachs
from daglock.errors import InvalidParameterError
from daglock.graph import dag_to_cpdag, is_dag
from daglock.metrics import compare

DATA = resources.files("daglock.datasets") / "data"


def edges(W: NDArray[np.int8]) -> set[str]:
    names = load_sachs().names
    return {f"{names[i]}->{names[j]}" for i, j in zip(*np.nonzero(W), strict=True)}


def test_the_shipped_table_is_the_source_file() -> None:
    packed = (DATA / "sachs.csv.gz").read_bytes()
    assert packed[4:8] == bytes(4)  # no time stamp: the same bytes whenever it is made
    table = gzip.decompress(packed)
    digest = hashlib.sha256(table).hexdigest()
    assert digest == "fc331dcd0bc1d8765986b88cd1d23dd5a3f52e4ffc299fdf96de9d522ddf01aa"
    assert digest in load_sachs().provenance
    header = table.decode().splitlines()[0]
    assert header == "praf,pmek,plcg,PIP2,PIP3,p44/42,pakts473,PKA,PKC,P38,pjnk"
    assert "MIT License" in (DATA / "sachs_license.txt").read_text(encoding="utf-8")


def test_rows_and_conditions() -> None:
    pooled, observational = load_sachs("pooled"), load_sachs("observational")
    assert pooled.data.shape == (7466, 11)
    assert observational.data.shape == (853, 11)
    assert len(pooled.names) == 11
    np.testing.assert_array_equal(observational.data, pooled.data[:853])
    labels, counts = np.unique(pooled.conditions, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == {
        "b2camp": 707,
        "cd3_cd28": 853,
        "cd3_cd28+aktinhib": 911,
        "cd3_cd28+g0076": 723,
        "cd3_cd28+icam2": 902,
        "cd3_cd28+ly": 848,
        "cd3_cd28+psitect": 810,
        "cd3_cd28+u0126": 799,
        "pma": 913,
    }
    assert set(observational.conditions) == {"cd3_cd28"}
    assert np.isfinite(pooled.data).all()
    assert pooled.data.min() > 0
    np.testing.assert_array_equal(pooled.data[0, :4], [26.4, 13.2, 8.82, 18.3])


def test_targets_are_columns_and_the_provenance_says_each() -> None:
    pooled, observational = load_sachs("pooled"), load_sachs("observational")
    assert list(pooled.targets) == list(dict.fromkeys(pooled.conditions.tolist()))
    assert {label: targets for label, targets in pooled.targets.items() if targets} == {
        "cd3_cd28+aktinhib": ("Akt",),
        "cd3_cd28+g0076": ("PKC",),
        "cd3_cd28+psitect": ("PIP2",),
        "cd3_cd28+u0126": ("Mek",),
        "cd3_cd28+ly": ("PIP3",),
        "pma": ("PKC",),
        "b2camp": ("PKA",),
    }
    assert observational.targets == {"cd3_cd28": ()}
    lines = [line.split()[:2] for line in pooled.provenance.splitlines()]
    for label, targets in pooled.targets.items():
        assert set(targets) <= set(pooled.names)
        assert all([label.removeprefix("cd3_cd28+"), target] in lines for target in targets)
    pooled.targets.clear()
    assert load_sachs("pooled").targets


def test_conditions_start_where_the_data_change() -> None:
    # U0126 inhibits Mek and raises its measured phosphorylation; psitect lowers PIP2.
    pooled = load_sachs("pooled")
    log = np.log(pooled.data)
    column = {name: k for k, name in enumerate(pooled.names)}
    reference = pooled.conditions == "cd3_cd28"
    mek = log[:, column["Mek"]]
    pip2 = log[:, column["PIP2"]]
    spread = mek[reference].std()
    u0126 = np.flatnonzero(pooled.conditions == "cd3_cd28+u0126")
    for rows in (u0126[:50], u0126[-50:]):
        assert mek[rows].mean() > mek[reference].mean() + spread
    for rows in (np.arange(u0126[0] - 50, u0126[0]), np.arange(u0126[-1] + 1, u0126[-1] + 51)):
        assert mek[rows].mean() < mek[reference].mean() + spread
    psitect = pooled.conditions == "cd3_cd28+psitect"
    assert pip2[psitect].mean() < pip2[reference].mean()


def test_truths_are_dags_and_the_empty_graph_scores_their_edges() -> None:
    sachs = load_sachs()
    empty = np.zeros((11, 11))
    for truth, n_edges in ((sachs.truth_17, 17), (sachs.truth_20, 20)):
        assert is_dag(truth)
        assert set(np.unique(truth)) == {0, 1}
        assert compare(empty, truth).shd == n_edges


def test_the_17_edges_are_those_of_the_published_network() -> None:
    parents = {  # as the model string of the network lists them
        "Akt": "Erk PKA",
        "Erk": "Mek PKA",
        "Jnk": "PKA PKC",
        "Mek": "PKA PKC Raf",
        "P38": "PKA PKC",
        "PIP2": "PIP3 Plcg",
        "PIP3": "Plcg",
        "PKA": "PKC",
        "Raf": "PKA PKC",
    }
    expected = {f"{parent}->{child}" for child in parents for parent in parents[child].split()}
    assert edges(load_sachs().truth_17) == expected


def test_the_17_edges_have_a_wholly_undirected_cpdag() -> None:
    cpdag = dag_to_cpdag(load_sachs().truth_17)
    assert set(np.unique(cpdag)) == {0, 2}


def test_the_20_edges_add_three_and_turn_one() -> None:
    sachs = load_sachs()
    added = edges(sachs.truth_20) - edges(sachs.truth_17)
    assert added == {"PIP2->PKC", "Plcg->PKC", "PIP3->Akt", "PIP3->Plcg"}
    assert edges(sachs.truth_17) - edges(sachs.truth_20) == {"Plcg->PIP3"}


def test_every_call_returns_its_own_arrays() -> None:
    first = load_sachs()
    first.data[:] = 0.0
    first.truth_17[:] = 0
    assert load_sachs().data.min() > 0
    assert load_sachs().truth_17.sum() == 17


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="observational"):
        load_sachs(cast(Any, "all"))
