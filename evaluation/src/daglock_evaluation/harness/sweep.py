"""Runs that are not recorded yet: a process for each method and case, a line for each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

from daglock_evaluation.harness import process
from daglock_evaluation.harness.process import reporting, run_job
from daglock_evaluation.harness.store import Line, Store, machine
from daglock_evaluation.methods import look_up

RECORDS = Path("benchmark/records")
FIELDS = ("case", "method", "seed")
# Where the module of a distribution is called otherwise.
MODULES = {"jpype1": "jpype", "graphical-model-learning": "graphical_model_learning"}


class Case(Protocol):
    """What tables are drawn from; cases of a family differ by their size."""

    @property
    def suite(self) -> str:
        """What it belongs to."""

    @property
    def label(self) -> str:
        """One line for a table."""

    @property
    def family(self) -> str:
        """What it shares with smaller and larger cases."""

    @property
    def most_seeds(self) -> int:
        """How many tables there are of it at most."""

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""


@dataclass(frozen=True)
class Method:
    """What is run; how, the worker knows.

    Attributes
    ----------
    name, label : in records; for people.
    suites : what it is for.
    run : from a table, whose columns are in random order, a seed and the options to a graph: of a
        DAG any non-zero [i, j] is i -> j, in a class 2, in both cells, is i - j.
    packages : distributions that must be installed.
    options : given to `run`, and recorded.
    returns : a DAG or a class.
    beside : where cost is measured, the method that runs by turns with it.
    about : what is done, where it is not the package's default.
    most_columns : of a table that it is given.
    """

    name: str
    label: str
    suites: Sequence[str]
    run: Callable[..., Any]
    packages: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    returns: Literal["dag", "class"] = "class"
    beside: str = ""
    about: str = ""
    most_columns: int | None = None

    @property
    def is_peer(self) -> bool:
        """Whether it is another package's."""
        return bool(self.packages)


def of_suite(methods: Sequence[Method], suite: str) -> dict[str, Method]:
    """Return the methods of a suite by their names."""
    return {method.name: method for method in methods if suite in method.suites}


def find(methods: Sequence[Method], suite: str, name: str) -> Method:
    """Return a method of a suite by its name."""
    return look_up(of_suite(methods, suite), name, "method", f" for {suite}")


@dataclass(frozen=True)
class Limits:
    """What a run may take, and when a slow method has run often enough.

    Attributes
    ----------
    run : seconds of one run; after one that takes longer no other seed, and no later case of the
        same family, is tried. After twice as many no further seed is, once `least` are done.
    """

    run: float = 60.0
    least: int = 3


def open_records(suite: str, folder: Path = RECORDS) -> Store:
    """Return the records in a file that is named after a suite."""
    return Store(folder / f"{suite}.jsonl", FIELDS, ("status", "label", "seconds"))


def make_runs(
    store: Store,
    worker: str,
    cases: Sequence[Case],
    methods: Sequence[Method],
    seeds: int,
    limits: Limits,
    show: Callable[[str], None] = lambda text: None,
    *,
    fresh: bool = False,
) -> None:
    """Run the methods on the cases, from where an earlier run stopped or all anew.

    The worker is a module that calls `serve`; of a family, small cases come first.
    """
    store.path.parent.mkdir(parents=True, exist_ok=True)
    for place, case in enumerate(cases):
        family = [one for one in cases[: place + 1] if one.family == case.family]
        for method in methods:
            if missing := missing_packages(method):
                show(f"{method.label}: not installed ({', '.join(missing)})")
                continue
            wanted: Sequence[int] = range(min(seeds, case.most_seeds))
            if not fresh:
                if _in_vain(store, family, method, limits):
                    continue
                wanted = [s for s in wanted if not _is_done(store, case, method, s, limits)]
            if wanted:
                show(f"{case.label}: {method.label}")
                _run_case(store, worker, case, method, wanted, limits)


def _run_case(
    store: Store, worker: str, case: Case, method: Method, seeds: Sequence[int], limits: Limits
) -> None:
    """Run a method on the seeds of a case until the time for it is over."""
    spent, done = 0.0, 0
    job = {"case": case.settings(), "method": method.name, "seeds": list(seeds)}
    runs = run_job(job, process.Limits(limits.run, by_clock=True), module=worker)
    with closing(runs):
        for seed, result in zip(seeds, runs, strict=False):
            store.add(
                {
                    **{"suite": case.suite, "case": case.settings(), "label": case.label},
                    **{"family": case.family, "method": method.name, "seed": seed},
                    **{"options": dict(method.options), "seconds": None, "message": "", **result},
                    **{"time_limit": limits.run, "machine": machine()},
                    "date": date.today().isoformat(),
                }
            )
            spent, done = spent + (result.get("seconds") or limits.run), done + 1
            if result["status"] != "ok" or (done >= limits.least and spent > 2.0 * limits.run):
                return


def missing_packages(method: Method) -> list[str]:
    """Return the packages of a method that are not installed."""
    return [name for name in method.packages if find_spec(MODULES.get(name, name)) is None]


def _is_done(store: Store, case: Case, method: Method, seed: int, limits: Limits) -> bool:
    """Whether the records have this run, and it was given as much time as now."""
    known = store.get({"case": case.settings(), "method": method.name, "seed": seed})
    return known is not None and (known["status"] != "time limit" or _was_slow(known, limits))


def _was_slow(record: Line, limits: Limits) -> bool:
    """Whether a run took longer than it would be given now."""
    return bool(record["status"] == "time limit" and record["time_limit"] >= limits.run)


def _in_vain(store: Store, family: Sequence[Case], method: Method, limits: Limits) -> bool:
    """Whether the method was too slow or failed on the last case, or too slow on one before it."""
    mine = [record for record in store.known.values() if record["method"] == method.name]
    labels = {case.label for case in family}
    here = [record for record in mine if record["label"] == family[-1].label]
    spent = sum(record["seconds"] or 0.0 for record in here)
    too_slow = any(_was_slow(record, limits) and record["label"] in labels for record in mine)
    failed = any(record["status"] == "failed" for record in here)
    return too_slow or failed or (len(here) >= limits.least and spent > 2.0 * limits.run)


def serve(
    job: Mapping[str, Any], warm_up: Callable[[], object], measure: Callable[[int], Line]
) -> int:
    """Be the worker: warm up, report the figures of each seed; what is printed goes nowhere."""
    say = reporting(job)
    warm_up()
    for seed in job["seeds"]:
        say(event="begin")
        say(event="result", **measure(seed))
    return 0


def recorded(folder: Path, suite: str) -> list[Line]:
    """Return the records of a suite."""
    return list(open_records(suite, folder).known.values())
