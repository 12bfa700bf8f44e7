"""The picture: boxes and arrows in their places, arrows only where the data orient."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from daglock.drawing.picture import NEGATIVE, POSITIVE, draw_graph, save_graph
from daglock.errors import MissingExtraError
from daglock.graph import WeightedDAG, canonical_member
from daglock.simulate import erdos_renyi
from daglock.typing import Array

COLLIDER = np.array([[0.0, 0.0, 0.8, 0.0], [0.0, 0.0, -0.5, 0.0], [0.0] * 4, [0.0] * 4])
CHAIN: Array = np.diag([0.5, 0.5], 1)


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


def lines(ax: Axes) -> list[FancyArrowPatch]:
    return [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]


def has_head(line: FancyArrowPatch) -> bool:
    return "FilledB" in type(line.get_arrowstyle()).__name__


def of_class(W: Array) -> WeightedDAG:
    """The DAG with the directions that its class tells."""
    dag = WeightedDAG.from_matrix(W)
    return replace(dag, oriented=canonical_member(dag.source, dag.target, dag.d)[2])


def draw(W: Array, names: list[str] | None = None) -> Axes:
    names = names or [f"x{i}" for i in range(len(W))]
    return draw_graph(Figure().subplots(), of_class(W), names)


@pytest.mark.parametrize(("W", "arrows"), [(COLLIDER, 2), (CHAIN, 0)])
def test_arrows_only_where_the_data_orient(W: Array, arrows: int) -> None:
    ax = draw(W)
    assert len(lines(ax)) == 2
    assert sum(map(has_head, lines(ax))) == arrows
    assert [text.get_text() for text in ax.texts] == [f"x{i}" for i in range(len(W))]


def test_colour_is_the_sign_and_width_the_size() -> None:
    strong, weak = lines(draw(COLLIDER))
    colours = [line.get_facecolor() for line in (strong, weak)]
    wanted = [tuple(int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)) for c in (POSITIVE, NEGATIVE)]
    assert [pytest.approx(colour[:3]) for colour in colours] == wanted
    assert strong.get_linewidth() > weak.get_linewidth()


def test_an_edge_without_weight_is_drawn() -> None:
    dag = WeightedDAG.from_parents([0, 1], [[], [0]], [[], [0.0]])
    ax = draw_graph(Figure().subplots(), dag, ["a", "b"])
    assert [has_head(line) for line in lines(ax)] == [True]


def test_boxes_hold_their_names_and_do_not_overlap(tmp_path: Path) -> None:
    names = [f"a name of column {i}" if i % 3 else f"c{i}" for i in range(40)]
    names[5] = "W" * 300
    figure = Figure(figsize=(9, 6))
    W = np.asarray(erdos_renyi(40, 50, rng=0))
    ax = draw_graph(figure.subplots(), of_class(W), names)
    figure.savefig(tmp_path / "a.png")
    boxes = [p.get_window_extent() for p in ax.patches if isinstance(p, FancyBboxPatch)]
    for k, box in enumerate(boxes):
        text = ax.texts[k].get_window_extent()
        assert box.x0 <= text.x0
        assert text.x1 <= box.x1
        assert not any(box.overlaps(other) for other in boxes[:k])
        assert ax.bbox.x0 <= box.x0
        assert box.x1 <= ax.bbox.x1


def test_a_name_is_written_as_it_is(tmp_path: Path) -> None:
    names = ["$x^$", "a\nb", ""]
    figure = Figure()
    ax = draw_graph(figure.subplots(), of_class(CHAIN), names)
    figure.savefig(tmp_path / "a.png")  # mathematics that does not close would raise here
    assert [text.get_text() for text in ax.texts] == ["$x^$", "a b", "(no name)"]


def test_new_axes_when_none_are_given() -> None:
    ax = draw_graph(None, of_class(CHAIN), list("abc"))
    assert ax.figure in [pyplot.figure(number) for number in pyplot.get_fignums()]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    save_graph(path, of_class(COLLIDER), list("abcd"))
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("missing", ["figure", "pyplot"])
def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, f"matplotlib.{missing}", None)
    monkeypatch.delattr(sys.modules["matplotlib"], missing)
    chain, names = of_class(CHAIN), list("abc")
    draw: dict[str, Callable[[], object]] = {
        "figure": lambda: save_graph(tmp_path / "a.png", chain, names),
        "pyplot": lambda: draw_graph(None, chain, names),
    }
    with pytest.raises(MissingExtraError, match=r"need matplotlib: pip install 'daglock\[plot\]'"):
        draw[missing]()
