"""Run the cases of an experiment, in parallel, from where an earlier run stopped."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from daglock._progress import Bar
from daglock_evaluation.experiments import records
from daglock_evaluation.experiments.experiment import Case, Experiment, Record
from daglock_evaluation.experiments.registry import get
from daglock_evaluation.publish import jsonl


def run_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    quick: bool,
    n_jobs: int = 1,
    bar: Bar | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> list[Record]:
    """Run what is not yet recorded and return the records of all its cases.

    Parameters
    ----------
    experiment : Experiment
    folder : where ``<name>.jsonl`` is; quick and full runs share it.
    quick : the smaller set of cases.
    n_jobs : processes.
    bar : shows the cases done.
    keep_going : asked before a case is recorded: a solver that is interrupted returns what it has,
        which is not the result of its case.
    """
    from joblib import Parallel, delayed

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{experiment.name}.jsonl"
    cases = experiment.cases(quick)
    known = {jsonl.key(record.case) for record in records.read(path)}
    missing = [case for case in cases if jsonl.key(case) not in known]
    done = len(cases) - len(missing)
    if bar is not None:
        bar.step(experiment.name, done, len(cases))
    # As they come: a case that takes long holds up neither the others nor their records.
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=n_jobs)
    tasks = (delayed(_run)(experiment.name, case, os.getpid()) for case in missing)
    with _closing(parallel(tasks)) as found:
        for record in found:
            if not keep_going():
                break
            records.append(path, record)
            done += 1
            if bar is not None:
                bar.step(experiment.name, done, len(cases))
    return records.select(records.read(path), cases)


@contextmanager
def _closing(results: Any) -> Iterator[Iterator[Record]]:
    """End the workers when nobody wants more of what they do."""
    try:
        yield results
    finally:
        with warnings.catch_warnings():
            # That cases were left undone is what was asked for.
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _run(name: str, case: Case, parent: int) -> Record:
    """Run one case; in a worker, Ctrl-C is for the parent to deal with."""
    if os.getpid() != parent:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = get(name).run
    start = time.perf_counter()
    result = run(case)
    return Record(case, result, time.perf_counter() - start)
