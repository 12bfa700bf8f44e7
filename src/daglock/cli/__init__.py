"""The command line: ``daglock learn data.csv``. Each command is a file in `commands`."""

from __future__ import annotations

from collections.abc import Sequence

from daglock.cli.interrupts import ending_on_ctrl_c

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what stands after ``daglock``, by default what the process was given; return the code."""
    with ending_on_ctrl_c(for_good=arguments is None):
        from daglock.cli.app import main as run

        return run(arguments)
