"""What a command is, and how a process says how it ended."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """Exit codes, as `daglock --help` lists them."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    DATA = 3
    OUTPUT = 4
    INTERRUPTED = 130


# In the order of the help.
MEANING = {
    Exit.DONE: "done (also when --time-limit ended the search: the result says so)",
    Exit.FAILED: "a package is missing, a cluster fails, or daglock does where it should not",
    Exit.USAGE: "wrong use: an option, a column name, or knowledge that contradicts itself",
    Exit.DATA: "the data, or the result that was given, cannot be used",
    Exit.OUTPUT: "the output exists already, or cannot be written",
    Exit.INTERRUPTED: "interrupted (Ctrl-C); learn still keeps the best graph that it had",
}


class OutputError(Exception):
    """Something cannot be written; the message says what and why."""


@dataclass(frozen=True)
class Command:
    """A command: one file in `daglock.cli.commands` with a constant ``COMMAND``."""

    place: int  # where it stands in the help
    usage: str  # what stands after its name
    summary: str  # one line for `daglock --help`
    description: str  # a few lines for its own help
    examples: str  # lines for the end of its own help
    add_arguments: Callable[[ArgumentParser], None]  # must not import anything heavy
    run: Callable[[Namespace], int]  # does the work and returns an exit code
