"""What the README says of directions on real tables, from the records (``python -m`` this)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from daglock_evaluation.calibration.contenders import OURS
from daglock_evaluation.calibration.standings import MINE, REPLICATED, ROLES, counts
from daglock_evaluation.calibration.statements import CERTAIN, Count, Records, load


def excerpt(records: Records) -> str:
    """Return the sentences: others and our class, replicates, and what daglock calls directed."""
    found = {role: counts(records, role) for role in ROLES}
    both = [one for mine in found.values() for one in mine if one.stated]
    apart = (*(name for name in MINE if name != OURS), REPLICATED)
    certain = {role: _of(mine, CERTAIN) for role, mine in found.items()}
    linked = sum(one.linked for one in certain.values())
    stated = sum(one.stated for one in certain.values())
    wrong = sum(one.wrong for one in certain.values())
    judged = certain["judge"]
    there = f"{judged.wrong} of {judged.stated}" if judged.stated else "none are called so"
    return (
        "On real tables whose causal order is known the arrows of other packages, and of daglock's "
        f"equivalence class, are wrong in {_range([o for o in both if o.method not in apart])}, "
        "those of a coin in 50 %, and those that 90 % of FLOP's replicates share in "
        f"{_range([o for o in both if o.method == REPLICATED])}. daglock calls {stated} of "
        f"{linked} links directed, {wrong} of them wrongly ({there} on tables kept for judging)."
    )


def _of(found: Sequence[Count], method: str) -> Count:
    """Return what a method did."""
    return next(one for one in found if one.method == method)


def _range(found: Sequence[Count]) -> str:
    """Write the smallest and the largest share of wrong directions."""
    shares = sorted(one.share for one in found)
    return f"{100 * shares[0]:.0f} to {100 * shares[-1]:.0f} %"


if __name__ == "__main__":
    print(excerpt(load(Path(*sys.argv[1:] or ["calibration/records"]))))
