"""Checks of the records: what must hold so that they can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daglock_evaluation.benchmark.runs import OURS, Record, case_key, finished, rows
from daglock_evaluation.harness.numbers import plural
from daglock_evaluation.harness.store import key

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
        number = plural(self.n, self.what)
        if self.holds:
            return f"{self.claim}: holds ({number})."
        return f"{self.claim}: does not hold in {self.n_wrong} of {number}."


def check(records: Sequence[Record]) -> list[Check]:
    """Return all checks."""
    ended = finished(records)
    ours = [record for record in ended if record["peer"].startswith(OURS)]
    one_core = [r["cpu_seconds"] <= CORES * r["seconds"] + SLACK for r in ended]
    no_wait = [r["seconds"] <= WAITING * r["cpu_seconds"] + SLACK for r in ended]
    seeds = [(f"{row.suite} {row.case}", tuple(sorted(row.runs))) for row in rows(records)]
    versions = [(r["peer"], key(r["made_with"])) for r in ended]
    machines = [(r["suite"], key(r.get("machine", {}))) for r in records]
    return [
        _one_value(
            "All methods got the same data",
            [((case_key(r), r["seed"]), r["data"]) for r in ended],
            "graph",
        ),
        _one_value("All methods have the same seeds of a case", seeds, "case"),
        _each("No seed is one of those for tuning", [r["seed"] < TUNING for r in records]),
        _each("daglock's graph is acyclic", [r["is_dag"] for r in ours]),
        _each("daglock's graph is not cut afterwards", [r["n_raw"] == r["n_edges"] for r in ours]),
        _each("No run had more than one core", one_core),
        _each("No run waited for the processor", no_wait),
        _one_value(
            "All runs of a method have the same versions of all packages", versions, "method"
        ),
        _one_value("One machine for a suite", machines, "suite"),
    ]


def _each(claim: str, holds: Sequence[bool]) -> Check:
    """Check something of each run."""
    return Check(claim, sum(not one for one in holds), len(holds), "run")


def _one_value(claim: str, items: Iterable[tuple[object, object]], what: str) -> Check:
    """Check that items with one key have one value."""
    values: dict[object, set[object]] = {}
    for name, value in items:
        values.setdefault(name, set()).add(value)
    wrong = sum(len(found) > 1 for found in values.values())
    return Check(claim, wrong, len(values), what)
