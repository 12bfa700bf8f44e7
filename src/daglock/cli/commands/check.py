"""``daglock check``: what a table can tell, before anything is learned."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.command import Command, Exit, OutputError
from daglock.cli.interrupts import load_first
from daglock.cli.options import add_data, read_data, show_table
from daglock.cli.parts import open_data, read_parts
from daglock.cli.regimes import add_regime, refuse_contradictions
from daglock.cli.results import name_of
from daglock.cli.terminal import Terminal, clean, shorten
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.diagnostics.checking import Check, ColumnSummary
    from daglock.table import Table

_MARKS = {"good": "✓", "note": "•", "warning": "!"}
# Beyond so many columns only those with something to say have a line, so many at most.
MOST_COLUMNS = 40
_HEAD = ("column", "kind", "gaps", "values", "range", "skew", "far", "suspicion")
_RIGHT = (False, False, True, True, True, True, True, False)
_NARROWEST, _WIDEST = 8, 24
# A skewness beyond this is worth a line.
_SKEWED = 3.0


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    add_regime(parser)
    parser.add_argument(
        "--write",
        metavar="FILE.yaml",
        type=Path,
        help="write what the columns are, to edit and to give to --columns",
    )
    parser.add_argument("--force", action="store_true", help="replace the file of --write")
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")


def run(options: Namespace) -> int:
    """Read, look, print."""
    load_first("daglock.diagnostics.checking")
    from daglock.diagnostics.checking import check_table

    _require_free(options)
    refuse_contradictions(options)
    terminal = Terminal(quiet=options.json)
    source, file = open_data(options)
    parts = read_parts(options, source, progress=None, missing="model", scores="raw")
    if file is not None:
        table = read_data(options, file, progress=None)
    else:
        assert parts is not None
        assert parts.stream is not None
        some = f"What follows is about these {plural(len(parts.table.data), 'row')}."
        table = replace(parts.table, notes=(*parts.table.notes, f"{parts.stream.about()} {some}"))
    _write(options, table)
    check = check_table(table)
    if options.json:
        document = make_document(options.data, table, check)
        print(json.dumps(document, allow_nan=False), flush=True)
    show_table(terminal, options.data, table)
    show_columns(terminal, check.columns)
    show_findings(terminal, check)
    terminal.line()
    terminal.line("What learn would do")
    for sentence in check.plan:
        terminal.say(sentence, mark=" ")
    if options.write is not None:
        terminal.line()
        terminal.line(f"What the columns are: {options.write} (edit it, and give it to --columns)")
    return Exit.DATA if check.problems else Exit.DONE


def make_document(data: str, table: Table, check: Check) -> dict[str, Any]:
    """Return all of it as JSON can hold it."""
    diagnosis = None if check.diagnosis is None else asdict(check.diagnosis)
    if diagnosis is not None:
        del diagnosis["stability"]  # of the paper's method, not of the table
    return {
        "format": "daglock check",
        "version": 2,
        "file": data,
        "rows": len(table.data),
        "columns": list(table.labels),
        "kinds": {
            name: found.kind.value for name, found in zip(table.labels, table.kinds, strict=True)
        },
        "notes": list(table.notes),
        "usable": not check.problems,
        "about_columns": [asdict(column) for column in check.columns],
        "left_out": dict(table.left_out),
        "findings": [asdict(finding) for finding in check.findings],
        "not_found": list(check.not_found),
        "learn": list(check.plan),
        "scores": check.scores,
        "table": diagnosis,
    }


def show_columns(terminal: Terminal, columns: tuple[ColumnSummary, ...]) -> None:
    """Print a line a column; of many only those with something to say."""
    shown = columns
    if len(columns) > MOST_COLUMNS:
        notable = [column for column in columns if _is_notable(column)]
        worst = sorted(notable, key=lambda column: not column.serious)[:MOST_COLUMNS]
        shown = tuple(column for column in columns if column in worst)
    rows = [_cells(column) for column in shown]
    widths = [max(map(len, cells)) for cells in zip(_HEAD, *rows, strict=True)]
    room = terminal.width - sum(widths[1:]) - 2 * len(widths)
    most = max(_NARROWEST, min(_WIDEST, room))
    if rows:
        terminal.line()
        named = [(shorten(cells[0], most), *cells[1:]) for cells in rows]
        terminal.table([_HEAD, *named], _RIGHT)
    if len(shown) < len(columns):
        terminal.line()
        rest = plural(len(columns) - len(shown), "other column")
        why = "more are in --json" if len(shown) == MOST_COLUMNS else "nothing to say of them"
        terminal.say(f"{rest}: {why}.", mark=" ")


def _is_notable(column: ColumnSummary) -> bool:
    """Whether there is something to say of a column."""
    skewed = column.skewness is not None and abs(column.skewness) > _SKEWED
    return bool(column.suspicions or column.missing or skewed)


def _cells(column: ColumnSummary) -> tuple[str, ...]:
    """Return the line of a column."""
    if column.low is not None and column.high is not None:
        reach = f"{_brief(column.low)} … {_brief(column.high)}"
    else:
        reach = shorten(", ".join(map(clean, column.levels or ())), 16)
    return (
        clean(column.name),
        column.kind,
        _share(column.missing),
        f"{column.distinct:,}",
        reach,
        "" if column.skewness is None else f"{column.skewness:.1f}",
        f"{column.outliers:,}" if column.outliers else "",
        column.suspicions[0] if column.suspicions else "",
    )


def _share(missing: float) -> str:
    """Return a share of rows in little room."""
    if not missing:
        return ""
    return "<1%" if missing < 0.01 else f"{missing:.0%}"


def _brief(value: float) -> str:
    """Write a number in little room: whole ones as they are, others with three digits."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"


