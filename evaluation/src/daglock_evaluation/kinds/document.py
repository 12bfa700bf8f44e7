"""docs/benchmarks-mixed.md, made from the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from daglock_evaluation.harness.cells import made
from daglock_evaluation.harness.page import fill
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import recorded
from daglock_evaluation.harness.tables import bullets
from daglock_evaluation.kinds.methods import methods
from daglock_evaluation.kinds.tables import TITLES, summary, tables

ABOUT = {
    "discrete": """\
Networks that ship with pgmpy (from the repository of bnlearn), rows drawn by our own sampler.
"Codes as numbers" is what becomes of categories that are taken for measurements; it is no peer.""",
    "mixed": """\
Random graphs. Conditional Gaussian: discrete nodes have discrete parents only, a continuous node a
mean for each configuration of these and a linear part. Thresholded: a linear Gaussian graph with
some columns cut into 2 to 5 levels, lettered at random.""",
}


def text(folder: Path) -> str:
    """Return the document."""
    parts = []
    for suite, title in TITLES.items():
        found = recorded(folder, suite)
        if found:
            parts.append(f"## {title}\n\n{ABOUT[suite]}\n")
            parts.append("\n\n".join(_suite(suite, found)) + "\n")
    return fill("benchmarks-mixed.md", suites="\n".join(parts).strip())


def _suite(suite: str, found: Sequence[Line]) -> Iterator[str]:
    """Yield what the records say of a suite."""
    yield bullets(summary(suite, found))
    for table in tables(suite, found):
        yield table.to_markdown()
    packages = [name for method in methods(suite).values() for name in method.packages]
    yield made(found, packages)
    missing = {record["message"] for record in found if record["status"] == "failed"}
    if missing:
        yield "Failed runs said:\n\n" + bullets(sorted(missing))
