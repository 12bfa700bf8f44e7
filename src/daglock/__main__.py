"""``python -m daglock`` is the command line."""

import sys

from daglock.cli import program

if __name__ == "__main__":
    sys.exit(program())
