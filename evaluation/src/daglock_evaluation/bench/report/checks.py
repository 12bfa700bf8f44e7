"""Checks of the records: what must hold so that they can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from daglock_evaluation.bench.records import Record, finished
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.row import case_key
from daglock_evaluation.publish import jsonl

T = TypeVar("T")
# Seeds from here on are for tuning.
TUNING = 10_000
# Processor seconds by the clock that one thread can have, with what a clock misses.
CORES, SLACK = 1.2, 0.05
# From here on a run had to wait for other work on the machine.
WAITING = 1.5


@dataclass(frozen=True)
class Check:
    """Something that should hold for all records."""

    claim: str
    n_wrong: int
    n: int
    what: str

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it."""
        return self.n_wrong == 0

    def __str__(self) -> str:
        if not self.n:
            return f"{self.claim}: there is no record to check."
        if self.holds:
            return f"{self.claim}: holds ({words.plural(self.n, self.what)})."
        return (
            f"{self.claim}: does not hold in {self.n_wrong} of {words.plural(self.n, self.what)}."
        )


def check(records: Sequence[Record]) -> list[Check]:
    """Return all checks."""
    ended = finished(records)
    ours = [record for record in ended if record["peer"].startswith("daglock")]
    return [
        _one_value(
            "All methods got the same data",
            ended,
            lambda r: (case_key(r), r["seed"]),
            lambda r: r["data"],
            "graph",
        ),
        _one_value(
            "All methods have the same seeds of a case",
            _seeds(records),
            lambda pair: pair[0],
            lambda pair: pair[1],
            "case",
        ),
        _each("No seed is one of those for tuning", records, lambda r: r["seed"] < TUNING),
        _each("daglock's graph is acyclic", ours, lambda r: bool(r["is_dag"])),
        _each("daglock's graph is not cut afterwards", ours, lambda r: r["n_raw"] == r["n_edges"]),
        _each("No run had more than one core", ended, _one_core),
        _each("No run waited for the processor", ended, _did_not_wait),
        _one_value(
            "All runs of a method have the same versions of all packages",
            ended,
            lambda r: r["peer"],
            lambda r: jsonl.key(r["made_with"]),
            "method",
        ),
        _one_value(
            "One machine for a suite",
            records,
            lambda r: r["suite"],
            lambda r: jsonl.key(r.get("machine", {})),
            "suite",
        ),
    ]


def _one_core(record: Record) -> bool:
    return bool(record["cpu_seconds"] <= CORES * record["seconds"] + SLACK)


def _did_not_wait(record: Record) -> bool:
    return bool(record["seconds"] <= WAITING * record["cpu_seconds"] + SLACK)


def _seeds(records: Iterable[Record]) -> list[tuple[str, tuple[int, ...]]]:
    """Return for each case of a suite and each method its seeds."""
    found: dict[tuple[str, str, str], set[int]] = {}
    for record in records:
        name = (record["suite"], case_key(record), record["peer"])
        found.setdefault(name, set()).add(record["seed"])
    return [(f"{suite} {case}", tuple(sorted(s))) for (suite, case, _), s in found.items()]


def _each(claim: str, records: Sequence[Record], holds: Callable[[Record], bool]) -> Check:
    """Check something of each run."""
    wrong = sum(not holds(record) for record in records)
    return Check(claim, wrong, len(records), "run")


def _one_value(
    claim: str,
    items: Iterable[T],
    key: Callable[[T], object],
    value: Callable[[T], object],
    what: str,
) -> Check:
    """Check that items with one key have one value."""
    values: dict[object, set[object]] = {}
    for item in items:
        values.setdefault(key(item), set()).add(value(item))
    wrong = sum(len(found) > 1 for found in values.values())
    return Check(claim, wrong, len(values), what)
