"""The commands that this distribution adds to ``daglock``."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path

from daglock.cli.command import Exit


def interrupted(options: Namespace, folder: Path) -> int:
    """Say what an interruption left and how to go on."""
    command = shlex.join(["daglock", *(word for word in options.arguments if word != "--fresh")])
    print(
        f"daglock: interrupted. What was finished is recorded in {folder / 'records'};\n"
        f"the same command goes on where this one stopped: {command}",
        file=sys.stderr,
    )
    return Exit.INTERRUPTED
