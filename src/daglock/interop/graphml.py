"""GraphML, which networkx, igraph, Gephi, yEd and Cytoscape read."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from daglock.interop._model import require_names
from daglock.interop.networkx import to_networkx

if TYPE_CHECKING:
    from daglock.estimator import DAGLock

# What is no Char of XML 1.0, https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_graphml(model: DAGLock) -> str:
    """Write the graph as GraphML, edges with weight, standardised_weight and oriented."""
    graph = to_networkx(model)
    require_names(model.names_, _IMPOSSIBLE, "graphml", "XML has no control characters")
    from networkx import write_graphml_xml

    file = BytesIO()
    # by name, because write_graphml writes differently where lxml is installed
    write_graphml_xml(graph, file)
    return file.getvalue().decode("utf-8")
