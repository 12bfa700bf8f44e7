"""Figures: what they show, what they say that they leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmark.sample import over, record, without_result
from daglock_evaluation.benchmark.plots import MOST, Drawing, draw, exponent, share_out
from daglock_evaluation.benchmark.runs import groups, rows, singles
from daglock_evaluation.harness.figures import COLOURS, svg
from daglock_evaluation.methods import methods


def labels(drawing: Drawing) -> list[str]:
    [legend] = drawing.figure.legends
    return [text.get_text() for text in legend.get_texts()]


def heights(axes: Any) -> list[float]:
    """Return the values of the second line."""
    return list(axes.get_lines()[1].get_ydata())


def growing(
    peer: str, power: float, sizes: tuple[int, ...] = (10, 20, 40, 80), **given: Any
) -> Any:
    return [
        record(peer, seed, shd=seed, d=d, cpu_seconds=1e-3 * d**power, **given)
        for d in sizes
        for seed in range(2)
    ]


def test_exponents_are_in_the_legend() -> None:
    [drawing] = draw([*growing("daglock", 1.5), *growing("dagma", 3.0), *growing("empty", 1.0)])
    assert labels(drawing) == ["daglock, $d^{1.5}$", "DAGMA, $d^{3.0}$", "empty graph"]
    assert drawing.name == "equal-er1-0.5-1-d-1000"
    assert drawing.title == "ER1 ±[0.5,1], n = 1000"
    assert len(drawing.figure.axes) == 4


def test_an_exponent_needs_three_sizes() -> None:
    few = [*growing("daglock", 1.5), *growing("dagma", 2.0, (10, 20)), over("dagma", d=40)]
    [drawing] = draw(few)
    assert labels(drawing) == ["daglock, $d^{1.5}$", "DAGMA"]
    assert "Open markers: over the time limit." in drawing.note
    assert exponent([10, 20, 30], [7.0, 7.0, 7.0]) == pytest.approx(0.0)


def test_points_are_the_means_and_the_ratio_is_to_daglock() -> None:
    [drawing] = draw([*growing("daglock", 1.0), *growing("dagma", 2.0)])
    time, accuracy, ratio, memory = drawing.figure.axes
    assert heights(time) == pytest.approx([0.1, 0.4, 1.6, 6.4])
    assert heights(accuracy) == [0.5] * 4
    assert heights(ratio) == pytest.approx([10, 20, 40, 80])
    assert heights(memory) == [10.0] * 4
    assert accuracy.get_ylim()[0] < 0.0  # a distance of 0 is inside
    line = time.get_lines()[1]
    assert (line.get_color(), line.get_marker()) == (COLOURS["orange"], methods()["dagma"].marker)


def test_over_the_number_of_rows() -> None:
    records = [record("daglock", 0, n=n) for n in (200, 500, 1000)]
    [drawing] = draw(records)
    assert drawing.title == "ER1 ±[0.5,1], d = 20"
    assert [axes.get_xlabel() for axes in drawing.figure.axes] == ["number of rows n"] * 2


def test_many_methods_are_shared_out_or_named() -> None:
    names = [name for name in methods() if name != "empty"][: MOST + 4]
    records = [line for k, name in enumerate(names) for line in growing(name, 1.0 + k / 10)]
    drawings = draw(records)
    assert len(drawings) == 2
    assert len({drawing.name for drawing in drawings}) == 2
    shown = [len(labels(drawing)) for drawing in drawings]
    assert shown == [MOST + 1, len(names) - MOST]
    assert all(labels(drawing)[0].startswith("daglock, ") for drawing in drawings)
    [first] = draw(records, all_parts=False)
    left_out = first.note.split("see the tables: ")[1]
    assert all(methods()[name].label in left_out for name in names[MOST + 1 :])


def test_the_most_accurate_come_first() -> None:
    names = [f"m{k}" for k in range(12)]
    records = [
        record(name, 0, shd=12 - k, d=d) for k, name in enumerate(names) for d in (10, 20, 40)
    ]
    records += [record("daglock", 0, shd=99, d=d) for d in (10, 20, 40)]
    records += [over("slow", d=d) for d in (10, 20, 40)]
    first, second = share_out(["slow", "daglock", *names], rows(records))
    assert first == ["daglock", *names[4:]]
    assert second == ["daglock", "slow", *names[:4]]


def test_methods_without_any_result_are_not_in_the_legend() -> None:
    missing = [without_result("xges", "not installed", "", d=d) for d in (10, 20, 40, 80)]
    [drawing] = draw([*growing("daglock", 1.0), *missing])
    assert labels(drawing) == ["daglock, $d^{1.0}$"]


def test_cases_that_are_on_no_curve() -> None:
    records = [
        *growing("daglock", 1.0),
        record("daglock", family="SF2", d=50),
        record("flop-20", family="SF2", d=50),
        record("empty", family="SF2", d=50, shd=50),
    ]
    curves, dots = draw(records)
    assert dots.name == "equal-cases"
    axes = dots.figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["SF2 d=50 n=1000"]
    assert labels(dots) == ["daglock", "FLOP, 20 restarts", "empty graph"]
    assert labels(curves) == ["daglock, $d^{1.0}$"]


def test_groups() -> None:
    records = [
        *(record("daglock", d=d) for d in (100, 20, 50)),
        *(record("daglock", d=50, n=n) for n in (200, 1000)),
        record("daglock", family="SF2"),
    ]
    found = rows(records)
    over_d, over_n = groups(found)
    assert (over_d.axis, over_d.fixed, over_d.sizes) == ("d", 1000, [20, 50, 100])
    assert (over_n.axis, over_n.fixed, over_n.sizes) == ("n", 50, [200, 1000])
    assert list(over_d.of("daglock")) == [20, 50, 100]
    [[single]] = singles(found)
    assert single.family == "SF2"


def test_a_figure_is_the_same_twice() -> None:
    records = growing("daglock", 1.0)
    first, second = (svg(draw(records)[0].figure) for _ in range(2))
    assert first == second
    assert not re.search(r"<dc:date>", first)


def test_a_reference_that_is_not_there_or_has_no_result() -> None:
    [drawing] = draw(growing("dagma", 2.0))
    assert labels(drawing) == ["DAGMA, $d^{2.0}$"]
    sizes = (10, 20, 40)
    [drawing] = draw([*(over("daglock", d=d) for d in sizes), *(over("dagma", d=d) for d in sizes)])
    assert labels(drawing) == ["daglock", "DAGMA"]
    assert "<svg" in svg(drawing.figure)
    [drawing] = draw([over("daglock"), over("dagma")])
    assert "<svg" in svg(drawing.figure)
    assert draw([without_result("daglock", "failed", "boom")]) == []
