"""The layout: edges go down, nothing overlaps, few crossings, the same every time."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from daglock.drawing.layered import NODE_HEIGHT, Layout, label_widths, layered_layout
from daglock.drawing.layers import (
    Ladder,
    coordinates,
    few_crossings,
    longest_paths,
    n_crossings,
    narrow_layers,
    short_layers,
    total_crossings,
)
from daglock.drawing.picture import smooth_curve
from daglock.graph import edge_list
from daglock.simulate import erdos_renyi
from daglock.typing import Array, IntArray

Edges = tuple[IntArray, IntArray]


def random_dag(d: int, k: int, seed: int) -> Edges:
    source, target, _ = edge_list(np.asarray(erdos_renyi(d, k, rng=seed)))
    return source, target


def overlaps(layout: Layout, widths: Array) -> int:
    """Count the pairs of boxes that share a place, by looking at all of them."""
    near_x = np.abs(layout.x[:, None] - layout.x) < (widths[:, None] + widths) / 2 - 1e-6
    near_y = np.abs(layout.y[:, None] - layout.y) < NODE_HEIGHT - 1e-6
    return int(np.triu(near_x & near_y, 1).sum())


def crossings_by_hand(upper: IntArray, lower: IntArray) -> int:
    pairs = combinations(zip(upper.tolist(), lower.tolist(), strict=True), 2)
    return sum((a - c) * (b - d) < 0 for (a, b), (c, d) in pairs)


@pytest.mark.parametrize(("d", "k"), [(2, 1), (11, 17), (50, 50), (50, 200), (200, 300)])
def test_edges_go_down_and_nothing_overlaps(d: int, k: int) -> None:
    source, target = random_dag(d, k, seed=d)
    widths = label_widths([f"column {i}" * (1 + i % 3) for i in range(d)])
    layout = layered_layout(source, target, d, widths=widths)
    assert (layout.layer[target] > layout.layer[source]).all()
    assert (layout.y[target] >= layout.y[source] + NODE_HEIGHT).all()
    assert overlaps(layout, widths) == 0
    assert (layout.x - widths / 2).min() >= -1e-9
    assert (layout.x + widths / 2).max() <= layout.width + 1e-9
    assert layout.y.min() >= NODE_HEIGHT / 2
    assert layout.y.max() <= layout.height - NODE_HEIGHT / 2


def test_long_edges_bend_once_in_every_layer_between_and_not_inside_a_box() -> None:
    source, target = random_dag(40, 80, seed=3)
    widths = np.full(40, 80.0)
    layout = layered_layout(source, target, 40, widths=widths)
    for s, t, points in zip(source, target, layout.bends, strict=True):
        assert len(points) == layout.layer[t] - layout.layer[s] - 1
        ys = [layout.y[s], *points[:, 1], layout.y[t]]
        assert (np.diff(ys) > 0).all()
        for x, y in points:
            in_row = np.abs(layout.y - y) < 1
            assert (np.abs(layout.x[in_row] - x) > widths[in_row] / 2).all()


def test_ends_of_edges_are_spread_in_order_inside_the_box() -> None:
    source, target = np.zeros(4, dtype=np.intp), np.arange(1, 5)
    widths = np.full(5, 60.0)
    layout = layered_layout(source, target, 5, widths=widths)
    by_x = np.argsort(layout.x[target])
    assert (np.diff(layout.tail[by_x]) > 0).all()
    assert np.abs(layout.tail).max() < 30
    assert layout.head.tolist() == [0.0] * 4


def test_the_same_graph_gives_the_same_layout() -> None:
    source, target = random_dag(60, 90, seed=0)
    one, two = (layered_layout(source, target, 60) for _ in range(2))
    assert np.array_equal(one.x, two.x)
    assert np.array_equal(one.y, two.y)


def test_extremes() -> None:
    nothing = np.empty(0, dtype=np.intp)
    empty = layered_layout(nothing, nothing, 30)
    assert overlaps(empty, np.full(30, 60.0)) == 0
    assert empty.width / empty.height < 4  # a block, not one endless row
    none = layered_layout(nothing, nothing, 0)
    assert (none.width, none.height) == (0.0, 0.0)
    complete = np.array(list(combinations(range(9), 2))).T
    layout = layered_layout(complete[0], complete[1], 9)
    assert layout.layer.tolist() == list(range(9))


def test_a_thousand_nodes() -> None:
    source, target, _ = edge_list(np.asarray(erdos_renyi(1000, 2000, rng=0)))
    layout = layered_layout(source, target, 1000)
    assert (layout.y[target] > layout.y[source]).all()
    assert overlaps(layout, np.full(1000, 60.0)) == 0
    assert layout.width / layout.height < 5


def test_connected_parts_stand_apart() -> None:
    source, target = np.array([0, 2, 4, 4]), np.array([1, 3, 5, 6])
    layout = layered_layout(source, target, 8)
    spans = [(layout.x[part].min(), layout.x[part].max()) for part in ([0, 1], [2, 3], [4, 5, 6])]
    spans.sort()
    assert all(right < left for (_, right), (left, _) in pairwise(spans))
    assert layout.y[7] > layout.y[:7].max()  # without edges: below the others


def test_longest_paths() -> None:
    assert longest_paths(np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3]), 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_short_layers_are_shortest(seed: int) -> None:
    """Against all layerings of a small graph."""
    source, target = random_dag(5, 6, seed)
    layers = np.array(np.meshgrid(*[range(5)] * 5)).reshape(5, -1)
    length = layers[target] - layers[source]
    best = length.sum(axis=0)[(length >= 1).all(axis=0)].min()
    found = short_layers(source, target, 5)
    assert (found[target] - found[source]).min() >= 1
    assert (found[target] - found[source]).sum() == best


@pytest.mark.parametrize("most", [3, 6, 20])
def test_narrow_layers_hold_no_more_and_keep_the_edges(most: int) -> None:
    source, target = random_dag(60, 70, seed=1)
    layer = short_layers(source, target, 60)
    narrow = narrow_layers(layer, source, target, most)
    assert np.bincount(narrow).max() <= most
    assert (narrow[target] > narrow[source]).all()
    if most == 20:
        assert np.array_equal(narrow, layer) == (np.bincount(layer).max() <= 20)


@pytest.mark.parametrize("seed", range(20))
def test_crossings_are_counted_as_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    upper, lower = rng.integers(0, 9, 25), rng.integers(0, 12, 25)
    assert n_crossings(upper, lower) == crossings_by_hand(upper, lower)


def test_crossings_of_a_complete_bipartite_graph() -> None:
    upper, lower = np.divmod(np.arange(6 * 7), 7)
    assert n_crossings(upper, lower) == (6 * 5 // 2) * (7 * 6 // 2)


def ladder(seed: int, size: int = 8, layers: int = 4) -> Ladder:
    rng = np.random.default_rng(seed)
    layer = np.repeat(np.arange(layers), size)
    upper = rng.integers(0, size * (layers - 1), 2 * size * (layers - 1))
    lower = (layer[upper] + 1) * size + rng.integers(0, size, len(upper))
    return Ladder(layer, upper, lower)


@pytest.mark.parametrize("seed", range(5))
def test_far_fewer_crossings_than_by_index(seed: int) -> None:
    graph = ladder(seed)
    naive = np.tile(np.arange(8), 4)
    place = few_crossings(graph, np.arange(32.0))
    for layer in range(4):
        assert sorted(place[graph.layer == layer].tolist()) == list(range(8))
    assert total_crossings(graph, place) < 0.6 * total_crossings(graph, naive)


def test_no_crossing_where_none_is_needed() -> None:
    """A tree whose nodes come in a random order has a drawing without crossings."""
    source, target = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]), np.arange(1, 11)
    names = np.random.default_rng(0).permutation(11)
    layout = layered_layout(names[source], names[target], 11)
    for level in range(3):
        edges = layout.layer[names[source]] == level
        upper, lower = layout.x[names[source[edges]]], layout.x[names[target[edges]]]
        pairs = combinations(zip(upper, lower, strict=True), 2)
        assert not any((a - c) * (b - d) < 0 for (a, b), (c, d) in pairs)


def test_coordinates_keep_the_order_and_the_distance() -> None:
    graph = ladder(0)
    place = few_crossings(graph, np.arange(32.0))
    widths = np.random.default_rng(0).uniform(20, 90, 32)
    x = coordinates(graph, place, widths, 10.0, np.zeros(32, dtype=np.bool_))
    for layer in range(4):
        row = np.flatnonzero(graph.layer == layer)
        row = row[np.argsort(place[row])]
        free = np.diff(x[row]) - (widths[row][1:] + widths[row][:-1]) / 2
        assert free.min() >= 10.0 - 1e-6


def test_a_parent_stands_in_the_middle_of_its_children() -> None:
    layout = layered_layout(np.zeros(3, dtype=np.intp), np.arange(1, 4), 4)
    assert layout.x[0] == pytest.approx(layout.x[1:].mean())


def test_curves_pass_through_their_points_and_stay_between() -> None:
    points = np.array([[0.0, 0.0], [50.0, 10.0], [55.0, 30.0], [20.0, 40.0]])
    curve = smooth_curve(points)
    assert np.array_equal(curve[::3], points)
    for k in range(3):
        a, b, c, d = curve[3 * k : 3 * k + 4]
        t = np.linspace(0, 1, 50)[:, None]
        line = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        assert line[:, 0].min() >= min(a[0], d[0]) - 1e-9
        assert line[:, 0].max() <= max(a[0], d[0]) + 1e-9
    for k in (3, 6):  # no corner at a bend
        before, after = curve[k] - curve[k - 1], curve[k + 1] - curve[k]
        assert before[0] * after[1] - before[1] * after[0] == pytest.approx(0.0, abs=1e-9)


def test_label_widths_grow_with_the_name_up_to_a_limit() -> None:
    narrow, wide, endless, marks = label_widths(["iii", "WWWWWW", "x" * 500, "e" + "\u0301" * 50])
    assert narrow < wide < endless
    assert marks == label_widths(["e"])[0]
