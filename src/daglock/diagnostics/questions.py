"""Edges that are questioned: into age, sex, a year or a treatment that knowledge does not name."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from daglock.graph import WeightedDAG
from daglock.knowledge import Knowledge, Masks
from daglock.knowledge.columns import REST
from daglock.knowledge.names import given_by_name, perhaps_given
from daglock.knowledge.orders import order_text
from daglock.wording import Finding, listed


def question_edges(
    dag: WeightedDAG, names: Sequence[str], known: Knowledge | Masks | None
) -> tuple[tuple[str, str], ...]:
    """Return the edges into columns that may have no cause in the table, as their names say.

    Columns that knowledge names are passed over: the user has decided about them.
    """
    if isinstance(known, Knowledge):
        named = known.named(names)
    else:
        named = frozenset() if known is None else _ruled(known, names)
    ends = zip(dag.source.tolist(), dag.target.tolist(), strict=True)
    asked = {name for name in names if given_by_name(name) or perhaps_given(name)} - named
    return tuple((names[i], names[j]) for i, j in ends if names[j] in asked)


def about_questioned(edges: Sequence[tuple[str, str]]) -> list[Finding]:
    """Ask whether these edges can be, and say how to rule them out.

    Examples
    --------
    >>> (finding,) = about_questioned([("bmi", "age"), ("bp", "age")])
    >>> print(finding.text)
    In the graph that fits best arrows point into age (from bmi, bp). If nothing in the table can
    cause it, say so: --tiers 'age < *', in Python DAGLock(knowledge={'tiers': 'age < *'}).
    """
    if not edges:
        return []
    into: dict[str, list[str]] = {}
    for cause, column in edges:
        into.setdefault(column, []).append(cause)
    which = listed((f"{name} (from {listed(causes, 3)})" for name, causes in into.items()), 4)
    points = "an arrow points" if len(edges) == 1 else "arrows point"
    it = "it" if len(into) == 1 else "them"
    tiers = order_text([list(into), [REST]])
    text = (
        f"In the graph that fits best {points} into {which}. If nothing in the table can cause "
        f"{it}, say so: --tiers {shlex.quote(tiers)}, in Python "
        f"DAGLock(knowledge={{'tiers': {tiers!r}}})."
    )
    title = f"{'An arrow' if len(edges) == 1 else 'Arrows'} into {listed(into, 4)}"
    return [Finding("warning", title, text)]


def _ruled(known: Masks, names: Sequence[str]) -> frozenset[str]:
    """Return the columns that masks, which name nothing, rule out a cause of, or ask for one."""
    ruled = np.zeros(len(names), dtype=np.bool_)
    if known.required is not None:
        ruled |= known.required.any(axis=0)
    if known.allowed is not None:
        ruled |= ~(known.allowed | np.eye(len(names), dtype=np.bool_)).all(axis=0)
    return frozenset(names[j] for j in np.flatnonzero(ruled).tolist())
