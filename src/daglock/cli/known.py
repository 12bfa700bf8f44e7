"""What the command line says is known: a file, tiers in a line, or both."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daglock.wording import listed

if TYPE_CHECKING:
    from daglock.knowledge import Knowledge


def add_knowledge(parser: ArgumentParser) -> None:
    """Add the options that say what is known."""
    group = parser.add_argument_group("what is known, and always obeyed")
    group.add_argument(
        "--knowledge",
        metavar="FILE",
        help="YAML or JSON: forbidden, required, tiers, roots, leaves (daglock knowledge DATA "
        "writes one to fill in); or knowledge as Tetrad writes it",
    )
    group.add_argument(
        "--tiers",
        metavar="'A,B < C'",
        action="append",
        default=[],
        help="what comes before what: 'age,sex < bmi < outcome'; * is all the others, others not "
        "named are free; names with a comma in quotes",
    )


def add_names(parser: ArgumentParser) -> None:
    """Add the options that say whether names of columns are used."""
    from daglock.cli.options import names

    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--names",
        metavar="A,B",
        type=names,
        default=True,
        help="columns that nothing in the table causes; by default those called age, sex, race, "
        "birth year or the like, unless what is known places them",
    )
    group.add_argument(
        "--no-names",
        dest="names",
        action="store_false",
        help="take nothing from what columns are called",
    )


def read_known(options: Namespace) -> Knowledge | None:
    """Read what is known; to be asked before the data are read."""
    if options.knowledge is None and not options.tiers:
        return None
    from daglock.knowledge import Knowledge

    known = Knowledge()
    if options.knowledge is not None:
        known = Knowledge.from_file(options.knowledge)
    return known | Knowledge(tiers=[_order(text) for text in options.tiers])


def fit_to_columns(
    options: Namespace,
    known: Knowledge | None,
    columns: Sequence[str],
    left_out: Collection[str] = (),
) -> tuple[Knowledge | None, list[str]]:
    """Pass over what is said of columns that are not in the graph; return also what to say of it.

    That is so for columns that were left out, and for all names in a file of Tetrad, which may be
    about more columns than a table has. Other names that no column has are wrong.
    """
    if known is None:
        return None, []
    from daglock.errors import InvalidParameterError
    from daglock.knowledge.columns import closest
    from daglock.knowledge.files import is_tetrad_file

    unknown = known.unknown(columns)
    gone = [name for name in unknown if name in {*left_out, *options.drop}]
    said = []
    if gone:
        names = listed(map(repr, gone))
        said.append(f"What is known about {names} was passed over: left out of the graph.")
    others = [name for name in unknown if name not in gone]
    if others and options.knowledge and is_tetrad_file(Path(options.knowledge)):
        if known.without(unknown) == type(known)():
            raise InvalidParameterError(
                f"{options.knowledge} is about other columns than the table has: it names "
                f"{listed(map(repr, others))}, the columns are {listed(map(repr, columns))}."
            )
        shown = []
        for name in others:
            close = closest(str(name), columns)
            shown.append(f"{name!r}{f' (the table has {close!r})' if close else ''}")
        said.append(
            f"What {Path(options.knowledge).name} says about {listed(shown, 12)} was passed over: "
            "the table has no such columns."
        )
        gone += others
    return known.without(gone), said


def _order(text: str) -> str:
    """Return tiers in a line, or say that there is no order in them."""
    from daglock.knowledge.orders import order_text, parse_order

    return order_text(parse_order(text))
