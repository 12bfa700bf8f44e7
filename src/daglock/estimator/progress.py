"""What a progress bar shows of a fit: restarts of the search, then seconds of a proof."""

from __future__ import annotations

from collections.abc import Callable

from daglock._progress import Bar
from daglock.counts import Counts
from daglock.criteria import CRITERIA, Curved, JointCriterion
from daglock.curves import Curves
from daglock.settings import SETTINGS
from daglock.typing import Statistics


def shown_on(
    bar: Bar, moments: Statistics, n_restarts: int | None, prove: float | None
) -> Callable[[str, int, float], None]:
    """Return what the engine calls with a noise model, or "proof", what is done, and a score."""

    def show(what: str, done: int, score: float) -> None:
        if what == "proof":
            bar.step("proof, seconds", done, int(prove or 0), f"no score below {score:.6f}")
            return
        total = n_restarts or CRITERIA[what](moments).default_restarts(SETTINGS)
        counted, curved = (isinstance(moments, kind) for kind in (Counts, Curves))
        if SETTINGS.compares_all(moments.d, counted=counted, curved=curved):
            total = 0
        joint = issubclass(CRITERIA[what], JointCriterion | Curved)
        bar.step(what if joint else f"{what} variances", done, total, f"score {score:.6f}")

    return show
