"""Edges that are questioned: into age, sex, a year, a treatment, of which nothing was said."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.knowledge.columns import REST
from daglock.knowledge.givens import is_given
from daglock.knowledge.orders import order_text
from daglock.wording import Finding, listed


def question_edges(
    dag: WeightedDAG, names: Sequence[str], known: Masks | None
) -> tuple[tuple[str, str], ...]:
    """Return the edges into columns whose name says that nothing in the table causes them.

    Columns of which knowledge says anything are passed over: whoever said that has thought of it.
    """
    found = []
    for i, j in zip(dag.source.tolist(), dag.target.tolist(), strict=True):
        if is_given(names[j]) and not (known is not None and _speaks_of(known, j)):
            found.append((names[i], names[j]))
    return tuple(found)


def about_questioned(edges: Sequence[tuple[str, str]]) -> list[Finding]:
    """Ask whether these edges can be, and say how to rule them out.

    Examples
    --------
    >>> (finding,) = about_questioned([("bmi", "age"), ("bp", "age")])
    >>> print(finding.text)
    An arrow of the graph points into age (from bmi, bp). If nothing in the table can cause it, say
    so: --tiers 'age < *', in Python DAGLock(knowledge={'tiers': 'age < *'}).
    """
    if not edges:
        return []
    into: dict[str, list[str]] = {}
    for cause, column in edges:
        into.setdefault(column, []).append(cause)
    which = listed((f"{name} (from {listed(causes, 3)})" for name, causes in into.items()), 4)
    points = "An arrow of the graph points" if len(into) == 1 else "Arrows of the graph point"
    it = "it" if len(into) == 1 else "them"
    tiers = order_text([list(into), [REST]])
    text = (
        f"{points} into {which}. If nothing in the table can cause {it}, say so: --tiers "
        f"{shlex.quote(tiers)}, in Python DAGLock(knowledge={{'tiers': {tiers!r}}})."
    )
    title = f"{'An arrow' if len(into) == 1 else 'Arrows'} into {listed(into, 4)}"
    return [Finding("warning", title, text)]


def _speaks_of(known: Masks, column: int) -> bool:
    """Whether knowledge rules out, or asks for, an edge at a column."""
    if known.required is not None and known.required[:, column].any():
        return True
    if known.allowed is None:
        return False
    off = [v for v in range(len(known.allowed)) if v != column]
    return not (known.allowed[off, column].all() and known.allowed[column, off].all())
