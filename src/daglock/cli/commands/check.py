"""``daglock check``: what a table can tell, before anything is learned."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.command import Command, Exit, OutputError
from daglock.cli.options import add_data, read_data, show_table
from daglock.cli.terminal import Terminal

if TYPE_CHECKING:
    from daglock.table import Table

_MARKS = {"good": "✓", "note": "•", "warning": "!"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
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
    from daglock import Moments
    from daglock.dependence import about_patterns, find_determined
    from daglock.diagnostics.table import diagnose_table
    from daglock.table.deciding import without_constant
    from daglock.table.policy import find_faults

    _require_free(options)
    terminal = Terminal(quiet=options.json)
    table = read_data(options, progress=None)
    _write(options, table)
    problems, usable = find_faults(table)
    usable = without_constant(usable)
    diagnosis, findings = None, problems
    if min(usable.data.shape) > 1:
        moments = Moments.from_data(usable.data, names=usable.names)
        diagnosis = diagnose_table(moments)
        patterns = about_patterns(usable.data, usable.labels, find_determined(moments))
        findings = [*problems, *diagnosis.sentences(), *patterns]
    if options.json:
        document: dict[str, Any] = {
            "format": "daglock check",
            "version": 1,
            "file": options.data,
            "rows": len(table.data),
            "columns": list(table.labels),
            "kinds": {
                name: found.kind.value
                for name, found in zip(table.labels, table.kinds, strict=True)
            },
            "left_out": dict(table.left_out),
            "notes": list(table.notes),
            "usable": not problems,
            "findings": [vars(finding) for finding in findings],
            "table": None if diagnosis is None else asdict(diagnosis),
        }
        print(json.dumps(document, allow_nan=False), flush=True)
    show_table(terminal, options.data, table)
    for finding in findings:
        terminal.line()
        terminal.say(finding.title, mark=_MARKS[finding.level])
        terminal.say(finding.text, mark=" ")
    if options.write is not None:
        terminal.line()
        terminal.line(f"What the columns are: {options.write} (edit it, and give it to --columns)")
    terminal.line()
    terminal.line("✓ nothing to do   • good to know   ! think before you trust the graph")
    return Exit.DATA if problems else Exit.DONE


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
        title = "DATA" if options.data == "-" else Path(options.data).name
        write_kinds(options.write, table, title)


COMMAND = Command(
    place=20,
    usage="DATA [options]",
    summary="look at a table before learning from it",
    description="""\
Read a table as learn would and say what it can tell and what stands in the way.
Nothing is learned, and nothing is written but the file of --write. The exit code
is 3 when learn would refuse the table as it is.""",
    examples="""\
  daglock check cells.csv
  daglock check cells.csv --drop name,date
  daglock check cells.csv --write columns.yaml
  daglock check cells.csv --json""",
    add_arguments=add_arguments,
    run=run,
)
