"""Hand-off to other packages and formats.

Each file is one target, or a family of them. Directions are handed over as far as they are
claimed. An edge that is not "directed" has no arrowhead in dot (a hollow one where it leans) and is
undirected in dagitty, pcalg and causal-learn, which know no third way; networkx, graphml, gml, json
and csv have ``identified_by``, ``link``, ``direction`` and ``claim`` beside each edge. lingam and
pgmpy know directed edges only and get the graph that was found. They are formats of
linear models and refuse one with categories. For DoWhy, `undecided` tells
whether an effect rests on a direction that is not claimed, and `to_dowhy` refuses such an effect.
What was not yet assessed is assessed first, by ``model.assess()``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.interop.dowhy import to_dowhy, undecided
from daglock.interop.languages import to_dagitty, to_dot
from daglock.interop.networkx import (
    to_cpdag_networkx,
    to_gml,
    to_graphml,
    to_networkx,
    to_node_link,
)
from daglock.interop.packages import to_causallearn, to_pgmpy
from daglock.interop.tables import (
    to_edge_list,
    to_lingam,
    to_lingam_csv,
    to_pcalg,
    to_pcalg_csv,
)

if TYPE_CHECKING:
    from daglock.estimator import DAGLock

__all__ = [
    "FORMATS",
    "convert",
    "to_causallearn",
    "to_cpdag_networkx",
    "to_dowhy",
    "to_lingam",
    "to_networkx",
    "to_pcalg",
    "to_pgmpy",
    "undecided",
]

FORMATS: dict[str, Callable[[DAGLock], str]] = {
    "dot": to_dot,
    "graphml": to_graphml,
    "gml": to_gml,
    "json": to_node_link,
    "dagitty": to_dagitty,
    "csv": to_edge_list,
    "lingam": to_lingam_csv,
    "pcalg": to_pcalg_csv,
}


def convert(model: DAGLock, fmt: str) -> str:
    r"""Write a fitted model in one of `FORMATS`.

    Parameters
    ----------
    model : a fitted DAGLock.
    fmt : "dot", "graphml", "gml", "json", "dagitty", "csv", "lingam" or "pcalg"

    Returns
    -------
    str
        Lines end in ``\n``. In a file: UTF-8, and ``newline=""``, so that a line break in a name
        stays what it is.

    Raises
    ------
    InvalidParameterError
        No such format.
    InvalidDataError
        A column name that the format cannot hold.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock, Moments
    >>> cov = np.array([[1.0, 0.5], [0.5, 2.0]])
    >>> moments = Moments.from_covariance(cov, n=1000, names=["dose", "effect"])
    >>> print(convert(DAGLock("unequal").fit_moments(moments), "dagitty"))
    pdag {
    "dose"
    "effect"
    "effect" -- "dose"
    }
    """
    if fmt not in FORMATS:
        raise InvalidParameterError(
            f"There is no format {fmt!r}; the formats are {', '.join(FORMATS)}."
        )
    text = FORMATS[fmt](model)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidDataError(
            f"A column name has {text[error.start]!r}, half a character, which no file can hold: "
            "rename the column."
        ) from error
    return text
