"""docs/benchmarks-real.md and its figure, made from the records."""

from __future__ import annotations

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
from daglock_evaluation.harness.page import fill
from daglock_evaluation.harness.page import write as write_file
from daglock_evaluation.harness.store import dates, versions_of
from daglock_evaluation.harness.tables import Table, bullets

FIGURE = "directions-real"
# Fewer directions than this are not drawn: their share means nothing.
FEWEST = 10
# Methods that give all links a direction are drawn so many percent apart.
APART = 2.5
FOLDER = "github.com/cmu-phil/example-causal-datasets"


def write(path: Path, folder: Path) -> None:
    """Write the document and its figure."""
    records = load(folder)
    figure(records, path.parent / "img")
    write_file(path, text(records))


def text(records: Records) -> str:
    """Return the document."""
    tables = {
        **{f"of_{role}": main_table(records, role) for role in ROLES},
        "same_links": same_links(records),
        "probabilities": probabilities(records),
        "pairs": pairs_table(records),
        "sources": sources(records),
    }
    return fill(
        "benchmarks-real.md",
        **{name: table.to_markdown() for name, table in tables.items()},
        losses=bullets(losses(records)),
        gains=bullets(gains(records)),
        runs=_runs(records),
        fewest=str(FEWEST),
        folder=FOLDER,
    )


def _runs(records: Records) -> str:
    """Say what was done, what did not come to an end, and with which versions."""
    about = [f"{one.label}: {one.about}." for one in CONTENDERS if one.about]
    left = ["NOTEARS and GOLEM: not run, to save time; DAGMA is of their kind."]
    runs = records.runs.values()
    names = dict.fromkeys(name for one in CONTENDERS for name in one.packages)
    used = [f"{name} {numbers}" for name in names if (numbers := versions_of(runs, name))]
    lines = [*about, *unfinished(records), *left]
    made = f"Run {dates(runs) or 'never'} with {listed(used)}."
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