def show_findings(terminal: Terminal, check: Check) -> None:
    """Print the findings, the worst first, each with its way out."""
    for finding in check.findings:
        terminal.line()
        terminal.say(finding.title, mark=_MARKS[finding.level])
        terminal.say(finding.text, mark=" ")
        if finding.fix:
            terminal.say(finding.fix, mark="  →")
    if check.not_found:
        terminal.line()
        terminal.say(f"Looked for and not found: {', '.join(check.not_found)}.", mark="✓")
    terminal.line()
    terminal.line("! think before you trust the graph   • good to know   ✓ nothing to do")


def _require_free(options: Namespace) -> None:
    """Raise unless the file of kinds can be written."""
    from daglock.table.given import ENDINGS

    path = options.write
    if path is None:
        return
    if path.suffix.lower() not in ENDINGS:
        raise OutputError(
            f"{str(path)!r} must end in one of {', '.join(ENDINGS)}, as --columns asks for."
        )
    if path.exists() and not options.force:
        raise OutputError(f"{str(path)!r} exists: replace it with --force, or choose another name.")
    if not path.parent.is_dir():
        raise OutputError(f"There is no folder {str(path.parent)!r}: make it, or choose another.")


def _write(options: Namespace, table: Table) -> None:
    """Write what the columns are, if that is asked for."""
    from daglock.table.given import write_kinds

    if options.write is not None:
        title = "DATA" if options.data == "-" else name_of(options.data)
        write_kinds(options.write, table, title)


COMMAND = Command(
    place=20,
    usage="DATA [options]",
    summary="look at a table before learning from it",
    description="""\
Read a table as learn would and say what is in it, what is wrong with it or may
be, each with a way out, and what learn would do. Nothing is learned, and
nothing is written but the file of --write. The exit code is 3 when learn would
refuse the table as it is.

A line a column: its kind, the share of rows without a value (gaps), the number
of different values, the smallest and the largest, the skewness, how many values
lie far out beyond the quartiles (far), and what is suspicious.""",
    examples="""\
  daglock check cells.csv
  daglock check cells.csv --drop name,date
  daglock check cells.csv --regime condition
  daglock check cells.csv --write columns.yaml
  daglock check cells.csv --json""",
    add_arguments=add_arguments,
    run=run,
)
