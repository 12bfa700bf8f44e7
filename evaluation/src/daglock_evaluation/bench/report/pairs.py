"""A method and daglock on the same data: the seeds on which both came to an end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, median, stdev
from typing import Literal

from daglock_evaluation.bench.records import Record, main_measure
from daglock_evaluation.bench.report.row import case_key

Certainty = Literal["clear", "within the noise of the seeds", "one seed", "one data set"]


@dataclass(frozen=True)
class Pair:
    """Two methods on a case.

    Attributes
    ----------
    suite, label : of the case.
    peer, reference : names.
    measure : "shd" or "cpdag_shd"; the latter also when one of the two returns a class.
    ours, theirs : its values on the seeds on which both have one.
    our_seconds, their_seconds : on the seeds on which both came to an end.
    our_memory, their_memory : megabytes beyond data and package, on these seeds.
    our_ends, their_ends : on how many seeds each came to an end.
    n_seeds : seeds of the case.
    one_data_set : the seeds only give another order of the columns.
    """

    suite: str
    label: str
    peer: str
    reference: str
    measure: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    our_seconds: tuple[float, ...]
    their_seconds: tuple[float, ...]
    our_memory: tuple[float, ...]
    their_memory: tuple[float, ...]
    our_ends: int
    their_ends: int
    n_seeds: int
    one_data_set: bool

    @property
    def compared(self) -> bool:
        """Whether there is a seed on which both have the measure."""
        return bool(self.ours)

    @property
    def our_mean(self) -> float:
        """Mean over the common seeds."""
        return float(mean(self.ours))

    @property
    def their_mean(self) -> float:
        """Mean over the common seeds."""
        return float(mean(self.theirs))

    @property
    def advantage(self) -> float:
        """How much smaller their distance is; 0 when they are equal, or cannot be compared."""
        gains = self._gains()
        return float(mean(gains)) if gains else 0.0

    @property
    def certainty(self) -> Certainty:
        """Whether the paired difference is beyond twice its standard error."""
        if self.one_data_set:
            return "one data set"
        gains = self._gains()
        if len(gains) < 2:
            return "one seed"
        error = stdev(gains) / sqrt(len(gains))
        return "clear" if abs(self.advantage) > 2.0 * error else "within the noise of the seeds"

    @property
    def our_time(self) -> float | None:
        """Median of the seconds on the common seeds."""
        return median(self.our_seconds) if self.our_seconds else None

    @property
    def their_time(self) -> float | None:
        """Median of the seconds on the common seeds."""
        return median(self.their_seconds) if self.their_seconds else None

    @property
    def faster(self) -> bool:
        """Whether they need less time."""
        ours, theirs = self.our_time, self.their_time
        return ours is not None and theirs is not None and theirs < ours

    @property
    def lighter(self) -> bool:
        """Whether they need less memory."""
        return bool(self.our_memory) and median(self.their_memory) < median(self.our_memory)

    def _gains(self) -> list[float]:
        return [ours - theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]


def by_case_and_peer(records: Iterable[Record]) -> list[dict[str, dict[int, Record]]]:
    """Return for each case the runs of each method by seed."""
    cases: dict[tuple[str, str], dict[str, dict[int, Record]]] = {}
    for record in records:
        case = cases.setdefault((record["suite"], case_key(record)), {})
        case.setdefault(record["peer"], {})[record["seed"]] = record
    return list(cases.values())


def pair(
    runs: dict[str, dict[int, Record]],
    peer: str,
    reference: str,
    *,
    seeds: Sequence[int] | None = None,
    measure: str | None = None,
) -> Pair:
    """Compare two methods of a case, on certain seeds and by a certain measure if these are given.

    Without them: on all common seeds, by the distance to the class if either returns one.
    """
    first = next(iter(runs[peer].values()))
    other = next(iter(runs[reference].values()))
    if measure is None:
        measure = max((main_measure(first), main_measure(other)), key="cpdag_shd".__eq__)
    theirs, ours = _ended(runs[peer]), _ended(runs[reference])
    both = [seed for seed in ours if seed in theirs and (seeds is None or seed in seeds)]
    measured = [
        seed
        for seed in both
        if ours[seed].get(measure) is not None and theirs[seed].get(measure) is not None
    ]
    return Pair(
        suite=first["suite"],
        label=first["label"],
        peer=peer,
        reference=reference,
        measure=measure,
        ours=tuple(float(ours[seed][measure]) for seed in measured),
        theirs=tuple(float(theirs[seed][measure]) for seed in measured),
        our_seconds=tuple(float(ours[seed]["seconds"]) for seed in both),
        their_seconds=tuple(float(theirs[seed]["seconds"]) for seed in both),
        our_memory=tuple(float(ours[seed]["extra_mb"]) for seed in both),
        their_memory=tuple(float(theirs[seed]["extra_mb"]) for seed in both),
        our_ends=len(ours),
        their_ends=len(theirs),
        n_seeds=len(runs[peer].keys() | runs[reference].keys()),
        one_data_set="sachs" in first["case"],
    )


def common_seeds(runs: dict[str, dict[int, Record]], names: Sequence[str]) -> list[int]:
    """Return the seeds on which all of these methods came to an end."""
    ended = [_ended(runs[name]) for name in names]
    return sorted(set.intersection(*(set(one) for one in ended)))


def _ended(runs: dict[int, Record]) -> dict[int, Record]:
    """Return the runs that came to an end."""
    return {seed: record for seed, record in runs.items() if record["status"] == "ok"}
