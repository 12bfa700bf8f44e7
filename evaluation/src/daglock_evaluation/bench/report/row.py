"""What the runs of a method on a case come to: means over the seeds, and what did not finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isinf, sqrt
from statistics import mean, median, stdev
from typing import Any

from daglock_evaluation.bench.records import Record, main_measure
from daglock_evaluation.publish import jsonl

# Messages of failures may be long.
MESSAGE = 100


@dataclass(frozen=True)
class Mean:
    """A mean over seeds with its standard error (None from one value) and the largest value."""

    value: float
    error: float | None
    most: float
    n: int


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    count: int
    of: int

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"


@dataclass(frozen=True)
class Row:
    """A method on a case.

    Attributes
    ----------
    suite, case, label, family, d, n, target : the case; `case` is the key of its settings.
    peer, returns : the method, and what it returns.
    n_ok, n_runs : runs that came to an end, and all.
    outcomes : in words, what became of the others; "" when there are none.
    short : the same in a cell, for a row without any result.
    shd, cpdag_shd, f1, n_edges, n_raw : means over the runs that have them. A method that returns
        a class has no SHD, a graph with a cycle no CPDAG-SHD.
    exact, is_dag, raw_is_dag : in how many runs.
    seconds, cpu_seconds : median, in which a run over the time limit counts as longer than all;
        infinite when that is the median.
    warm_up_seconds, peak_mb, extra_mb : medians.
    time_limit : seconds.
    """

    suite: str
    case: str
    label: str
    family: str
    d: int
    n: int
    target: str
    peer: str
    returns: str
    n_ok: int
    n_runs: int
    outcomes: str
    short: str
    shd: Mean | None
    cpdag_shd: Mean | None
    f1: Mean | None
    n_edges: Mean | None
    n_raw: Mean | None
    exact: Share | None
    is_dag: Share | None
    raw_is_dag: Share | None
    seconds: float | None
    cpu_seconds: float | None
    warm_up_seconds: float | None
    peak_mb: float | None
    extra_mb: float | None
    time_limit: float | None

    @property
    def measure(self) -> str:
        """The name of the main measure."""
        return main_measure({"target": self.target, "returns": self.returns})

    @property
    def main(self) -> Mean | None:
        """The main measure: the distance to what the data identify, as far as it is returned."""
        return self.cpdag_shd if self.measure == "cpdag_shd" else self.shd

    @property
    def finite_seconds(self) -> float | None:
        """The median of the seconds where it is below the limit."""
        return None if self.seconds is None or isinf(self.seconds) else self.seconds


def rows(records: Iterable[Record]) -> list[Row]:
    """Return a row for each case and method, in the order of the records."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        groups.setdefault((record["suite"], case_key(record), record["peer"]), []).append(record)
    return [_row(group) for group in groups.values()]


def case_key(record: Record) -> str:
    """Return what tells a case from others."""
    return jsonl.key(record["case"])


def by_case(found: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each case together."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        groups.setdefault((row.suite, row.case), []).append(row)
    return list(groups.values())


def mean_of(values: Sequence[float]) -> Mean | None:
    """Return the mean of some values.

    Examples
    --------
    >>> mean_of([1, 2, 3, 4])
    Mean(value=2.5, error=0.645..., most=4, n=4)
    """
    if not values:
        return None
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
    return Mean(float(mean(values)), error, max(values), len(values))


def _row(group: Sequence[Record]) -> Row:
    """Summarise the runs of one method on one case."""
    first = group[0]
    ok = [record for record in group if record["status"] == "ok"]
    over = [record for record in group if record["status"] == "time limit"]

    def values(name: str) -> list[Any]:
        return [record[name] for record in ok if record.get(name) is not None]

    def middle(name: str, more: Sequence[float] = ()) -> float | None:
        found = [*map(float, values(name)), *more]
        return median(found) if values(name) else None

    def share(name: str) -> Share | None:
        found = values(name)
        return Share(sum(map(bool, found)), len(found)) if found else None

    longer = [inf] * len(over)
    return Row(
        suite=first["suite"],
        case=case_key(first),
        label=first["label"],
        family=first["family"],
        d=first["d"],
        n=first["n"],
        target=first["target"],
        peer=first["peer"],
        returns=first["returns"],
        n_ok=len(ok),
        n_runs=len(group),
        outcomes=_outcomes(group),
        short=_short(group),
        shd=mean_of(values("shd")),
        cpdag_shd=mean_of(values("cpdag_shd")),
        f1=mean_of(values("f1")),
        n_edges=mean_of(values("n_edges")),
        n_raw=mean_of(values("n_raw")),
        exact=share("exact"),
        is_dag=share("is_dag"),
        raw_is_dag=share("raw_is_dag"),
        seconds=middle("seconds", longer),
        cpu_seconds=middle("cpu_seconds", longer),
        warm_up_seconds=middle("warm_up_seconds"),
        peak_mb=middle("peak_mb"),
        extra_mb=middle("extra_mb"),
        time_limit=max((r["time_limit"] for r in group if r.get("time_limit")), default=None),
    )


def _outcomes(group: Sequence[Record]) -> str:
    """Say what became of the runs that have no result."""
    unfinished = [record for record in group if record["status"] != "ok"]
    counts = Counter(map(_outcome, unfinished))
    n = len(group)
    return "; ".join(
        outcome if count == n else f"{count} of {n} {outcome}" for outcome, count in counts.items()
    )


def _outcome(record: Record) -> str:
    """Say what became of a run."""
    status, message = record["status"], str(record.get("message", "")).strip()
    if len(message) > MESSAGE:
        message = message[: MESSAGE - 1].rstrip() + "…"
    if status in ("time limit", "memory limit") and message:
        return message
    return f"{status}: {message}" if message else str(status)


def _short(group: Sequence[Record]) -> str:
    """Say in a word or two what became of the runs."""
    unfinished = [record for record in group if record["status"] != "ok"]
    if not unfinished:
        return ""
    statuses = Counter(record["status"] for record in unfinished)
    [(most, _)] = statuses.most_common(1)
    status = "time limit" if "time limit" in statuses else most  # the others were then not run
    last = next(record for record in unfinished if record["status"] == status)
    if status == "time limit" and last.get("time_limit"):
        return f"> {last['time_limit']:g} s"
    if status == "memory limit" and last.get("memory_limit"):
        return f"> {last['memory_limit']:g} GB"
    return str(status)
