"""``daglock knowledge``: a file to say in what is known of a table."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.options import add_data, read_data
from daglock.cli.results import name_of, new_file, write_text


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    group = parser.add_argument_group("output")
    group.add_argument("--out", metavar="FILE", type=Path, help="by default, standard output")
    group.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(options: Namespace) -> int:
    """Read the names of the columns and write the file."""
    if options.out is not None:
        new_file(options.out, force=options.force)
    load_first("daglock.knowledge.template")
    from daglock.knowledge.template import knowledge_template

    table = read_data(options, options.data, progress=None)
    source = name_of(options.data)
    text = knowledge_template(table.labels, source=source, left_out=table.left_out)
    if options.out is not None:
        write_text(options.out, text)
        return Exit.DONE
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())  # for a file: always UTF-8
    sys.stdout.buffer.flush()
    return Exit.DONE


COMMAND = Command(
    place=25,
    usage="DATA [options]",
    summary="write a file to fill in with what is known of a table",
    description="""\
Write YAML in which tiers, roots, leaves, forbidden and required edges can be
said, with the columns of the table and proposals, all of it in comments: as it
stands it says nothing. Uncomment what you know and give it to learn.""",
    examples="""\
  daglock knowledge cells.csv --out known.yaml
  daglock learn cells.csv --knowledge known.yaml""",
    add_arguments=add_arguments,
    run=run,
)
