"""Run the cases of an experiment, in parallel, from where an earlier run stopped."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from daglock._progress import Bar
from daglock_evaluation.experiments import records
from daglock_evaluation.experiments.experiment import Case, Experiment, Record
from daglock_evaluation.experiments.registry import get
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.runner import results


def run_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    quick: bool,
    n_jobs: int = 1,
    bar: Bar | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> list[Record]:
    """Run what is not yet recorded in ``folder/<name>.jsonl``; return the records of all cases.

    Quick and full runs share the file. `keep_going` is asked before a case is recorded: a solver
    that is interrupted returns what it has, which is not the result of its case.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{experiment.name}.jsonl"
    cases = experiment.cases(quick)
    known = records.read(path)
    missing = [case for case in cases if not records.select(known, [case])]
    bar = Bar(wanted=False) if bar is None else bar
    known_before = len(cases) - len(missing)
    bar.step(experiment.name, known_before, len(cases))
    make = partial(_run, experiment.name, os.getpid())
    with results(make, missing, n_jobs=n_jobs) as found:
        for done, record in enumerate(found, known_before + 1):
            if not keep_going():
                break
            records.append(path, record)
            bar.step(experiment.name, done, len(cases))
    return records.select(records.read(path), cases)


def _run(name: str, parent: int, case: Case) -> Record:
    """Run one case; in a worker, Ctrl-C is for the parent to deal with."""
    if os.getpid() != parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    result, seconds, _ = timed(partial(get(name).run, case))
    return Record(case, result, seconds)
