"""Options of a tuned method: those that were best on graphs of the same kind, apart."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from daglock_evaluation.bench import records
from daglock_evaluation.bench.cases import AnyCase
from daglock_evaluation.bench.peer import Peer
from daglock_evaluation.publish import jsonl

# Graphs to tune on: seeds that no benchmark uses, at most so many columns.
SEEDS, COLUMNS = (10_001, 10_002), 20

RunOnce = Callable[[AnyCase, Peer, int, Mapping[str, Any]], dict[str, Any]]


class Tuner:
    """Finds the options of a method for a kind of case, once.

    Parameters
    ----------
    path : file of the runs that decided, so that they need not be made again.
    run_once : makes one run.
    """

    def __init__(self, path: Path, run_once: RunOnce) -> None:
        self.path = path
        self.run_once = run_once
        self.lock = threading.Lock()
        self.known: dict[str, dict[str, Any]] = {_key(line): line for line in jsonl.read(path)}

    def options(self, peer: Peer, case: AnyCase) -> Mapping[str, Any]:
        """Return the candidate with the smallest mean distance; the first of equals."""
        small = case.smaller(COLUMNS)
        with self.lock:
            distances = [self._distance(peer, small, candidate) for candidate in peer.grid]
        best = min(range(len(peer.grid)), key=distances.__getitem__)
        return peer.grid[best]

    def _distance(self, peer: Peer, case: AnyCase, candidate: Mapping[str, Any]) -> float:
        """Return the mean distance to the truth under some options."""
        found = []
        for seed in SEEDS:
            line: dict[str, Any] = {
                **records.describe("tuning", case, peer, seed),
                "options": dict(candidate),
            }
            known = self.known.get(_key(line))
            if known is None:
                known = {**line, **self.run_once(case, peer, seed, candidate)}
                if known["status"] == "interrupted":
                    return float("inf")
                jsonl.append(self.path, known)
                self.known[_key(known)] = known
            # A result with a cycle has no class: it counts as worse than any that has one.
            distance = known.get(records.main_measure(known))
            found.append(float("inf") if distance is None else float(distance))
        return mean(found)


def _key(line: Mapping[str, Any]) -> str:
    """Return what tells a run from others."""
    return jsonl.key({name: line[name] for name in ("case", "peer", "seed", "options")})
