"""A chapter of the report: an experiment with what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from daglock_evaluation.experiments import records
from daglock_evaluation.experiments.experiment import Experiment, Record, Verdict
from daglock_evaluation.experiments.registry import NAMES, get
from daglock_evaluation.harness.figures import look
from daglock_evaluation.harness.tables import Table, duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class State(Enum):
    """How much of an experiment is recorded."""

    FULL = "full run"
    QUICK = "quick run"
    PARTIAL = "unfinished run"
    MISSING = "not run"


@dataclass(frozen=True)
class Chapter:
    """An experiment with the records that it is shown with, of so many cases, and their versions.

    The records are of the full run, of the quick one, or as many of the full one as there are.
    """

    experiment: Experiment
    state: State
    records: Sequence[Record]
    n_cases: int
    made_with: Mapping[str, Sequence[str]]

    def tables(self) -> list[Table]:
        """Return the tables."""
        return list(self.experiment.tables(self.records)) if self.records else []

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts."""
        return list(self.experiment.verdicts(self.records)) if self.records else []

    def number(self, verdict: Verdict) -> str:
        """Return the number of a claim of this chapter among all."""
        return f"{self.experiment.name}.{verdict.number}"

    def figures(self) -> Mapping[str, Figure]:
        """Draw the figures."""
        if not self.records:
            return {}
        with look():
            return self.experiment.figures(self.records)

    def remark(self) -> str:
        """Say what the records are, and how to get more."""
        command = f"daglock reproduce {self.experiment.name}"
        n = len(self.records)
        return {
            State.FULL: f"Full run, {n} cases",
            State.QUICK: f"Quick run, {n} small cases; a full one may decide otherwise: {command}",
            State.PARTIAL: f"Unfinished run, {n} of {self.n_cases} cases; the rest may decide "
            f"otherwise: {command} goes on where it stopped",
            State.MISSING: f"Not run yet: {command}",
        }[self.state]

    def effort(self) -> str:
        """Say how long the records took to make, and on what."""
        known = [record.seconds for record in self.records if record.seconds is not None]
        total = f"{duration(sum(known))} of one core" if known else "time not recorded"
        if known and len(known) < len(self.records):
            total = f"{duration(sum(known))} of one core for {len(known)} of the cases"
        versions = [f"{name} {' and '.join(found)}" for name, found in self.made_with.items()]
        return "; ".join([total, *([", ".join(versions)] if versions else [])])


def load_chapters(folder: Path, names: Sequence[str] = NAMES) -> list[Chapter]:
    """Read what is recorded in ``folder/records``."""
    return [load_chapter(get(name), folder) for name in names]


def load_chapter(experiment: Experiment, folder: Path) -> Chapter:
    """Read what is recorded of an experiment, and decide what to show of it."""
    path = folder / "records" / f"{experiment.name}.jsonl"
    recorded = records.read(path)
    full, quick = experiment.cases(False), experiment.cases(True)
    of_full, of_quick = records.select(recorded, full), records.select(recorded, quick)
    if len(of_full) == len(full):
        state, shown, n = State.FULL, of_full, len(full)
    elif len(of_quick) == len(quick) and 2 * len(of_full) < len(full):
        state, shown, n = State.QUICK, of_quick, len(quick)
    elif of_full or of_quick:
        state, shown, n = State.PARTIAL, of_full or of_quick, len(full if of_full else quick)
    else:
        state, shown, n = State.MISSING, [], len(full)
    return Chapter(experiment, state, shown, n, records.made_with(path) if shown else {})
