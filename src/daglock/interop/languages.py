"""Languages in which a graph is written: that of Graphviz, and that of DAGitty."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from daglock.interop._model import edges_of, require_names

if TYPE_CHECKING:
    from daglock.estimator import DAGLock

# In a quoted string \" is a quote, \\ stays two characters, and \ at the end of a line joins
# lines: an odd number of backslashes before a quote, a line break or the end cannot be written.
_NOT_IN_DOT = re.compile(r"\0|(?<!\\)(?:\\\\)*\\(?=[\"\r\n]|\Z)")
# DAGitty's grammar has no control characters in a string and reads \" as a quote; its parser
# refuses variables called graph and node.
_NOT_IN_DAGITTY = re.compile(r"[\0-\x1f\x7f]|\\\Z|\A(?:graph|node)?\Z")

_HEADS = {"directed": "", "leaning": ", arrowhead=empty", "open": ", dir=none"}


def to_dot(model: DAGLock) -> str:
    """Write the graph in the DOT language, https://graphviz.org/doc/info/lang.html.

    Nodes are the names, labels of edges the weights. Heads are what is claimed: full for
    "directed", hollow for "leaning" (``arrowhead=empty``), none for "open" (``dir=none``), where
    the weight is that of the direction in which the edge is written.
    """
    edges = edges_of(model)
    require_names(
        model.names_,
        _NOT_IN_DOT,
        "dot",
        "a backslash before a quote, a line break or the end, or a NUL, has no way to be written",
    )
    lines = ["digraph {", "  node [shape=box, style=rounded];"]
    lines += [f"  {_quoted(name)}{_label(name)};" for name in model.names_]
    for edge in edges:
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        lines.append(f'  {ends} [label="{edge.weight:.3g}"{_HEADS[edge.claim]}];')
    return "\n".join([*lines, "}", ""])


def to_dagitty(model: DAGLock) -> str:
    """Write the graph in the language of DAGitty, https://www.dagitty.net.

    A ``dag`` where every edge is "directed", else a ``pdag`` with ``--`` for those that are not:
    DAGitty knows no edge that leans. What it says of a ``pdag`` takes the colliders in it for all
    that there are; `daglock.interop.undecided` does not.
    ``beta`` is the standardised weight, which is how DAGitty reads it; an edge without a
    direction, or with a category at an end, has none.
    """
    edges = edges_of(model)
    require_names(
        model.names_,
        _NOT_IN_DAGITTY,
        "dagitty",
        "it has no empty names, none called graph or node, none with control characters and none "
        "that end in a backslash",
    )
    strengths = model.strong_pairs()
    kind = "dag" if all(edge.is_directed for edge in edges) else "pdag"
    lines = [f"{kind} {{", *(_quoted(name) for name in model.names_)]
    for edge in edges:
        source, target = _quoted(edge.source), _quoted(edge.target)
        if edge.is_directed and edge[:2] in strengths:
            lines.append(f"{source} -> {target}")
        elif edge.is_directed:
            # positional: DAGitty's numbers have no exponents
            beta = np.format_float_positional(edge.standardised_weight, trim="0")
            lines.append(f"{source} -> {target} [beta={beta}]")
        else:
            lines.append(f"{source} -- {target}")
    return "\n".join([*lines, "}", ""])


def _label(name: str) -> str:
    r"""Return a label for a name that Graphviz does not draw as it is: ``\n``, ``&lt;``, ``%``."""
    if not ("\\" in name or "&" in name or name.startswith("%")):
        return ""
    text = name.replace("\\", "\\\\").replace("&", "&amp;").replace('"', '\\"')
    return f' [label="{text}"]'


def _quoted(name: str) -> str:
    """Return the name in quotes; a backslash stands for itself except before a quote."""
    return '"' + name.replace('"', '\\"') + '"'
