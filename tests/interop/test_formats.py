"""Every format is read back, CSV alone by a reader of ours, with names that are hard to write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock, Knowledge, Moments
from daglock._csv import csv_rows
from daglock.confidence.edges import ClaimedEdge
from daglock.errors import InvalidDataError
from daglock.interop import FORMATS, convert
from daglock.interop._model import edges_of
from tests.interop.dagitty import parse_dagitty
from tests.interop.models import HOSTILE, claiming, model, with_name

FIELDS = ClaimedEdge._fields[2:]
WORDS = ("identified_by", "claim", "because")
Read = tuple[list[str], dict[tuple[str, str], Any]]  # nodes, and what is known of each edge

# Names that a format has no way to write.
REFUSED = {
    "dot": {"C:\\", '\\"', "joined\\\nline", "\x00", "\ud800"},
    "graphml": {"\x07", "\x00", "\ud800"},
    "gml": set(),
    "json": set(),
    "dagitty": {
        *("line\nbreak", "carriage\rreturn", "tab\tstop", "joined\\\nline", "\x07", "\x00"),
        *("", "C:\\", "two\\\\", "graph", "node", "\ud800"),
    },
    "csv": {"\ud800"},
    "lingam": {"\ud800"},
    "pcalg": {"\ud800"},
}


def read_dot(text: str) -> Read:
    graphs = import_module("pydot").graph_from_dot_data(text)
    assert graphs is not None
    assert len(graphs) == 1

    def plain(identifier: str) -> str:
        return identifier[1:-1].replace('\\"', '"')

    nodes = [plain(node.get_name()) for node in graphs[0].get_nodes() if node.get_name() != "node"]
    edges = {}
    for edge in graphs[0].get_edges():
        attributes = edge.get_attributes()
        key = plain(edge.get_source()), plain(edge.get_destination())
        drawn = attributes.get("dir"), attributes.get("arrowhead")
        edges[key] = float(attributes["label"].strip('"')), drawn
    return nodes, edges


def read_networkx(graph: Any) -> Read:
    assert type(graph) is nx.DiGraph
    edges = {(u, v): tuple(data[f] for f in FIELDS) for u, v, data in graph.edges.data()}
    return list(graph.nodes), edges


def read_json(text: str) -> Read:
    content = json.loads(text)
    assert content["graph"] == {"noise": "unequal"}
    return read_networkx(nx.node_link_graph(content, edges="edges"))


def read_csv(text: str) -> Read:
    head, *rows = csv_rows(text)
    assert head == ["source", "target", *FIELDS, "source_kind", "target_kind"]
    edges = {}
    for source, target, *more in rows:
        fields = zip(FIELDS, more, strict=False)  # the kinds come after them
        edges[source, target] = tuple(v if field in WORDS else float(v) for field, v in fields)
    return [], edges


def read_matrix(text: str) -> Read:
    """Read the effect of the column on the row."""
    head, *rows = csv_rows(text)
    assert head[0] == ""
    assert [row[0] for row in rows] == head[1:]
    edges = {
        (cause, row[0]): float(value)
        for row in rows
        for cause, value in zip(head[1:], row[1:], strict=True)
        if float(value)
    }
    return head[1:], edges


READERS: dict[str, Callable[[str], Read]] = {
    "dot": read_dot,
    "graphml": lambda text: read_networkx(nx.parse_graphml(text)),
    "gml": lambda text: read_networkx(nx.parse_gml(text)),
    "json": read_json,
    "dagitty": lambda text: parse_dagitty(text)[1:],
    "csv": read_csv,
    "lingam": read_matrix,
    "pcalg": read_matrix,
}


def expected(model: DAGLock, fmt: str) -> Read:
    """Return what a reader of the format shall find."""
    edges: dict[tuple[str, str], Any] = {}
    heads = {"directed": (None, None), "leaning": (None, "empty"), "open": ("none", None)}
    for edge in edges_of(model):
        key = edge.source, edge.target
        directed = edge.claim == "directed"
        match fmt:
            case "dot":
                edges[key] = pytest.approx(edge.weight, rel=5e-3), heads[edge.claim]
            case "lingam":
                edges[key] = edge.weight
            case "pcalg":
                edges[key] = 1
                if not directed:
                    edges[edge.target, edge.source] = 1
            case "dagitty":
                edges[key] = ("->", edge.standardised_weight) if directed else ("--", None)
            case _:
                edges[key] = tuple(edge[2:])
    return [] if fmt == "csv" else list(model.names_), edges


# pydot calls its parser by names that are going out of use
PYDOT = [
    pytest.mark.handoff("pydot"),
    pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning:pydot.dot_parser"),
]
FORMATS_HERE = [pytest.param(fmt, marks=PYDOT if fmt == "dot" else ()) for fmt in FORMATS]


def test_every_format_has_a_reader() -> None:
    assert list(READERS) == list(FORMATS) == list(REFUSED)


@pytest.mark.parametrize("fmt", FORMATS_HERE)
def test_what_is_written_is_what_is_read(fmt: str) -> None:
    text = convert(model(), fmt)
    assert READERS[fmt](text) == expected(model(), fmt)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("fmt", FORMATS_HERE)
def test_names_survive_or_are_refused(fmt: str, name: str) -> None:
    hostile = with_name(name)
    if name in REFUSED[fmt]:
        with pytest.raises(InvalidDataError, match=re.escape(repr(name))) as caught:
            convert(hostile, fmt)
        assert "\n" not in str(caught.value)
        assert "ename the column" in str(caught.value)
    else:
        assert READERS[fmt](convert(hostile, fmt)) == expected(hostile, fmt)


def test_dot_draws_the_name_and_not_what_graphviz_makes_of_it() -> None:
    """Backslashes, entities and a leading % mean something to Graphviz unless a label says no."""
    for name, label in (("a\\nb", "a\\\\nb"), ("&lt;", "&amp;lt;"), ("% fat", "% fat")):
        assert f'"{name}" [label="{label}"];' in convert(with_name(name), "dot")
    assert '"Bar";' in convert(model(), "dot")


def test_heads_in_dot_are_full_hollow_or_none() -> None:
    """Read by eye, too, because pydot is not everywhere."""
    text = convert(model(), "dot")
    for edge in edges_of(model()):
        ends = f'"{edge.source}" -> "{edge.target}"'
        (line,) = (line for line in text.splitlines() if ends in line)
        assert ("dir=none" in line) == (edge.claim == "open")
        assert ("arrowhead=empty" in line) == (edge.claim == "leaning")
    assert {edge.claim for edge in edges_of(model())} == {"directed", "leaning", "open"}


def test_dagitty_is_a_dag_where_every_direction_is_claimed() -> None:
    kind, nodes, edges = parse_dagitty(convert(model(noise="equal"), "dagitty"))
    assert kind == "dag"
    assert {arrow for arrow, _ in edges.values()} == {"->"}
    assert parse_dagitty(convert(model(), "dagitty"))[0] == "pdag"
    assert nodes == list(model().names_)


def test_dagitty_numbers_have_no_exponent() -> None:
    """DAGitty reads 1e-05 as the word 1e and then fails."""
    text = convert(tiny(), "dagitty")
    assert re.findall(r"beta=(\S+)\]", text) == ["0.00001"]


def tiny() -> DAGLock:
    """Return a model with a required edge whose standardised weight is 1e-5."""
    moments = Moments.from_covariance(np.array([[1.0, 1e-5], [1e-5, 1.0]]), n=1000)
    known = Knowledge(required=[("x0", "x1")])
    return claiming(DAGLock("unequal", knowledge=known).fit_moments(moments), [1.0])
