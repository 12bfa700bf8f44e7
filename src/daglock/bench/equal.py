"""Equal variances: distance and time beside FLOP and DAGMA."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock.bench.cases import Case
from daglock.bench.peers import dagma, flop, ours
from daglock.bench.table import Table, progress
from daglock.metrics import compare
from daglock.typing import Array

CASES = [
    *(Case(d, 1) for d in (50, 100, 200, 500)),
    *(Case(d, 4, signs="positive") for d in (50, 100, 200)),
    *(Case(d, 4, weights=(0.5, 2.0)) for d in (50, 100, 200)),
]


def side_by_side(seeds: int, peer_seeds: int, peers: tuple[str, ...], cases: list[Case]) -> Table:
    """Mean SHD and seconds over the seeds; the peers run on the first ``peer_seeds`` of them.

    FLOP's time is what is compared: it aims at the equivalence class and is not told that the
    variances are equal, so its distance to the DAG is not shown.
    """
    table = Table(
        f"Equal variances, {seeds} seeds (peers: {peer_seeds})",
        ["case", "SHD mean", "SHD max", "seconds", *(f"{peer} s" for peer in peers), "ratios"],
    )
    for case in cases:
        ours.run(case.draw(seeds)[1], noise="equal")  # warm up
        distances, seconds = [], []
        others: dict[str, list[float]] = {peer: [] for peer in peers}
        for seed in progress(range(seeds), case.label):
            W, X = case.draw(seed)
            result, _ = ours.run(X, noise="equal", rng=seed)
            distances.append(distance(result.adjacency, W))
            seconds.append(result.seconds)
            if seed < peer_seeds:
                for peer in peers:
                    others[peer].append(run_peer(peer, X))
        mine = float(np.mean(seconds))
        means = [float(np.mean(others[peer])) if others[peer] else np.nan for peer in peers]
        table.add(
            case.label,
            f"{np.mean(distances):.2f}",
            str(max(distances)),
            f"{mine:.4f}",
            *(f"{mean:.2f}" for mean in means),
            " ".join(f"{mean / mine:.0f}x" for mean in means),
        )
    return table


def run_peer(peer: str, X: Array) -> float:
    """Seconds of a peer."""
    if peer == "dagma":
        return dagma.run(X).seconds
    return flop.run(X, int(peer.removeprefix("FLOP-"))).seconds


def distance(adjacency: NDArray[np.int8], W: Array) -> int:
    """SHD to the true DAG."""
    return compare(adjacency.astype(np.float64), W).shd
