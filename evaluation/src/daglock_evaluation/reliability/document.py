"""docs/reliability.md, made from how the promises ended."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.tables import bullets, markdown_rows
from daglock_evaluation.reliability.promise import SHOWN, Outcome

HEAD = """\
# Reliability

What daglock promises under faults and bad input, what was tried, and how it ended. Made by `python
-m daglock_evaluation.reliability --write docs/reliability.md` (`make reliability`; `--quick` tries
less of each). Processes are real ones and are killed by SIGKILL; moments and files are drawn with a
seed.
"""

TAIL = """\
## How it is done

- A folder of results is made in `.NAME.working` beside it, reaches the disk (fsync), and changes
  places with the old one in one step (`renameat2`, `renamex_np`). Where the system has no such step
  there are two, and a kill between them leaves `.NAME.working` with both: the next `learn` with the
  same `--out` puts one of them in place.
- `learn` writes the graph before the replicates; `complete` in `graph.json` is false until these
  are there. Each replicate is kept as it is made. The same command goes on where the last one was
  killed; other data, settings or seeds begin anew.
- Without `--bootstrap N` the replicates have 10 seconds of work. What they took is kept with them,
  so a run that goes on has what is left of these, and none where all were used: the work of a
  replicate that was killed is not counted, and how many are made in a second differs from run to
  run, as it does without a kill. With `--bootstrap N` they are the same N, to the bit.
- A lock says who may write a folder; the system takes it back from a process that ends. On file
  systems without locks nobody is told. On Windows the lock is that of `msvcrt`, tried with a
  stand-in alone.
- In CSV an apostrophe stands before text that begins with one of = + - @, a tab or a carriage
  return, or with apostrophes before one of these. daglock's own readers take it away; other
  programs see it.
- Ctrl-C before daglock's first line runs, while Python itself starts, is Python's.

## Guards that stay

- `make fuzz`: coverage-guided fuzzing (atheris) of CSV, Parquet, Arrow, knowledge and saved models,
  a million inputs each; what it finds is a test from then on (`fuzz/crashers`).
- `make nightly`: 1,000 examples of each property that tests state.
- `make sabotage`: breaks the score's sign, masks, the price, the test for cycles, escapes and more,
  one at a time in a copy, and demands that tests fail.
- No test reaches another machine: whoever tries is refused, and the test fails
  (`tests/offline.py`).
- `make sbom`: what the wheel stands on, as CycloneDX.
"""


# Around what was measured beside others.
BEGIN, END = "<!-- measured -->\n", "<!-- end of what was measured -->\n"


def text(outcomes: Sequence[Outcome], measured: str = "") -> str:
    """Return the document; ``measured`` is what other readers did."""
    parts = [HEAD]
    for room, mine in grouped(outcomes, lambda outcome: outcome.promise.room).items():
        rows = [(outcome.promise.words, outcome.words) for outcome in mine]
        parts.append(f"## {room}\n\n{markdown_rows([('promise', 'how it ended'), *rows])}\n")
        failures = [f for outcome in mine for f in outcome.failures[:SHOWN]]
        if failures:
            parts.append(f"Failures:\n\n{bullets(failures)}\n")
    made = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    parts.append(f"Tried on {made}.\n")
    return "\n".join([*parts, BEGIN + measured + END, TAIL])
