"""``daglock effect``: the effect of one column on another, with how sure it is."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.options import checked
from daglock.cli.terminal import Terminal

_share = checked(float, lambda x: 0.0 < x < 1.0, "a number between 0 and 1")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("result", metavar="RESULT", help="folder of learn, or a saved model")
    parser.add_argument("cause", metavar="CAUSE", help="column that is set one unit higher")
    parser.add_argument("effect", metavar="EFFECT", help="column that may change")
    parser.add_argument(
        "--level",
        metavar="P",
        type=_share,
        default=0.9,
        help="how much of the draws the interval holds (default 0.9)",
    )
    parser.add_argument(
        "--data",
        metavar="DATA",
        help="the table that the result was learned from; only needed if the result has no "
        "replicates (learn --bootstrap 0), else the interval comes from these",
    )
    parser.add_argument("--json", action="store_true", help="for other programs")


def run(options: Namespace) -> int:
    """Print the effect of one column on another."""
    load_first("daglock.estimator")
    from daglock import load
    from daglock.table import read_file

    model = load(options.result)
    rows = None if options.data is None else read_file(options.data, columns=list(model.names_))
    found = model.effect(options.cause, options.effect, level=options.level, X=rows, progress=None)
    if options.json:
        print(json.dumps(found.to_dict(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        Terminal().say(str(found))
    return Exit.DONE


COMMAND = Command(
    place=45,
    usage="RESULT CAUSE EFFECT [options]",
    summary="tell by how much one column changes when another is set higher",
    description="""\
Tell by how much one column changes when another is set one unit higher, along
all paths: with an interval that has the doubt about links and directions in it,
what to adjust for, and how likely it is that there is no effect at all.""",
    examples="""\
  daglock effect sachs.daglock PKA Akt
  daglock effect sachs.daglock PKA Akt --level 0.95 --json""",
    add_arguments=add_arguments,
    run=run,
)
