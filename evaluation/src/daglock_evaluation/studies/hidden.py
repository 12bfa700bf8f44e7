"""Hidden causes: what is claimed of directions with and without looking for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import numpy as np

from daglock import DAGLock
from daglock.confidence import Confidence
from daglock.graph import as_csr
from daglock.typing import BoolArray
from daglock_evaluation.benchmark.suites import SCALED
from daglock_evaluation.harness.case import Case, permuted, reaches
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each

REPLICATES = 100
# Columns beyond those of a table, as a share of these, that act on two or three of them.
HIDDEN = (0.0, 0.1, 0.3)


def hidden_causes(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Count directions called directed that are false, and links that are said to be none."""
    rows: list[tuple[str, ...]] = [
        (
            *("columns", "edges a column", "rows", "hidden", "directed", "false"),
            *("directed, looked for", "false", "reversed", "links explained", "of these direct"),
        )
    ]
    count, totals = seeds or 10, np.zeros((2, 7), dtype=np.intp)
    for case in _cases(sizes or [10, 20]):
        counts = each(partial(_one, case), 0, count, case.label).sum(axis=0)
        totals[int(case.hidden > 0)] += counts
        edges = f"{case.edges_per_node:g}{', hubs' if case.graph == 'hubs' else ''}"
        rows.append((str(case.d), edges, f"{case.n:,}", f"{case.hidden:.0%}", *map(str, counts)))
    for name, counts in zip(("none", "some"), totals, strict=True):
        rows.append(("all", "", "", name, *map(str, counts)))
    yield Table(f"Directions with causes that are not in the table, {count} graphs a row", rows)


def _cases(sizes: list[int]) -> Iterator[Case]:
    """Yield graphs whose edges are all alike, with hidden causes; and such with hubs, without."""
    for d in sizes:
        for degree, n in ((1, 1000), (2, 1000), (2, 5000)):
            for share in HIDDEN:
                yield Case(d, degree, n=n, hidden=share, **SCALED)
        yield Case(d, 2, graph="hubs", **SCALED)


def _one(case: Case, seed: int) -> tuple[int, ...]:
    """Return counts of claims without and with looking, and of links that are explained."""
    draw = permuted(case.draw(seed), seed)
    acts = reaches(draw.truth) if draw.acts is None else draw.acts
    model = DAGLock(random_state=0).fit(draw.X)
    drawn = model.bootstrap(REPLICATES, rng=0, progress=False)
    with patch.object(DAGLock, "_hidden_causes", lambda self: []):
        plain = model.assess(bootstrap=drawn)
    sure = model.assess(bootstrap=drawn)
    explained = (sure.hidden > 0) & sure.in_graph
    edges = as_csr(draw.truth).toarray() != 0
    direct = (edges | edges.T)[sure.source[explained], sure.target[explained]]
    return (
        *_claimed(plain, acts)[:2],
        *_claimed(sure, acts),
        int(explained.sum()),
        int(direct.sum()),
    )


def _claimed(sure: Confidence, acts: BoolArray) -> tuple[int, int, int]:
    """Return how many directions are called directed, are false, and are the wrong way round."""
    directed = (np.array(sure.claims.claims) == "directed") & sure.in_graph
    i, j = sure.source[directed], sure.target[directed]
    return int(directed.sum()), int((~acts[i, j]).sum()), int(acts[j, i].sum())
