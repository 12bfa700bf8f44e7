"""The command line: ``daglock learn data.csv``. Each command is a file in `commands`."""

from daglock.cli.app import main

__all__ = ["main"]
