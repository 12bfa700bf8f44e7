"""DAGitty: the web page and the R package that find adjustment sets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from daglock.interop._model import edges_of, quoted, require_names

if TYPE_CHECKING:
    from daglock.estimator import DAGLock

# DAGitty's grammar has no control characters in a string and reads \" as a quote; its parser
# refuses variables called graph and node.
_IMPOSSIBLE = re.compile(r"[\0-\x1f\x7f]|\\\Z|\A(?:graph|node)?\Z")


def to_dagitty(model: DAGLock) -> str:
    """Write the graph in the language of DAGitty, https://www.dagitty.net.

    A ``dag`` where every edge is oriented, else a ``pdag`` with ``--`` for those that are not:
    DAGitty then gives the adjustment sets that hold in every graph that the data allow.
    ``beta`` is the standardised weight, which is how DAGitty reads it; an edge without a
    direction has none.
    """
    edges = edges_of(model)
    require_names(
        model.names_,
        _IMPOSSIBLE,
        "dagitty",
        "it has no empty names, none called graph or node, none with control characters and none "
        "that end in a backslash",
    )
    kind = "dag" if all(edge.oriented for edge in edges) else "pdag"
    lines = [f"{kind} {{", *(quoted(name) for name in model.names_)]
    for edge in edges:
        source, target = quoted(edge.source), quoted(edge.target)
        if edge.oriented:
            # positional: DAGitty's numbers have no exponents
            beta = np.format_float_positional(edge.standardised_weight, trim="0")
            lines.append(f"{source} -> {target} [beta={beta}]")
        else:
            lines.append(f"{source} -- {target}")
    return "\n".join([*lines, "}", ""])
