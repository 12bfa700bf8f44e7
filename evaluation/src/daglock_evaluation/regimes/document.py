"""docs/benchmarks-regimes.md, made from the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from daglock_evaluation.harness.cells import made
from daglock_evaluation.harness.page import fill
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import recorded
from daglock_evaluation.harness.tables import bullets
from daglock_evaluation.regimes import RECORDS
from daglock_evaluation.regimes.cases import STRENGTH, SUITES
from daglock_evaluation.regimes.methods import METHODS, methods
from daglock_evaluation.regimes.tables import of_suite, summary, tables

ABOUT = {
    "perfect": """\
Erdős–Rényi graphs, weights ±[0.5, 1], Gaussian noise with variances in [0.5, 2], raw scale. 1000
observational rows, and for each variable 100 rows in which it is cut off from its causes and drawn
from N(2, 1). The class is then the graph itself. Five graphs for d = 200, else ten.""",
    "papers": """\
Ten variables, 10,000 rows in all: an experiment on each variable, and observational rows. Weights
±[0.25, 1], noise variances in [1, 2], targets drawn from N(2, 1). Figures that others published
for such data are of other draws and are not put beside these.""",
    "batches": """\
Five batches of 200 rows; each adds to every column a number of its own, as large as the column's
standard deviation on average. The same rows without these numbers are "nothing changed".""",
    "hidden": f"""\
1000 observational rows and 200 of an experiment on each variable, of which nobody says what it acts
on. Shift: the target's intercept changes by {STRENGTH["shift"] / 2:g} to {STRENGTH["shift"]:g}
standard deviations of its noise. Imperfect: the target's weights and noise variance change by
factors of exp(±{STRENGTH["imperfect"] / 2:g}) to exp(±{STRENGTH["imperfect"]:g}), its mean does
not.""",
    "sachs": """\
Nine experiments, 7466 cells. The 17 edges of the published network count as the truth, which nobody
knows; a seed is another order of the columns.""",
    "sachs-853": """\
The 853 cells of the first experiment alone, which leave every direction of the 17 edges open.""",
    "cost": """\
daglock with 20 experiments beside daglock on as many rows without any, and GIES beside daglock, by
turns in one process.""",
}


def text(folder: Path) -> str:
    """Return the document."""
    found = recorded(folder, RECORDS)
    parts = []
    for suite, title in SUITES.items():
        if of_suite(suite, found):
            parts.append(f"## {title}\n\n{ABOUT[suite]}\n")
            parts.append("\n\n".join(_suite(suite, found)) + "\n")
    if found:
        packages = [name for method in METHODS for name in method.packages]
        parts.append(f"{made(found, packages)}\n")
    return fill("benchmarks-regimes.md", suites="\n".join(parts).strip())


def _suite(suite: str, found: Sequence[Line]) -> Iterator[str]:
    """Yield what the records say of a suite."""
    if sentences := summary(suite, found):
        yield bullets(sentences)
    for table in tables(suite, found):
        yield table.to_markdown()
    failed = {
        f"{methods(suite)[one['method']].label}: {one['message']}"
        for one in of_suite(suite, found)
        if one["status"] == "failed"
    }
    if failed:
        yield "Failed runs said:\n\n" + bullets(sorted(failed))
