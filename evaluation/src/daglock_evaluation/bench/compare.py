"""Two runs of the same suite: whether accuracy or relative speed became worse.

A difference counts when the noise between the seeds does not explain it: the mean over the seeds
must lie beyond Student's quantile. Times are compared as ratios to the other methods in the same
run, never as seconds, and must differ by a fifth at the least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from daglock_evaluation.bench import records
from daglock_evaluation.bench.records import Record

# One-sided level of each comparison, and the least change of a ratio that counts.
LEVEL, LEAST_RATIO = 0.01, 1.2
OURS = "daglock"
# Not a yardstick for times: it does nothing.
NO_CLOCK = ("empty",)


@dataclass(frozen=True)
class Change:
    """What became of one method on one case.

    Attributes
    ----------
    what : "accuracy" (difference of distances), "speed" (ratio of relative times) or "runs".
    peer, label : the method and the case.
    old, new : mean distance, or time in units of the other methods.
    n : seeds, or pairs of case and seed.
    change : new - old, or new / old.
    verdict : "worse", "better", "same", or "unknown" where there is too little to tell.
    """

    what: str
    peer: str
    label: str
    old: float
    new: float
    n: int
    change: float
    verdict: str


def compare(old: Iterable[Record], new: Iterable[Record]) -> list[Change]:
    """Compare daglock in two sets of records, case by case and over all cases."""
    before = {records.key(record): record for record in old}
    after = {records.key(record): record for record in new}
    common = [name for name in after if name in before]
    ours = [name for name in common if after[name]["peer"].startswith(OURS)]
    changes = _lost(before, after, ours)
    fine = {n for n in common if before[n]["status"] == after[n]["status"] == "ok"}
    ours = [name for name in ours if name in fine]
    clock = _clock(before, after, fine)
    for peer in dict.fromkeys(after[name]["peer"] for name in ours):
        mine = [name for name in ours if after[name]["peer"] == peer]
        groups: dict[str, list[str]] = {}
        for name in mine:
            groups.setdefault(after[name]["label"], []).append(name)
        if len(groups) > 1:
            groups["all cases"] = mine
        for label, names in groups.items():
            changes += _accuracy(before, after, peer, label, names)
            changes += _speed(before, after, peer, label, names, clock)
    return changes


def _lost(
    before: Mapping[str, Record], after: Mapping[str, Record], ours: Sequence[str]
) -> list[Change]:
    """Return the runs that used to come to an end and no longer do."""
    return [
        Change("runs", after[n]["peer"], after[n]["label"], 1.0, 0.0, 1, -1.0, "worse")
        for n in ours
        if before[n]["status"] == "ok" and after[n]["status"] != "ok"
    ]


def _accuracy(
    before: Mapping[str, Record],
    after: Mapping[str, Record],
    peer: str,
    label: str,
    names: Sequence[str],
) -> list[Change]:
    """Compare the distances to the truth, seed by seed."""
    field = {name: records.main_measure(after[name]) for name in names}
    pairs = [(before[name].get(field[name]), after[name].get(field[name])) for name in names]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if not known:
        return []
    old, new = (mean(side) for side in zip(*known, strict=True))
    verdict = _verdict([b - a for a, b in known], 0.0)
    return [Change("accuracy", peer, label, old, new, len(known), new - old, verdict)]


def _speed(
    before: Mapping[str, Record],
    after: Mapping[str, Record],
    peer: str,
    label: str,
    names: Sequence[str],
    clock: Mapping[str, tuple[float, float]],
) -> list[Change]:
    """Compare the times in units of the other methods' on the same data."""
    pairs = []
    for name in names:
        unit = clock.get(_data(after[name]))
        if unit is not None:
            then, now = unit
            pairs.append((_log_time(before[name]) - then, _log_time(after[name]) - now))
    if not pairs:
        return []
    old, new = (mean(side) for side in zip(*pairs, strict=True))
    verdict = _verdict([b - a for a, b in pairs], math.log(LEAST_RATIO))
    return [
        Change(
            "speed",
            peer,
            label,
            math.exp(old),
            math.exp(new),
            len(pairs),
            math.exp(new - old),
            verdict,
        )
    ]


def _clock(
    before: Mapping[str, Record], after: Mapping[str, Record], fine: Iterable[str]
) -> dict[str, tuple[float, float]]:
    """Return, for each data set, the mean log time of the other methods, then and now."""
    found: dict[str, list[tuple[float, float]]] = {}
    for name in fine:
        peer = after[name]["peer"]
        if not peer.startswith(OURS) and peer not in NO_CLOCK:
            pair = (_log_time(before[name]), _log_time(after[name]))
            found.setdefault(_data(after[name]), []).append(pair)
    return {
        data: (mean(a for a, _ in pairs), mean(b for _, b in pairs))
        for data, pairs in found.items()
    }


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
