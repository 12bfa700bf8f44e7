"""``docs/benchmarks.md``: what the records of all suites say, with its figures beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from daglock._files import replacing
from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import findings_tables, setting, words
from daglock_evaluation.bench.report.checks import check
from daglock_evaluation.bench.report.findings import find
from daglock_evaluation.bench.report.overview import overview
from daglock_evaluation.bench.report.plots import Drawing, draw
from daglock_evaluation.bench.report.protocol import PROTOCOL
from daglock_evaluation.bench.report.summary import rows
from daglock_evaluation.publish.page import svg
from daglock_evaluation.publish.tables import Table, anchor, escape, markdown_rows

TEXT, IMAGES = "benchmarks.md", Path("img") / "benchmarks"
INTRODUCTION = """\
Methods that learn a graph from a table, side by side on the same data, on one machine. This text is
written from the records of the runs, and no number in it by hand:

    daglock bench --suite equal          one suite, with a page in the folder of its records
    make bench                           the quick suite, in a quarter of an hour"""


def write_document(records: Sequence[Record], docs: str | Path) -> list[Path]:
    """Write the text and its figures into a folder of documents, and return what was written.

    Figures of an earlier text that this one does not show are removed.
    """
    docs = Path(docs)
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    drawings = {
        name: draw(mine, all_parts=False) for name, mine in setting.by_suite(records).items()
    }
    written = [
        _write(images / f"{drawing.name}.svg", svg(drawing.figure))
        for group in drawings.values()
        for drawing in group
    ]
    for stale in set(images.glob("*.svg")) - set(written):
        stale.unlink()
    return [_write(docs / TEXT, render(records, drawings)), *written]


def render(records: Sequence[Record], drawings: Mapping[str, Sequence[Drawing]]) -> str:
    """Return the text; `drawings` has the figures of each suite."""
    suites = setting.by_suite(records)
    found = find(records)
    parts = [
        "# daglock beside other packages",
        INTRODUCTION,
        _circumstances(records, suites),
        "## Where another package is better",
        escape(" ".join(found.summary())),
        _bullets(found.headlines()),
        *map(Table.to_markdown, findings_tables.tables(found)),
        "## How it was measured",
        _bullets(PROTOCOL),
        _methods(records),
    ]
    for name, mine in suites.items():
        parts += _suite(name, mine, drawings.get(name, ()))
    parts += ["## Checks of the records", _checks(records)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _circumstances(records: Sequence[Record], suites: Mapping[str, Sequence[Record]]) -> str:
    """Say what was run, on what machine, with which versions."""
    lines = [
        f"- **Machine.** {escape('; '.join(setting.machines(records)))}.",
        f"- **Versions.** {escape(setting.versions_line(records))}; those of the other packages "
        "are [below](#the-methods).",
        f"- **Date.** {setting.dates(records)}.",
    ]
    body = [
        [
            f"[{escape(words.title_of(name))}](#{anchor(words.title_of(name))})",
            f"`{name}`",
            escape(setting.effort(mine)),
        ]
        for name, mine in suites.items()
    ]
    table = markdown_rows([["suite", "name", "what was run"], *body])
    return "\n".join(lines) + f"\n\n{table}"


def _bullets(lines: Sequence[str]) -> str:
    """Return a list."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def _methods(records: Sequence[Record]) -> str:
    """Return the table of the methods under a heading of its own."""
    table = setting.methods(records)
    return f"### {table.title}\n\n" + markdown_rows(
        [[escape(cell).replace("\\`", "`") for cell in row] for row in table.rows]
    )


def _suite(name: str, records: Sequence[Record], drawings: Sequence[Drawing]) -> list[str]:
    """Return the section of a suite."""
    return [
        f"## {escape(words.title_of(name))}",
        f"Suite `{name}`: {escape(setting.effort(records))}",
        *map(_figure, drawings),
        *map(Table.to_markdown, overview(rows(records))),
    ]


def _figure(drawing: Drawing) -> str:
    """Return a figure with its caption."""
    address = (IMAGES / f"{drawing.name}.svg").as_posix()
    title = escape(drawing.title)
    return f"![{title}]({address})\n\n*{title}.* {escape(drawing.note)}"


def _checks(records: Sequence[Record]) -> str:
    """List the checks; what does not hold is in bold."""
    lines = [
        f"- {escape(str(one))}" if one.holds else f"- **{escape(str(one))}**"
        for one in check(records)
    ]
    return "\n".join(lines)


def _write(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path
