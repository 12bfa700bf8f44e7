"""What was run, on what, with what, and whether that makes records that can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from daglock_evaluation.benchmark.runs import OURS, Record, case_key, finished, rows
from daglock_evaluation.benchmark.suites import suites
from daglock_evaluation.harness.numbers import plural
from daglock_evaluation.harness.store import grouped, key, versions_of
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods import label_of
from daglock_evaluation.methods import methods as all_methods

# What all methods share, and how it is written.
COMMON = {"python": "Python", "daglock": "daglock", "numpy": "NumPy", "scipy": "SciPy"}
OVER = {"time limit": "over the time limit", "memory limit": "over the memory limit"}

# Seeds from here on are for tuning.
TUNING = 10_000
# Processor seconds by the clock that one thread can have, with what a clock misses.
CORES, SLACK = 1.2, 0.05


def by_suite(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the records of each suite; the suites in their usual order, unknown ones last."""
    groups: dict[str, list[Record]] = grouped(records, itemgetter("suite"))
    return {name: groups[name] for name in dict.fromkeys([*suites(), *groups]) if name in groups}


def machines(records: Sequence[Record]) -> list[str]:
    """Return the machines in words, the one with the most runs first."""
    counts = Counter(_machine(record.get("machine", {})) for record in records)
    return [name for name, _ in counts.most_common()]


def _machine(machine: Mapping[str, Any]) -> str:
    """Describe a machine."""
    if not machine:
        return "unknown machine"
    memory = f", {machine['memory_gb']:g} GB" if machine.get("memory_gb") else ""
    cores = f", {plural(machine['cores'], 'core')}" if machine.get("cores") else ""
    return f"{machine['processor']}{cores}{memory}, {machine['system']}"


def versions_line(records: Sequence[Record]) -> str:
    """Return the versions of what all methods share, in one line."""
    found = {name: versions_of(records, package) for package, name in COMMON.items()}
    return ", ".join(f"{name} {numbers}" for name, numbers in found.items() if numbers)


def effort(records: Sequence[Record]) -> str:
    """Say how many cases, methods, seeds and runs a suite has, and its limits."""
    methods = {record["peer"] for record in records}
    drawn = {(case_key(record), record["seed"]) for record in records}
    seeds = Counter(case for case, _ in drawn)
    few, many = min(seeds.values()), max(seeds.values())
    per_case = plural(many, "seed") if few == many else f"{few} to {many} seeds"
    both = {(r["time_limit"], r["memory_limit"]) for r in records if r.get("time_limit")}
    limits = " or ".join(f"{seconds:g} s and {memory:g} GB" for seconds, memory in sorted(both))
    ends = Counter(record["status"] for record in records)
    ended = ends.pop("ok", 0)
    others = ", ".join(f"{number} {OVER.get(status, status)}" for status, number in
                       ends.most_common())  # fmt: skip
    return (
        f"{plural(len(seeds), 'case')}, {plural(len(methods), 'method')}, "
        f"{per_case} a case; limits of a run: {limits}. {ended} of "
        f"{plural(len(records), 'run')} came to an end{f' ({others})' if others else ''}."
        f"{_thin(records, seeds)}"
    )


def _thin(records: Sequence[Record], seeds: Mapping[str, int]) -> str:
    """Say how many cells, a method on a case, are empty or have fewer results than graphs."""
    found = rows(records)
    all_cells = len(seeds) * len({row.peer for row in found})
    thin = {
        "not tried": all_cells - len(found),
        "with results of some graphs only": sum(0 < row.n_ok < seeds[row.case] for row in found),
    }
    told = [f"{count} {what}" for what, count in thin.items() if count]
    return f" Of {all_cells} cells, a method on a case: {', '.join(told)}." if told else ""


def methods(records: Sequence[Record]) -> Table:
    """Return the table of the methods: what they are, and what they were given."""
    body = []
    for name, mine in grouped(records, itemgetter("peer")).items():
        known = all_methods().get(name)
        package = known.package if known and known.package else "daglock"
        body.append(
            [
                label_of(name),
                f"`{name}`",
                f"{package} {versions_of(mine, package) or '(no result)'}",
                "a DAG" if mine[0]["returns"] == "dag" else "a class",
                known.scaling if known else "",
                _options([r.get("options", {}) for r in mine if r["status"] == "ok"]),
            ]
        )
    head = ["method", "name", "package", "returns", "scaling of the columns", "options"]
    return Table("The methods", [head, *body])


def _options(given: Sequence[Mapping[str, Any]]) -> str:
    """Return the options with their values; of a tuned method there are several."""
    values: dict[str, dict[str, None]] = {}
    for options in given:
        for name, value in options.items():
            values.setdefault(name, {})[str(value)] = None
    return "; ".join(f"{name} = {' or '.join(found)}" for name, found in values.items())


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
    data = [((case_key(r), r["seed"]), r["data"]) for r in ended]
    seeds = [(f"{row.suite} {row.case}", tuple(sorted(row.runs))) for row in rows(records)]
    versions = [(r["peer"], key(r["made_with"])) for r in ended]
    machines = [(r["suite"], key(r.get("machine", {}))) for r in records]
    return [
        _one("All methods got the same data", data, "graph"),
        _one("All methods have the same seeds of a case", seeds, "case"),
        _each("No seed is one of those for tuning", [r["seed"] < TUNING for r in records]),
        _each("daglock's graph is acyclic", [r["is_dag"] for r in ours]),
        _each("daglock's graph is not cut afterwards", [r["n_raw"] == r["n_edges"] for r in ours]),
        _each("No run had more than one core", one_core),
        _one("All runs of a method have the same versions of all packages", versions, "method"),
        _one("One machine for a suite", machines, "suite"),
    ]


def _each(claim: str, holds: Sequence[bool]) -> Check:
    """Check something of each run."""
    return Check(claim, sum(not one for one in holds), len(holds), "run")


def _one(claim: str, items: Iterable[tuple[object, object]], what: str) -> Check:
    """Check that items with one key have one value."""
    groups = grouped(items, itemgetter(0)).values()
    return Check(claim, sum(len({*group}) > 1 for group in groups), len(groups), what)
