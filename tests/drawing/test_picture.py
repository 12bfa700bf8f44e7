"""The picture: boxes and lines in their places, heads by what is claimed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon

from daglock.drawing.picture import NEGATIVE, POSITIVE, draw_graph, legend, save_graph
from daglock.errors import MissingExtraError
from daglock.graph import WeightedDAG
from daglock.simulate import erdos_renyi
from daglock.typing import Array

COLLIDER = np.array([[0.0, 0.0, 0.8, 0.0], [0.0, 0.0, -0.5, 0.0], [0.0] * 4, [0.0] * 4])
CHAIN: Array = np.diag([0.5, 0.5], 1)


@pytest.fixture(autouse=True)
def no_window() -> Iterator[None]:
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


WHITE = (1.0, 1.0, 1.0, 1.0)


def lines(ax: Axes) -> list[PathPatch]:
    return [patch for patch in ax.patches if type(patch) is PathPatch]


def heads(ax: Axes) -> list[Polygon]:
    return [patch for patch in ax.patches if isinstance(patch, Polygon)]


def draw(W: Array, claims: list[str] | None = None, link: list[float] | None = None) -> Axes:
    names = [f"x{i}" for i in range(len(W))]
    sure = None if link is None else np.array(link)
    return draw_graph(Figure().subplots(), WeightedDAG.from_matrix(W), names, claims, sure)


def test_heads_are_full_hollow_or_none() -> None:
    """Whatever the model identifies: here all counts as told."""
    chain = np.diag([0.5, 0.5, 0.9], 1)
    ax = draw(chain, ["leaning", "open", "directed"])
    assert len(lines(ax)) == 3
    leaning, directed = heads(ax)
    assert leaning.get_facecolor() == WHITE
    assert directed.get_facecolor() == directed.get_edgecolor() == lines(ax)[2].get_edgecolor()
    for head, line in ((leaning, lines(ax)[0]), (directed, lines(ax)[2])):
        corners, end = np.array(head.get_xy())[:3], np.array(line.get_path().vertices)[-1]
        np.testing.assert_allclose((corners[0] + corners[2]) / 2, end)  # the line ends at its base
        assert corners[1, 1] > end[1]  # and it points downwards, to the effect
    # a hollow head is seen to be hollow, however wide its line
    assert max(head.get_linewidth() for head in heads(ax)) < lines(ax)[2].get_linewidth()
    assert [text.get_text() for text in ax.texts][:4] == ["x0", "x1", "x2", "x3"]


def test_without_claims_nothing_is_claimed() -> None:
    assert not heads(draw(COLLIDER))
    assert len(lines(draw(COLLIDER))) == 2


def test_the_legend_explains_what_is_there() -> None:
    words = draw(CHAIN, ["leaning", "open"]).texts[-1].get_text()
    assert words == legend(["open", "leaning"], np.ones(2))
    assert "hollow head: leaning" in words
    assert "no head: open" in words
    assert "reliable" not in words
    assert [text.get_text() for text in draw(np.zeros((2, 2))).texts] == ["x0", "x1"]


def test_a_link_that_is_less_sure_is_paler() -> None:
    sure, unsure = lines(draw(np.diag([0.5, 0.5], 1), link=[1.0, 0.2]))
    colours = [np.array(to_rgb(line.get_edgecolor())) for line in (sure, unsure)]
    assert colours[1].sum() > colours[0].sum() + 0.5
    assert colours[1].min() < 0.9
    drawn = [str(line.get_linestyle()) for line in (sure, unsure)]
    assert drawn in (["solid", "dashed"], ["-", "--"])  # by the version of matplotlib
    assert "dashed: less likely than not" in draw(CHAIN, link=[1.0, 0.2]).texts[-1].get_text()
    assert "dashed" not in draw(CHAIN, link=[1.0, 0.5]).texts[-1].get_text()


@pytest.mark.parametrize("size", [(8, 5), (3, 3)])
def test_the_legend_is_below_the_graph_and_in_the_figure(size: tuple[int, int]) -> None:
    figure = Figure(figsize=size)
    dag = WeightedDAG.from_matrix(np.diag(np.full(9, 0.5), 1))
    claims = ["directed", "leaning", "open"] * 3
    ax = draw_graph(figure.subplots(), dag, [f"a name {k}" for k in range(10)], claims)
    figure.savefig(BytesIO())
    words = ax.texts[-1].get_window_extent()
    boxes = [p.get_window_extent() for p in ax.patches if isinstance(p, FancyBboxPatch)]
    assert not any(words.overlaps(box) for box in boxes)
    assert figure.bbox.x0 <= words.x0 < words.x1 <= figure.bbox.x1


def test_colour_is_the_sign_and_width_the_size() -> None:
    strong, weak = lines(draw(COLLIDER))
    colours = [line.get_edgecolor() for line in (strong, weak)]
    wanted = [tuple(int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)) for c in (POSITIVE, NEGATIVE)]
    assert [pytest.approx(colour[:3]) for colour in colours] == wanted
    assert strong.get_linewidth() > weak.get_linewidth()


def test_an_edge_without_weight_is_drawn() -> None:
    dag = WeightedDAG.from_parents([0, 1], [[], [0]], [[], [0.0]])
    ax = draw_graph(Figure().subplots(), dag, ["a", "b"], ["directed"])
    assert len(lines(ax)) == len(heads(ax)) == 1


def test_boxes_hold_their_names_and_do_not_overlap(tmp_path: Path) -> None:
    names = [f"a name of column {i}" if i % 3 else f"c{i}" for i in range(40)]
    names[5] = "W" * 300
    figure = Figure(figsize=(9, 6))
    W = np.asarray(erdos_renyi(40, 50, rng=0))
    ax = draw_graph(figure.subplots(), WeightedDAG.from_matrix(W), names)
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
    ax = draw_graph(figure.subplots(), WeightedDAG.from_matrix(CHAIN), names)
    figure.savefig(tmp_path / "a.png")  # mathematics that does not close would raise here
    assert [text.get_text() for text in ax.texts][:3] == ["$x^$", "a b", "(no name)"]


def test_new_axes_when_none_are_given() -> None:
    ax = draw_graph(None, WeightedDAG.from_matrix(CHAIN), list("abc"))
    assert ax.figure in [pyplot.figure(number) for number in pyplot.get_fignums()]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    save_graph(path, WeightedDAG.from_matrix(COLLIDER), list("abcd"))
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("missing", ["figure", "pyplot"])
def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, f"matplotlib.{missing}", None)
    monkeypatch.delattr(sys.modules["matplotlib"], missing)
    chain, names = WeightedDAG.from_matrix(CHAIN), list("abc")
    draw: dict[str, Callable[[], object]] = {
        "figure": lambda: save_graph(tmp_path / "a.png", chain, names),
        "pyplot": lambda: draw_graph(None, chain, names),
    }
    with pytest.raises(MissingExtraError, match=r"need matplotlib: pip install 'daglock\[plot\]'"):
        draw[missing]()
