"""Run the cases of a suite with all methods, from where an earlier run stopped."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import repeat
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from daglock_evaluation.benchmark.runs import Record, main_measure, open_records
from daglock_evaluation.benchmark.suites import Suite
from daglock_evaluation.harness.case import AnyCase
from daglock_evaluation.harness.process import Limits, run_job
from daglock_evaluation.harness.runner import results
from daglock_evaluation.harness.store import Store, machine
from daglock_evaluation.methods import Method

# Graphs to tune on: seeds that no benchmark uses, at most so many columns.
SEEDS, COLUMNS = (10_001, 10_002), 20
# A method that took so many times the limit of a run is run no more, once it has done so many.
PATIENCE, LEAST = 3.0, 5


class Task(NamedTuple):
    """Runs of a method on the data of some seeds, one after another in one process."""

    suite: str
    case: AnyCase
    method: Method
    seeds: Sequence[int]

    def record(self, seed: int) -> dict[str, Any]:
        """Return what is known of a run before it is made."""
        case, method = self.case, self.method
        return {
            "suite": self.suite,
            "case": case.settings(),
            "label": case.label,
            "family": case.family,
            "d": case.d,
            "n": case.n,
            "target": case.target,
            "peer": method.name,
            "returns": method.returns,
            "seed": seed,
        }


def plan(suite: Suite, methods: Sequence[Method], seeds: int) -> Iterator[Task]:
    """Return the runs of a suite in the order in which they are made.

    Methods take turns before cases, the small ones first: what was timed can be compared, and a
    method that is too slow for a small case is not tried on a larger one of its family.
    """
    for case in suite.cases:
        for method in methods:
            yield Task(suite.name, case, method, range(min(seeds, case.most_seeds)))


@dataclass
class Runner:
    """Makes the runs of a suite and records them.

    Attributes
    ----------
    path : file of the records; beside it are the runs that decided the options of tuned methods.
    limits : seconds of the processor and gigabytes of each run.
    places : interpreter of each package that is installed.
    n_jobs : runs at the same time.
    keep_going : asked all the time; what has not ended when it says no is not recorded.
    show : told how many runs are done, of how many, and which one began.
    """

    path: Path
    limits: Limits
    places: Mapping[str, str]
    n_jobs: int = 1
    keep_going: Callable[[], bool] = lambda: True
    show: Callable[[int, int, str], None] = lambda done, total, label: None
    store: Store = field(init=False)
    tuning: Store = field(init=False)

    def __post_init__(self) -> None:
        self.store = open_records(self.path)
        beside = self.path.with_name(f"{self.path.stem}-tuning.jsonl")
        self.tuning = Store(beside, ("case", "peer", "seed", "options"))
        self._lock, self._tuning_lock = threading.Lock(), threading.Lock()
        self._over, self._at_work = threading.Event(), threading.Semaphore(self.n_jobs)

    def run(self, suite: Suite, methods: Sequence[Method], seeds: int) -> list[Record]:
        """Make the runs that are not recorded and return the records of all."""
        tasks = list(plan(suite, methods, seeds))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        wanted = self._wanted(tasks)
        with self._ending_all(), results(self._make, wanted, n_jobs=self.n_jobs, threads=True) as r:
            for _ in r:
                pass
        known = [self.store.get(task.record(seed)) for task in tasks for seed in task.seeds]
        return [record for record in known if record is not None]

    def _wanted(self, tasks: Sequence[Task]) -> Iterator[Task]:
        """Give the runs that are to be made, as long as any are wanted."""
        for done, task in enumerate(tasks):
            self.show(done, len(tasks), f"{task.method.label} on {task.case.label}")
            if not self._going():
                return
            left = [seed for seed in task.seeds if not self._is_done(task, seed)]
            if left:
                yield task._replace(seeds=left)
        self.show(len(tasks), len(tasks), "")

    @contextmanager
    def _ending_all(self) -> Iterator[None]:
        """End what is running, and wait for its end, when an exception, as of a signal, comes."""
        try:
            yield
        except BaseException:
            self._over.set()
            for _ in range(self.n_jobs):
                self._at_work.acquire()
            raise

    def _going(self) -> bool:
        """Whether runs are wanted."""
        return self.keep_going() and not self._over.is_set()

    def _is_done(self, task: Task, seed: int) -> bool:
        """Whether the records have this run, and another could not come to anything else."""
        known = self.store.get(task.record(seed))
        if known is None:
            return False
        if known["status"] == "not installed":
            return self._python(task.method) is None
        return known["status"] in ("ok", "failed") or self._was_given_as_much(known)

    def _was_given_as_much(self, record: Record) -> bool:
        """Whether the limits of a run were not below those of now."""
        seconds, gigabytes = record.get("time_limit", 0.0), record.get("memory_limit", 0.0)
        return bool(seconds >= self.limits.seconds and gigabytes >= self.limits.gigabytes)

    def _python(self, method: Method) -> str | None:
        """Return the interpreter that runs a method."""
        return self.places.get(method.package or "daglock")

    def _make(self, task: Task) -> None:
        """Make runs and record them."""
        with self._at_work, closing(self._results(task)) as found:
            for seed, result in zip(task.seeds, found, strict=False):
                if result["status"] == "interrupted":
                    return
                record = {
                    **task.record(seed),
                    **result,
                    "time_limit": self.limits.seconds,
                    "memory_limit": self.limits.gigabytes,
                    "machine": machine(),
                    "date": date.today().isoformat(),
                }
                with self._lock:
                    self.store.add(record)

    def _results(self, task: Task) -> Generator[dict[str, Any]]:
        """Give what becomes of each run.

        A method that is too slow, or has taken `PATIENCE` times the limit for what it did, is not
        run on further seeds.
        """
        method, reason = task.method, self._in_vain(task)
        if self._python(method) is None:
            reason = f"needs the package {method.package}"
        tune = method.grid and not reason
        options: Mapping[str, Any] = self.tuned(method, task.case) if tune else {}
        given, spent, done = {**method.options, **options}, 0.0, 0
        if not reason and self._going():
            for made in self.run_once(task, options):
                yield {"options": given, **made}
                done += 1
                if made["status"] in ("time limit", "memory limit"):
                    reason = f"{made['message']} at d={task.case.d}, n={task.case.n}"
                    break
                spent += made.get("cpu_seconds", 0.0) * made.get("repeats", 1)
                if done >= LEAST and spent > PATIENCE * self.limits.seconds:
                    reason = f"the first {done} took {spent:.0f} s"
                    break
        if reason:
            status = "not run" if self._python(method) else "not installed"
            yield from repeat({"status": status, "message": reason}, len(task.seeds) - done)
        elif done < len(task.seeds):  # what failed may do so on one seed only
            yield from self._results(task._replace(seeds=task.seeds[done:])) if done else ()

    def run_once(self, task: Task, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Run a method on its seeds in a process of its own."""
        of = {"case": task.case.settings(), "peer": task.method.name, "seeds": [*task.seeds]}
        python = self._python(task.method) or sys.executable
        job = {**of, "options": dict(options)}
        return run_job(job, self.limits, python=python, keep_going=self._going)

    def _in_vain(self, task: Task) -> str:
        """Say why a run need not be tried, as when a smaller case of its kind went over a limit."""
        if task.method.grid and not task.case.tunable:
            return "there are no other data of this kind to tune it on"
        with self._lock:
            known = list(self.store.known.values())
        for record in known:
            if (
                record["status"] in ("time limit", "memory limit")
                and record["peer"] == task.method.name
                and record["family"] == task.case.family
                and record["d"] <= task.case.d
                and record["n"] == task.case.n
                and self._was_given_as_much(record)
            ):
                return f"{record['message']} at d={record['d']}, n={record['n']}"
        return ""

    def tuned(self, method: Method, case: AnyCase) -> Mapping[str, Any]:
        """Return the options with the smallest mean distance on graphs of the same kind, apart.

        The first of equals, and found once.
        """
        small = replace(case, d=min(case.d, COLUMNS))
        with self._tuning_lock:
            distances = [self._distance(method, small, candidate) for candidate in method.grid]
        return method.grid[min(range(len(method.grid)), key=distances.__getitem__)]

    def _distance(self, method: Method, case: AnyCase, candidate: Mapping[str, Any]) -> float:
        """Return the mean distance to the truth under some options."""
        found = []
        for seed in SEEDS:
            task = Task("tuning", case, method, [seed])
            line = {**task.record(seed), "options": dict(candidate)}
            known = self.tuning.get(line)
            if known is None:
                known = {**line, **next(self.run_once(task, candidate))}
                if known["status"] == "interrupted":
                    return float("inf")
                self.tuning.add(known)
            # A result with a cycle has no class: it counts as worse than any that has one.
            distance = known.get(main_measure(known))
            found.append(float("inf") if distance is None else float(distance))
        return mean(found)
