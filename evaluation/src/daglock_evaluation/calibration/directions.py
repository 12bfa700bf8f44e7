"""docs/benchmarks-real.md and its figure, made from the records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from daglock_evaluation.calibration.contenders import CONTENDERS, OURS
from daglock_evaluation.calibration.ours import IDENTIFIED
from daglock_evaluation.calibration.standings import (
    HALF,
    MINE,
    ROLES,
    counts,
    gains,
    losses,
    main_table,
    pairs_table,
    probabilities,
    same_links,
    unfinished,
)
from daglock_evaluation.calibration.statements import CERTAIN, HINTS, Records, load
from daglock_evaluation.calibration.tables import declare, declared
from daglock_evaluation.harness.figures import COLOURS, legend, panels, save
from daglock_evaluation.harness.numbers import listed
from daglock_evaluation.harness.page import write as write_file
from daglock_evaluation.harness.tables import Table, bullets

FIGURE = "directions-real"
# Fewer directions than this are not drawn: their share means nothing.
FEWEST = 10
# Methods that give all links a direction are drawn so many percent apart.
APART = 2.5
FOLDER = "github.com/cmu-phil/example-causal-datasets"

HEAD = """\
# Benchmark: directions on real tables

Made by `python -m daglock_evaluation.calibration directions docs/benchmarks-real.md` from
`calibration/records/directions.jsonl`, one line for each method and table, and `tables.jsonl`.
`make bench-real` makes the runs that are not recorded. The linear benchmark is in
[benchmarks.md](benchmarks.md).

On real tables nobody knows the graph. Of some pairs of columns the order is beyond dispute: age is
no effect of blood pressure, an outcome no cause of the treatment that was drawn by lot before it.
Where a method links such a pair and gives the link a direction, that **states** something which can
be **wrong**. Tables are split as in [confidence.md](confidence.md): daglock was *developed on*
some, with figures here from coefficients that were fitted without the table in question; others are
*kept for judging*, with the exceptions that are told there. The other packages have seen neither.
"""

HOW = """\
## How to read it

