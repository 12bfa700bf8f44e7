"""Intervals of effects: how often they cover the truth, and how wide doubt about directions is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from daglock import DAGLock
from daglock.effects import Effect
from daglock.knowledge import Masks
from daglock.simulate import erdos_renyi, linear_sem, scale_free
from daglock.typing import Array
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

PAIRS = 6
ROWS = (200, 1000)
LEVEL = 0.9


def chain(seed: int) -> Array:
    """Return a chain of six nodes."""
    return np.diag(np.random.default_rng(seed).uniform(0.3, 1.0, size=5), 1)


GRAPHS: dict[str, Callable[[int], Array]] = {
    "chain, d = 6": chain,
    "ER1, d = 10": lambda seed: erdos_renyi(10, 10, weights=(0.3, 1.0), rng=seed),
    "ER2, d = 10": lambda seed: erdos_renyi(10, 20, weights=(0.3, 1.0), rng=seed),
    "SF2, d = 20": lambda seed: scale_free(20, 2, weights=(0.3, 1.0), rng=seed),
}


@dataclass(frozen=True)
class Case:
    """A table with the graph that it comes from, and some of its pairs, effects and others."""

    X: Array
    W: Array
    truth: Array
    pairs: Sequence[tuple[int, int]]

    @classmethod
    def draw(cls, kind: str, n: int, seed: int, *, some_without: bool = False) -> Case:
        """Draw a linear Gaussian table; every second pair is without an effect, if wanted."""
        W = GRAPHS[kind](seed)
        d = len(W)
        rng = np.random.default_rng([n, seed])
        X = linear_sem(W, n, noise_variances=rng.uniform(0.5, 2.0, size=d), rng=rng)
        reach = np.linalg.matrix_power(np.eye(d) + (W != 0), d) > 0
        truth = np.where(reach, np.linalg.inv(np.eye(d) - W), 0.0)
        there = rng.permutation(np.argwhere(reach & ~np.eye(d, dtype=np.bool_)))[:PAIRS]
        absent = rng.permutation(np.argwhere(~reach))[:PAIRS] if some_without else there[:0]
        pairs = [(int(i), int(j)) for i, j in np.concatenate([there, absent])]
        return cls(X, W, truth, pairs)

    def effects(self, *, known: bool) -> Iterator[tuple[Effect, float, DAGLock]]:
        """Yield what is said of each pair, with the truth, the graph known or learned."""
        masks = Masks(allowed=self.W != 0, required=self.W != 0) if known else None
        model = DAGLock("unequal", knowledge=masks, random_state=0).fit(self.X)
        for i, j in self.pairs:
            yield model.effect(i, j, level=LEVEL), float(self.truth[i, j]), model


def intervals(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Look at intervals with the graph given as knowledge, and with nothing known."""
    yield known_graph(seeds or 50)
    yield learned_graph(seeds or 50)


def known_graph(tables: int) -> Table:
    """Count how often intervals cover when the graph is given as knowledge."""
    rows = [["graph", "n", "intervals", "covered", "too low", "too high"]]
    total = []
    for kind, n in product(GRAPHS, ROWS):
        sides = []
        for seed in progress(range(tables), f"{kind}, n = {n}"):
            for effect, truth, _ in Case.draw(kind, n, seed).effects(known=True):
                sides.append((effect.low <= truth <= effect.high, effect.high < truth))
        total += sides
        rows.append([kind, f"{n}", *shares(sides)])
    rows.append(["all", "", *shares(total)])
    return Table(f"Graph known: {LEVEL:.0%} intervals that cover the true total effect", rows)


def shares(sides: Sequence[tuple[bool, bool]]) -> list[str]:
    """Count intervals; write the shares that cover, end below and begin above."""
    covered, below = np.array(sides).sum(axis=0).tolist()
    counts = (covered, below, len(sides) - covered - below)
    return [f"{len(sides)}", *(f"{count / len(sides):.1%}" for count in counts)]


def learned_graph(tables: int) -> Table:
    """Count how often intervals cover when nothing is known, and compare their widths."""
    rows = [["pair", "n", "intervals", "covered", "width", "× known graph", "hold 0", "P(zero)"]]
    groups = ("an effect", "no effect", "link, directed", "link, leaning", "link, open")
    for n in ROWS:
        told: dict[str, list[tuple[float, ...]]] = {group: [] for group in groups}
        for kind, seed in progress(list(product(GRAPHS, range(tables))), f"n = {n}"):
            case = Case.draw(kind, n, seed, some_without=True)
            scale = case.X.std(axis=0)
            both = zip(case.effects(known=False), case.effects(known=True), strict=True)
            for (i, j), ((effect, truth, model), (sure, *_)) in zip(case.pairs, both, strict=True):
                width, narrow = effect.high - effect.low, sure.high - sure.low
                cells = (
                    effect.low <= truth <= effect.high,
                    width * scale[i] / scale[j],
                    width / narrow if narrow > 0 else np.nan,
                    effect.low <= 0 <= effect.high,
                    effect.probability_zero,
                )
                told["an effect" if truth else "no effect"].append(cells)
                claim = claim_of(model, i, j)
                if claim is not None:
                    told[f"link, {claim}"].append(cells)
        for group in groups:
            values = np.array(told[group], dtype=np.float64)
            shown = _cells(values) if len(values) else ["—"] * 5
            rows.append([group, f"{n}", f"{len(values)}", *shown])
    return Table(
        f"Nothing known: {LEVEL:.0%} intervals; width in standard deviations, medians", rows
    )


def claim_of(model: DAGLock, i: int, j: int) -> str | None:
    """Return what is claimed of the edge i -> j of the graph; None where there is none."""
    dag = model.learned_.dag
    for edge, source, target in zip(model.claimed_edges(), dag.source, dag.target, strict=True):
        if (source, target) == (i, j):
            return edge.claim
    return None


def _cells(values: Array) -> list[str]:
    """Write a row of measurements."""
    covered, _, _, hold, zero = values.mean(axis=0)
    known = values[:, 2][np.isfinite(values[:, 2])]
    times = f"{np.median(known):.1f}" if len(known) else "—"
    return [f"{covered:.1%}", f"{np.median(values[:, 1]):.2f}", times, f"{hold:.0%}", f"{zero:.0%}"]
