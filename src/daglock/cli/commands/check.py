"""``daglock check``: what a table can tell, before anything is learned."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import Any

from daglock.cli.command import Command, Exit
from daglock.cli.options import add_data, read_data, show_table
from daglock.cli.terminal import Terminal

_MARKS = {"good": "✓", "note": "•", "warning": "!"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")


def run(options: Namespace) -> int:
    """Read, look, print."""
    from daglock import Moments
    from daglock.dependence import about_patterns, find_determined
    from daglock.diagnostics.table import diagnose_table
    from daglock.table.policy import find_faults

    terminal = Terminal(quiet=options.json)
    table = read_data(options, progress=None)
    problems, usable = find_faults(table)
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
    terminal.line()
    terminal.line("✓ nothing to do   • good to know   ! think before you trust the graph")
    return Exit.DATA if problems else Exit.DONE


COMMAND = Command(
    place=20,
    usage="DATA [options]",
    summary="look at a table before learning from it",
    description="""\
Read a table as learn would and say what it can tell and what stands in the way.
Nothing is learned and nothing is written. The exit code is 3 when learn would
refuse the table as it is.""",
    examples="""\
  daglock check cells.csv
  daglock check cells.csv --drop name,date
  daglock check cells.csv --json""",
    add_arguments=add_arguments,
    run=run,
)