- **links**: pairs whose order is known that the method links; **stated**: those with a direction;
  **coverage**: the share of these; **wrong**: those that contradict what is known. A method with
  more links says something of weaker ones, too: [below](#the-same-links) all are judged on the same
  links.
- **95 % by pairs** is Wilson's interval, as if pairs were independent, which those of one table are
  not. **95 % by tables** draws whole tables again: this is the one to go by. **Less daglock's
  hints** is the interval of the difference to "daglock, directed or leaning" in percentage points,
  tables drawn again for both: where it is above 0 the method is wrong more often. So many methods
  are compared that one or another such interval may miss by chance. And who says less can be wrong
  less often: the hints are on fewer links than most methods have directions on.
- "Right" means not contradicted. A link may be due to a common cause that nobody measured.
- **The same table for everybody**: text of two kinds is 0 and 1, words with an order beyond dispute
  are its numbers, other text columns are left out; so are the columns with most gaps, until 60 % of
  the rows are complete, and then the rows with gaps; of more than 20,000 rows so many are drawn.
  Columns are in one random order, because files tend to have causes first. What daglock does
  inside, such as taking a column of few values for a code, is its own.
- daglock is here as four rows: the equivalence class of its graph, as other searches return it;
  what turns only at a margin or is told by the shape of the noise; and its claims (`confidence_`),
  "directed" and "directed or leaning", which we call its hints. The class is of a run of its own,
  with the columns in the order that the others get.
- An undirected edge states nothing. In the graphs of FCI and GFCI only "-->" states a direction.
- A run has 60 seconds by the clock of a busy machine. Time is not compared here. FLOP cannot be
  seeded, and GRaSP does not heed its seed: another run of theirs has other directions on some
  tables, GRaSP's on about half of them, and its share of wrong ones moves by a few percent.
"""

PROBABILITIES = """\
Of the others only FLOP's replicates give a number that may be taken for a probability: the share of
the replicates that have a direction, half of those that leave it open included. GES, PC, BOSS,
GRaSP, XGES, FCI, GFCI, DirectLiNGAM, DAGMA and sorting give none. Calibration error and Brier score
are those of [confidence.md](confidence.md#for-a-statistician-how-the-probabilities-are-made). The
last two columns let each method speak of its surest links alone, as many of them as daglock's hints
are of its own.
"""

PAIRS = """\
Two columns each, of which one causes the other: 99 pairs of the collection, with its weights, so
that pairs of one source count as one. Searches and tests of independence say nothing of two
columns. daglock's probabilities are from coefficients that were fitted without the pair and its
source; regression error is RECI with a cubic. *Accuracy* is of what is stated.
"""

SACHS = """\
The nine experiments of Sachs et al., beside GIES, GnIES and UT-IGSP: [The Sachs
cells](benchmarks-regimes.md#the-sachs-cells) (`benchmark/records/regimes.jsonl`); GIES is nearer to
the published graph than daglock there. How daglock's claims fare on them, in eight views:
[confidence.md](confidence.md#tables-with-regimes). Without regimes, beside twenty methods:
[benchmarks.md](benchmarks.md#sachs-protein-signalling).
"""

AGAIN = """\
## Do it again

    pip install --group evaluation/pyproject.toml:tables --no-deps
    make .venv-bench/.installed .venv-bench-kinds/.installed
    python -m daglock_evaluation.calibration compare --python .venv-bench/bin/python \\
        --python .venv-bench-kinds/bin/python   # what is recorded is not run again
    python -m daglock_evaluation.calibration directions docs/benchmarks-real.md
    python -m daglock_evaluation.calibration sources         # where each table is from

`DAGLOCK_REAL_TABLES` names the folder of text files. daglock's own rows are from the evidence in
`calibration/records/*.csv.gz` ([confidence.md](confidence.md#do-it-again)).
"""


def write(path: Path, folder: Path) -> None:
    """Write the document and its figure."""
    records = load(folder)
    figure(records, path.parent / "img")
    write_file(path, text(records))


def text(records: Records) -> str:
    """Return the document."""
    return "\n".join(_parts(records))


def _parts(records: Records) -> Iterator[str]:
    """Yield the document part by part."""
    yield HEAD
    yield f"## Where others do better\n\n{bullets(losses(records))}\n"
    yield f"## What else it says\n\n{bullets(gains(records))}\n"
    yield f"![Share of wrong directions against coverage](img/{FIGURE}.svg)\n"
    yield (
        "*Each method is a point: the share of its links that it gives a direction, and the share "
        f"of these that is wrong, with the interval by tables. Methods with fewer than {FEWEST} "
        "directions are not drawn; those that give all links one, 100 %, are drawn side by side. A "
        "coin is on the grey line; right and low is good.*\n"
    )
    for role in ROLES:
        yield f"{main_table(records, role).to_markdown()}\n"
    yield HOW
    yield f"## The same links\n\n{same_links(records).to_markdown()}\n"
    yield f"## Probabilities\n\n{PROBABILITIES}\n{probabilities(records).to_markdown()}\n"
    yield f"## The Tübingen pairs\n\n{PAIRS}\n{pairs_table(records).to_markdown()}\n"
    yield f"## Sachs, with regimes\n\n{SACHS}"
    yield f"## How methods were run\n\n{_runs(records)}\n"
    yield f"## Where the tables are from\n\n{_where(records)}\n"
    yield AGAIN


def _runs(records: Records) -> str:
    """Say what was done, what did not come to an end, and with which versions."""
    about = [f"{one.label}: {one.about}." for one in CONTENDERS if one.about]
    left = ["NOTEARS and GOLEM: not run, to save time; DAGMA is of their kind."]
    used = [run["made_with"] for run in records.runs.values() if "made_with" in run]
    names = dict.fromkeys(name for one in CONTENDERS for name in one.packages)
    versions = [
        f"{name} {listed(sorted({made[name] for made in used if name in made}))}" for name in names
    ]
    days = sorted({run["date"] for run in records.runs.values() if "date" in run})
    when = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "never"
    lines = [*about, *unfinished(records), *left]
    made = f"Run {when} with {listed([word for word in versions if not word.endswith(' ')])}."
    return f"With their defaults, but for:\n\n{bullets(lines)}\n\n{made}"


def sources(records: Records) -> Table:
    """Return where each table is from, and what makes its order beyond dispute."""
    rows = [("table", "for", "from", "rows", "columns", "known pairs", "why")]
    for role, words in ROLES.items():
        for source, facts in declared(role).items():
            for file, fact in facts.items():
                table = declare(source, file, fact, role, Path())
                if table.name in records.tables:
                    line = records.tables[table.name]
                    size = (str(line["rows"]), str(len(line["columns"])))
                    place = f"{FOLDER}: {file}" if source == "folder" else f"{source}: {file}"
                    known = str(len(records.known[table.name]))
                    rows.append((table.name, words, place, *size, known, table.why))
    return Table("Tables", rows)


def _where(records: Records) -> str:
    """Return the list of the tables."""
    return (
        "No data are in the repository. The tables are inside packages of PyPI, whose files are "
        f"read without importing them, and in the folder of text files of {FOLDER}; the pairs are "
        f"inside the package cdt.\n\n{sources(records).to_markdown()}"
    )


def figure(records: Records, folder: Path) -> None:
    """Draw the share of wrong directions against coverage."""
    drawing, axes = panels(2, height=4.2)
    styles = _styles()
    for axis, (role, words) in zip(axes, ROLES.items(), strict=True):
        found = counts(records, role)
        whole = [one.method for one in found if one.coverage == 1.0]
        beside = {name: APART * k for k, name in enumerate(whole)}
        for one in found:
            if one.stated >= FEWEST:
                colour, marker = styles[one.method]
                low, high = one.by_tables
                axis.errorbar(
                    *(100 * one.coverage + beside.get(one.method, 0.0), 100 * one.share),
                    yerr=[[100 * (one.share - low)], [100 * (high - one.share)]],
                    fmt=marker,
                    color=COLOURS[colour],
                    markersize=9 if one.method in MINE else 5,
                    elinewidth=0.7,
                    label=one.label,
                )
        axis.axhline(100 * HALF, color=COLOURS["grey"], linewidth=0.8, zorder=0)
        axis.set(title=f"{words}: {len(records.names(role))} tables", xlim=(-4, 112), ylim=(0, 80))
        axis.set(xlabel="links with a direction (%)", ylabel="of these wrong (%)")
    legend(drawing, axes, "lower", 3)
    save(drawing, folder, FIGURE)


def _styles() -> dict[str, tuple[str, str]]:
    """Return a colour and a marker for each method: daglock's are black stars and diamonds."""
    mine = {OURS: "*", IDENTIFIED: "p", CERTAIN: "D", HINTS: "P"}
    styles = {name: ("black", marker) for name, marker in mine.items()}
    theirs = [one.name for one in CONTENDERS if one.name not in mine]
    colours = ("green", "sky", "blue", "vermilion", "orange", "purple")
    markers = ("o", "s", "^", "v")
    for k, name in enumerate(theirs):
        styles[name] = (colours[k % len(colours)], markers[k // len(colours)])
    return styles
