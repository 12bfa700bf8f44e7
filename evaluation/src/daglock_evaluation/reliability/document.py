"""docs/reliability.md, made from how the promises ended."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from daglock_evaluation.harness.page import fill
from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.tables import bullets, markdown_rows
from daglock_evaluation.reliability.promise import SHOWN, Outcome


def text(outcomes: Sequence[Outcome], measured: str = "") -> str:
    """Return the document; ``measured`` is what other readers did."""
    parts = []
    for room, mine in grouped(outcomes, lambda outcome: outcome.promise.room).items():
        rows = [(outcome.promise.words, outcome.words) for outcome in mine]
        parts.append(f"## {room}\n\n{markdown_rows([('promise', 'how it ended'), *rows])}\n")
        failures = [f for outcome in mine for f in outcome.failures[:SHOWN]]
        if failures:
            parts.append(f"Failures:\n\n{bullets(failures)}\n")
    made = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    parts.append(f"Tried on {made}.")
    return fill("reliability.md", promises="\n".join(parts), measured=measured)
