"""Graphviz: the graph as a picture that others draw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from daglock.interop._model import edges_of, quoted, require_names

if TYPE_CHECKING:
    from daglock.estimator import DAGLock

# In a quoted string \" is a quote, \\ stays two characters, and \ at the end of a line joins
# lines: an odd number of backslashes before a quote, a line break or the end cannot be written.
_IMPOSSIBLE = re.compile(r"\0|(?<!\\)(?:\\\\)*\\(?=[\"\r\n]|\Z)")


def to_dot(model: DAGLock) -> str:
    """Write the graph in the DOT language, https://graphviz.org/doc/info/lang.html.

    Nodes are the names, labels of edges the weights; an edge that the data cannot orient has no
    arrow (``dir=none``), and its weight is that of the direction in which it is written.
    """
    edges = edges_of(model)
    require_names(
        model.names_,
        _IMPOSSIBLE,
        "dot",
        "a backslash before a quote, a line break or the end, or a NUL, has no way to be written",
    )
    lines = ["digraph {", "  node [shape=box, style=rounded];"]
    lines += [f"  {quoted(name)}{_label(name)};" for name in model.names_]
    for edge in edges:
        arrow = "" if edge.oriented else ", dir=none"
        ends = f"{quoted(edge.source)} -> {quoted(edge.target)}"
        lines.append(f'  {ends} [label="{edge.weight:.3g}"{arrow}];')
    return "\n".join([*lines, "}", ""])


def _label(name: str) -> str:
    r"""Return a label for a name that Graphviz does not draw as it is: ``\n``, ``&lt;``, ``%``."""
    if not ("\\" in name or "&" in name or name.startswith("%")):
        return ""
    text = name.replace("\\", "\\\\").replace("&", "&amp;").replace('"', '\\"')
    return f' [label="{text}"]'
