"""The picture as SVG: well-formed whatever the names, heads by what is claimed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np

from daglock.drawing.svg import svg_graph
from daglock.graph import WeightedDAG
from daglock.typing import Array

NAMES = ("</svg><script>alert(1)</script>", '"><b onload="x">', "new\nline \x00\x1b \ud800", "")
SVG = "{http://www.w3.org/2000/svg}"


def make_dag(weight: Array) -> WeightedDAG:
    ends = np.array([0, 0, 1]), np.array([1, 2, 3])
    return WeightedDAG(np.arange(4), *ends, weight, np.zeros(3, dtype=np.bool_))


def drawn(*claims: str, link: Array | None = None, weight: Array | None = None) -> ET.Element:
    weight = np.array([1.0, -0.5, 0.0]) if weight is None else weight
    return ET.fromstring(svg_graph(make_dag(weight), NAMES, claims or None, link))


def heads(root: ET.Element) -> list[str]:
    return [str(p.get("fill")) for p in root.iter(f"{SVG}path") if p.get("fill") != "none"]


def test_hostile_names_stay_text() -> None:
    text = svg_graph(make_dag(np.ones(3)), NAMES)
    text.encode("utf-8")
    root = ET.fromstring(text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg",
        "rect",
        "path",
        "g",
        "title",
        "text",
    }
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert titles[:2] == list(NAMES[:2])
    assert not re.search(r"\son\w+=", re.sub(r">[^<]*<", "><", text))


def test_heads_follow_the_claims() -> None:
    root = drawn("directed", "leaning", "open")
    lines = [p for p in root.iter(f"{SVG}path") if p.get("fill") == "none"]
    assert [line.get("stroke") for line in lines] == ["#0072B2", "#D55E00", "#77808c"]
    assert heads(root) == ["#0072B2", "#fff"]
    assert heads(drawn()) == []
    assert heads(drawn("leaning", "open", "directed")) == ["#fff", "#77808c"]


def test_what_is_doubtful_is_pale_and_dashed() -> None:
    root = drawn("open", "open", "open", link=np.array([1.0, 0.6, 0.2]))
    lines = list(root.iter(f"{SVG}path"))
    assert [line.get("stroke-opacity") for line in lines] == ["1.00", "0.72", "0.44"]
    assert [line.get("stroke-dasharray") is not None for line in lines] == [False, False, True]


def test_a_head_ends_at_the_box_of_the_effect() -> None:
    root = drawn("directed", "directed", "directed")
    bottoms = [float(r.get("y", "")) for g in root.iter(f"{SVG}g") for r in g.iter(f"{SVG}rect")]
    tips = [
        float(str(p.get("d")).split("L")[1].split()[1])
        for p in root.iter(f"{SVG}path")
        if p.get("fill") != "none"
    ]
    assert np.allclose(tips, [bottoms[1], bottoms[2], bottoms[3]], atol=2.5)
