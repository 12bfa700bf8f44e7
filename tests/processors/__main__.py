"""Results as on other processors: ``python -m tests.processors golden`` or ``graphs``.

``golden`` compares the golden tables under two settings: every landing. ``graphs`` compares the
graphs of more than 400 tables under all settings with those of this processor: every night.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from tests.processors.environments import ALL, ROOT, TWO, runs, switches


def golden() -> bool:
    """Compare the golden tables under two settings; print what differs."""
    command = [sys.executable, "-m", "tests.golden", "compare"]
    done = [
        subprocess.run(command, cwd=ROOT, env=environment).returncode
        for environment in environments(TWO)
    ]
    return not any(done)


def graphs() -> bool:
    """Compare graphs under all settings; print the tables whose graphs differ."""
    here, same = graphs_of(switches("", "")), True
    for environment in environments(ALL):
        there = graphs_of(environment)
        differing = [line.partition(":")[0] for line in there if line not in here]
        if there != here:
            print(f"{len(differing)} of {len(here)} graphs differ: {', '.join(differing)}")
            same = False
    return same and len(here) >= 400


def graphs_of(environment: dict[str, str]) -> list[str]:
    """Return what tests/processors/graphs.py prints there."""
    command = [sys.executable, "-m", "tests.processors.graphs"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def environments(settings: list[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """Yield the environments that this processor can run; print what each is."""
    for core, without in settings:
        environment = switches(core, without)
        title = f"kernels of {core}" + (f", NumPy without {without.split()[0]}" if without else "")
        if runs(environment):
            print(f"With {title}:", flush=True)
            yield environment
        else:
            print(f"Not run: this processor has not the instructions for {title}", flush=True)


COMMANDS = {"golden": golden, "graphs": graphs}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(not COMMANDS[sys.argv[1]]())
