"""What was run, on what, with what: the circumstances of some records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from daglock_evaluation.bench.peers import peers
from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.row import case_key
from daglock_evaluation.bench.suites import suites
from daglock_evaluation.publish.tables import Table

COMMON = ("python", "daglock", "numpy", "scipy")


def by_suite(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the records of each suite; the suites in their usual order, unknown ones last."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["suite"], []).append(record)
    known = [name for name in suites() if name in groups]
    return {name: groups[name] for name in [*known, *(n for n in groups if n not in known)]}


def machines(records: Sequence[Record]) -> list[str]:
    """Return the machines in words, the one with the most runs first."""
    counts = Counter(_machine(record.get("machine", {})) for record in records)
    return [name for name, _ in counts.most_common()]


def dates(records: Sequence[Record]) -> str:
    """Return the day, or the first and the last."""
    days = sorted({record["date"] for record in records if record.get("date")})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def versions(records: Sequence[Record]) -> dict[str, list[str]]:
    """Return the versions of each package with which runs came to an end."""
    found: dict[str, dict[str, None]] = {name: {} for name in COMMON}
    for record in records:
        for name, version in record.get("made_with", {}).items():
            found.setdefault(name, {})[version] = None
    return {name: sorted(versions) for name, versions in found.items() if versions}


def versions_line(records: Sequence[Record]) -> str:
    """Return the versions of what all methods share, in one line."""
    found = versions(records)
    return ", ".join(f"{_name(n)} {' and '.join(found[n])}" for n in COMMON if n in found)


def effort(records: Sequence[Record]) -> str:
    """Say how many cases, methods, seeds and runs a suite has, and its limits."""
    cases = {case_key(record) for record in records}
    methods = {record["peer"] for record in records}
    drawn = {(case_key(record), record["seed"]) for record in records}
    seeds = Counter(case for case, _ in drawn).values()
    ended = sum(record["status"] == "ok" for record in records)
    few, many = min(seeds), max(seeds)
    per_case = words.plural(many, "seed") if few == many else f"{few} to {many} seeds"
    return (
        f"{words.plural(len(cases), 'case')}, {words.plural(len(methods), 'method')}, "
        f"{per_case} a case; limits of a run: {limits(records)}. {ended} of "
        f"{words.plural(len(records), 'run')} came to an end{_others(records)}."
    )


def limits(records: Sequence[Record]) -> str:
    """Return the limits of the runs."""
    both = {(r["time_limit"], r["memory_limit"]) for r in records if r.get("time_limit")}
    return " or ".join(f"{seconds:g} s and {memory:g} GB" for seconds, memory in sorted(both))


def methods(records: Sequence[Record]) -> Table:
    """Return the table of the methods: what they are, and what they were given."""
    body = []
    for name in dict.fromkeys(record["peer"] for record in records):
        mine = [record for record in records if record["peer"] == name]
        known = peers().get(name)
        package = known.package if known else None
        body.append(
            [
                words.label_of(name),
                f"`{name}`",
                _package(package, mine),
                "a DAG" if mine[0]["returns"] == "dag" else "a class",
                known.scaling if known else "",
                _options([r.get("options", {}) for r in mine if r["status"] == "ok"]),
            ]
        )
    head = ["method", "name", "package", "returns", "scaling of the columns", "options"]
    return Table("The methods", [head, *body])


def _others(records: Sequence[Record]) -> str:
    """Count the runs that did not come to an end."""
    counts = Counter(record["status"] for record in records if record["status"] != "ok")
    said = [f"{number} {_STATUS.get(status, status)}" for status, number in counts.most_common()]
    return f" ({', '.join(said)})" if said else ""


_STATUS = {"time limit": "over the time limit", "memory limit": "over the memory limit"}


def _machine(machine: Mapping[str, Any]) -> str:
    """Describe a machine."""
    if not machine:
        return "unknown machine"
    memory = f", {machine['memory_gb']:g} GB" if machine.get("memory_gb") else ""
    cores = f", {words.plural(machine['cores'], 'core')}" if machine.get("cores") else ""
    return f"{machine['processor']}{cores}{memory}, {machine['system']}"


def _name(package: str) -> str:
    return {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}.get(package, package)


def _package(package: str | None, mine: Sequence[Record]) -> str:
    """Return a package with its version, as far as it ran."""
    name = package or "daglock"
    found = versions(mine).get(name, [])
    return f"{name} {' and '.join(found)}" if found else f"{name} (no result)"


def _options(given: Sequence[Mapping[str, Any]]) -> str:
    """Return the options with their values; of a tuned method there are several."""
    values: dict[str, dict[str, None]] = {}
    for options in given:
        for name, value in options.items():
            values.setdefault(name, {})[str(value)] = None
    return "; ".join(f"{name} = {' or '.join(found)}" for name, found in values.items())
