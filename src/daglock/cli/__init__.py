"""The command line: ``daglock learn data.csv``. Each command is a file in `commands`."""

from __future__ import annotations

from collections.abc import Sequence

from daglock.cli.interrupts import as_a_program

__all__ = ["main", "program"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what stands after ``daglock``, by default what the process was given; return the code."""
    from daglock.cli.app import main as run

    return run(arguments)


def program() -> int:
    """Run it as all that this process does: Ctrl-C never ends in a traceback."""
    with as_a_program():
        return main()
