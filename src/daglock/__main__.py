"""``python -m daglock`` is the command line."""

import sys

from daglock.cli import main

if __name__ == "__main__":
    sys.exit(main())
