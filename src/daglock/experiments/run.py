"""Run the cases of an experiment, in parallel, from where an earlier run stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from daglock._progress import Bar
from daglock.experiments import records
from daglock.experiments.experiment import Case, Experiment, Record
from daglock.experiments.registry import get


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
    keep_going : asked before every batch.
    """
    from joblib import Parallel, delayed

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{experiment.name}.jsonl"
    cases = experiment.cases(quick)
    known = {records.key(record.case) for record in records.read(path)}
    missing = [case for case in cases if records.key(case) not in known]
    done = len(cases) - len(missing)
    with Parallel(n_jobs=n_jobs) as parallel:
        for begin in range(0, len(missing), n_jobs):
            if not keep_going():
                break
            batch = missing[begin : begin + n_jobs]
            for record in parallel(delayed(_run)(experiment.name, case) for case in batch):
                records.append(path, record)
                done += 1
            if bar is not None:
                bar.step(experiment.name, done, len(cases))
    return records.select(records.read(path), cases)


def _run(name: str, case: Case) -> Record:
    """Run one case in a worker."""
    return Record(case, get(name).run(case))
