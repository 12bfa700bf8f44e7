"""Run the cases of a suite with all methods, from where an earlier run stopped."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from daglock_evaluation.bench import records
from daglock_evaluation.bench.cases import AnyCase
from daglock_evaluation.bench.peer import Peer
from daglock_evaluation.bench.process import Limits, run_job
from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.suites import Suite
from daglock_evaluation.bench.tuning import Tuner
from daglock_evaluation.publish import jsonl

Show = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Task:
    """One run: a method on the data of a seed."""

    suite: str
    case: AnyCase
    peer: Peer
    seed: int

    def record(self) -> dict[str, Any]:
        """Return what is known of it before it is made."""
        return records.describe(self.suite, self.case, self.peer, self.seed)


@dataclass
class Runner:
    """Makes the runs of a suite and records them.

    Attributes
    ----------
    path : file of the records.
    limits : seconds and gigabytes of each run.
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
    show: Show = lambda done, total, label: None
    known: dict[str, Record] = field(init=False)
    lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    over: threading.Event = field(init=False, default_factory=threading.Event)
    tuner: Tuner = field(init=False)

    def __post_init__(self) -> None:
        self.known = records.read(self.path)
        self.tuner = Tuner(self.path.with_name(f"{self.path.stem}-tuning.jsonl"), self._run_once)

    def run(self, suite: Suite, peers: Sequence[Peer], seeds: int) -> list[Record]:
        """Make the runs that are not recorded and return the records of all.

        Seeds go round before cases, the small ones first: what was timed can be compared, and a
        method that is too slow for a small case is not tried on a larger one of its family.
        """
        tasks = list(plan(suite, peers, seeds))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        done = 0
        with ThreadPoolExecutor(self.n_jobs) as pool, self._ending_all():
            waiting: set[Future[None]] = set()
            for task in tasks:
                self.show(done, len(tasks), f"{task.peer.label} on {task.case.label}")
                if len(waiting) >= self.n_jobs:
                    ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    for one in ended:
                        one.result()
                if not self._going():
                    break
                done += 1
                if not self._is_done(task):
                    waiting.add(pool.submit(self._make, task))
            for one in waiting:
                one.result()
        self.show(done, len(tasks), "")
        wanted = [records.key(task.record()) for task in tasks]
        return [self.known[name] for name in wanted if name in self.known]

    @contextmanager
    def _ending_all(self) -> Iterator[None]:
        """End what is running when this is left by an exception, such as a signal makes."""
        try:
            yield
        except BaseException:
            self.over.set()
            raise

    def _going(self) -> bool:
        """Whether runs are wanted."""
        return self.keep_going() and not self.over.is_set()

    def _is_done(self, task: Task) -> bool:
        """Whether the records have this run."""
        known = self.known.get(records.key(task.record()))
        if known is None or (known["status"] == "not installed" and not self._python(task.peer)):
            return known is not None
        return records.is_final(known, self.limits.seconds, self.limits.gigabytes)

    def _python(self, peer: Peer) -> str | None:
        """Return the interpreter that runs a method."""
        return self.places.get(peer.package or "daglock")

    def _make(self, task: Task) -> None:
        """Make a run and record it."""
        result: dict[str, Any]
        if self._python(task.peer) is None:
            message = f"needs the package {task.peer.package}"
            result = {"status": "not installed", "message": message}
        elif task.peer.grid and not task.case.tunable:
            message = "there are no other data of this kind to tune it on"
            result = {"status": "not run", "message": message}
        elif reason := self._too_slow(task):
            result = {"status": "not run", "message": reason}
        else:
            options = self.tuner.options(task.peer, task.case) if task.peer.grid else {}
            if not self._going():
                return
            result = {
                "options": {**task.peer.options, **options},
                **self._run_once(task.case, task.peer, task.seed, options),
            }
        if result["status"] == "interrupted":
            return
        record = {
            **task.record(),
            **result,
            "time_limit": self.limits.seconds,
            "memory_limit": self.limits.gigabytes,
            "machine": records.machine(),
            "date": date.today().isoformat(),
        }
        with self.lock:
            jsonl.append(self.path, record)
            self.known[records.key(record)] = record

    def _run_once(
        self, case: AnyCase, peer: Peer, seed: int, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Run a method in a process of its own."""
        job = {"case": case.settings(), "peer": peer.name, "seed": seed, "options": {**options}}
        python = self._python(peer) or sys.executable
        return run_job(job, self.limits, python=python, keep_going=self._going)

    def _too_slow(self, task: Task) -> str:
        """Say why a run need not be tried: this or a smaller case of its kind went over a limit."""
        with self.lock:
            known = list(self.known.values())
        for record in known:
            if (
                record["status"] in ("time limit", "memory limit")
                and record["peer"] == task.peer.name
                and record["family"] == task.case.family
                and record["d"] <= task.case.d
                and record["n"] == task.case.n
                and record["time_limit"] >= self.limits.seconds
                and record["memory_limit"] >= self.limits.gigabytes
            ):
                return f"{record['message']} at d={record['d']}, n={record['n']}"
        return ""


def plan(suite: Suite, peers: Sequence[Peer], seeds: int) -> Iterator[Task]:
    """Return the runs of a suite in the order in which they are made."""
    for case in suite.cases:
        for seed in range(min(seeds, case.most_seeds)):
            for peer in peers:
                yield Task(suite.name, case, peer, seed)
