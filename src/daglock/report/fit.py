"""Whether the model describes the links, in a sentence, and why nobody knows where nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from daglock.confidence import words
from daglock.engine.decisions import NoiseReason
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.estimator import DAGLock

# Through so few rows every line goes.
FEW = 2


def about_fit(model: DAGLock, confidence: Confidence) -> str:
    """Say which links the model does not describe; empty where there is nothing to say."""
    return words.about_fit(
        confidence,
        np.isfinite(model.deviations()),
        curved=model.is_curved_,
        tried=model.decisions_.noise_reason is NoiseReason.LINES,
        unseen=_unseen(model),
    )


def _unseen(model: DAGLock) -> str:
    """Say why the links could not be looked at, where they could not."""
    looked, n = model.rows_looked_at(), model.moments_.n_rows
    if looked is not None or n <= FEW:
        return f"{plural(n if looked is None else len(looked), 'row')} cannot tell"
    if not model.moments_.missing:
        return "the rows were not there"
    if model._rows is not None:
        return "too few rows are without a gap"
    return "the rows were not there, or too few of them without a gap"
