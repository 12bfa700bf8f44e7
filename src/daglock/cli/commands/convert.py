"""``daglock convert``: a result in the format of another program."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.results import new_file, write_text

# The keys of `daglock.interop.FORMATS`, which takes too long to load for a help text.
FORMATS = {
    "dot": "Graphviz",
    "graphml": "yEd, Gephi, Cytoscape, igraph",
    "gml": "igraph, Gephi",
    "json": "networkx (node-link), D3",
    "dagitty": "dagitty.net and the R package",
    "csv": "a list of edges",
    "lingam": "weights as lingam has them: row = effect, column = cause",
    "pcalg": "the matrix of the R package pcalg",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("result", metavar="RESULT", help="folder of learn, or a saved model")
    parser.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        metavar="FORMAT",
        help="one of " + ", ".join(FORMATS),
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="by default, standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(options: Namespace) -> int:
    """Write the graph of a result in another format."""
    if options.out is not None:
        new_file(options.out, force=options.force)
    load_first("daglock.estimator", "daglock.interop")
    from daglock import load
    from daglock.interop import convert

    text = convert(load(options.result), options.to)
    if not text.endswith("\n"):
        text += "\n"
    if options.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())  # for another program: always UTF-8
        sys.stdout.buffer.flush()
    else:
        write_text(options.out, text)
    return Exit.DONE


_LIST = "\n".join(f"  {name:<9}{whom}" for name, whom in FORMATS.items())
COMMAND = Command(
    place=50,
    usage="RESULT --to FORMAT [options]",
    summary="write a result in the format of another program",
    description=f"Write the graph of a result for another program.\n\nformats:\n{_LIST}",
    examples="""\
  daglock convert sachs.daglock --to dot | dot -Tsvg > sachs.svg
  daglock convert sachs.daglock --to dagitty
  daglock convert sachs.daglock --to graphml --out sachs.graphml""",
    add_arguments=add_arguments,
    run=run,
)
