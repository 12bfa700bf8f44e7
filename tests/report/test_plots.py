"""The picture: layers follow the edges, arrows follow the CPDAG."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from daglock.errors import MissingExtraError
from daglock.graph import dag_to_cpdag
from daglock.report.plots import draw_graph, layout, longest_paths, save_graph
from daglock.simulate import erdos_renyi
from daglock.typing import Array

COLLIDER = np.array([[0.0, 0.0, 0.8, 0.0], [0.0, 0.0, -0.5, 0.0], [0.0] * 4, [0.0] * 4])


def test_every_edge_points_down() -> None:
    W = np.asarray(erdos_renyi(30, 40, rng=0))
    _, y = layout(W)
    source, target = np.nonzero(W)
    assert (y[source] > y[target]).all()


def test_nodes_do_not_share_a_place() -> None:
    W = np.asarray(erdos_renyi(30, 40, rng=1))
    places = np.column_stack(layout(W))
    assert len(np.unique(places, axis=0)) == 30


def test_longest_paths() -> None:
    chain: Array = np.diag([1.0, 1.0, 1.0], 1)
    chain[0, 3] = 1.0
    assert longest_paths(chain).tolist() == [0, 1, 2, 3]


def test_arrows_only_where_the_data_orient() -> None:
    chain: Array = np.diag([0.5, 0.5], 1)
    for W, arrows in ((COLLIDER, 2), (chain, 0)):
        ax = Figure().subplots()
        names = [f"x{i}" for i in range(len(W))]
        draw_graph(ax, W, np.asarray(dag_to_cpdag(W)), names)
        edges = [a.arrow_patch for a in ax.texts if isinstance(a, Annotation)]
        styles = [type(edge.get_arrowstyle()).__name__ for edge in edges if edge is not None]
        heads = [style for style in styles if "FilledB" in style]
        assert len(edges) == 2
        assert len(heads) == arrows
        assert {text.get_text() for text in ax.texts} == {*names, ""}


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"daglock\[plot\]"):
        save_graph(tmp_path / "a.png", COLLIDER, np.asarray(dag_to_cpdag(COLLIDER)), list("abcd"))
