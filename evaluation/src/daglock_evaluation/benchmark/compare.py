"""Two runs of the same suite: whether daglock became worse.

By its distance to the truth, its score at a price that is given, its false arrows and how many it
states, its memory, and its time. A difference counts when the noise between the seeds does not
explain it: the mean over the seeds must lie beyond Student's quantile. Times are compared as ratios
to the other methods in the same run, never as seconds; they and memory must differ by a fifth at
the least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from daglock_evaluation.benchmark.runs import OURS, Record, case_key, main_measure

# One-sided level of each comparison, and the least change of a ratio that counts.
LEVEL, LEAST_RATIO = 0.01, 1.2
# Whose score, and whose arrows, are compared as well.
AT_A_PRICE, CLAIMS = ("daglock-2bic",), ("daglock-claims",)
# Not a yardstick for times: it does nothing.
NO_CLOCK = ("empty",)
Pairs = Sequence[tuple[Record, Record]]


@dataclass(frozen=True)
class Change:
    """What became of one method on one case.

    Attributes
    ----------
    what : "accuracy", "score", "false arrows", "arrows", "memory", "speed" or "runs".
    old, new : mean distance, score, number, megabytes, or time in units of the other methods.
    n : seeds, or pairs of case and seed.
    verdict : "worse", "better", "same", or "unknown" where there is too little to tell.
    """

    what: str
    peer: str
    label: str
    old: float
    new: float
    n: int
    verdict: str


def compare(old: Iterable[Record], new: Iterable[Record]) -> list[Change]:
    """Compare daglock in two sets of records, case by case and over all cases."""
    before = {_run(record): record for record in old}
    pairs = [(before[_run(record)], record) for record in new if _run(record) in before]
    ours = [(a, b) for a, b in pairs if b["peer"].startswith(OURS)]
    # Runs that used to come to an end and no longer do.
    changes = [
        Change("runs", b["peer"], b["label"], 1.0, 0.0, 1, "worse")
        for a, b in ours
        if a["status"] == "ok" and b["status"] != "ok"
    ]
    fine = [(a, b) for a, b in pairs if a["status"] == b["status"] == "ok"]
    clock = _clock(fine)
    groups: dict[str, dict[str, list[tuple[Record, Record]]]] = {}
    for a, b in fine:
        if b["peer"].startswith(OURS):
            groups.setdefault(b["peer"], {}).setdefault(b["label"], []).append((a, b))
    for peer, cases in groups.items():
        if len(cases) > 1:
            cases["all cases"] = [both for mine in cases.values() for both in mine]
        for label, mine in cases.items():
            changes += [
                *_values("accuracy", peer, label, [_both(main_measure(b), a, b) for a, b in mine]),
                *_values("memory", peer, label, _all("peak_mb", mine), relative=True),
            ]
            if peer in AT_A_PRICE:
                changes += _values("score", peer, label, _all("score", mine))
            if peer in CLAIMS:
                changes += _values("false arrows", peer, label, _all("n_false", mine))
                changes += _values(
                    "arrows", peer, label, _all("n_arrows", mine), less_is_worse=True
                )
            changes += _speed(peer, label, mine, clock)
    return changes


def _run(record: Record) -> tuple[str, str, int]:
    """Return what tells a run from others."""
    return case_key(record), record["peer"], record["seed"]


def _both(name: str, old: Record, new: Record) -> tuple[Any, Any]:
    """Return a figure of two records."""
    return old.get(name), new.get(name)


def _all(name: str, pairs: Pairs) -> list[tuple[Any, Any]]:
    """Return a figure of all pairs of records."""
    return [_both(name, a, b) for a, b in pairs]


def _values(
    what: str,
    peer: str,
    label: str,
    both: Sequence[tuple[Any, Any]],
    *,
    relative: bool = False,
    less_is_worse: bool = False,
) -> list[Change]:
    """Compare a figure seed by seed, by differences or by ratios."""
    known = [(float(a), float(b)) for a, b in both if a is not None and b is not None]
    if not known:
        return []
    old, new = (mean(side) for side in zip(*known, strict=True))
    sign = -1.0 if less_is_worse else 1.0
    steps = [sign * (math.log(b / a) if relative else b - a) for a, b in known]
    verdict = _verdict(steps, math.log(LEAST_RATIO) if relative else 0.0)
    return [Change(what, peer, label, old, new, len(known), verdict)]


def _speed(
    peer: str, label: str, pairs: Pairs, clock: dict[str, tuple[float, float]]
) -> list[Change]:
    """Compare the times in units of the other methods' on the same data."""
    units = [(a, b, clock[_data(b)]) for a, b in pairs if _data(b) in clock]
    times = [(_log_time(a) - then, _log_time(b) - now) for a, b, (then, now) in units]
    if not times:
        return []
    old, new = (math.exp(mean(side)) for side in zip(*times, strict=True))
    verdict = _verdict([b - a for a, b in times], math.log(LEAST_RATIO))
    return [Change("speed", peer, label, old, new, len(times), verdict)]


def _clock(pairs: Pairs) -> dict[str, tuple[float, float]]:
    """Return, for each data set, the mean log time of the other methods, then and now."""
    found: dict[str, list[tuple[float, float]]] = {}
    for a, b in pairs:
        if not b["peer"].startswith(OURS) and b["peer"] not in NO_CLOCK:
            found.setdefault(_data(b), []).append((_log_time(a), _log_time(b)))
    return {data: (mean(a for a, _ in t), mean(b for _, b in t)) for data, t in found.items()}


def _data(record: Record) -> str:
    """Return what tells the data of a run."""
    return f"{record['label']} {record['seed']}"


def _log_time(record: Record) -> float:
    """Return the logarithm of the seconds of one core, which other work on the machine spares."""
    return math.log(max(float(record["cpu_seconds"]), 1e-6))


def _verdict(differences: Sequence[float], least: float) -> str:
    """Decide whether differences, of which positive ones are bad, are more than noise.

    Examples
    --------
    >>> _verdict([0.0, 0.0, 0.0], 0.0), _verdict([1.0, 1.2, 0.9], 0.0), _verdict([1.0, -1.0], 0.0)
    ('same', 'worse', 'same')
    """
    if not any(differences):
        return "same"
    if len(differences) < 2:
        return "unknown"
    from scipy.stats import t

    centre, spread = mean(differences), stdev(differences) / math.sqrt(len(differences))
    margin = max(float(t.ppf(1.0 - LEVEL, len(differences) - 1)) * spread, least)
    if abs(centre) <= margin:
        return "same"
    return "worse" if centre > 0.0 else "better"
