"""Whether the model describes the links, in a sentence, and why nobody knows where nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from daglock.confidence import words
from daglock.engine.decisions import NoiseReason

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.estimator import DAGLock


def about_fit(model: DAGLock, confidence: Confidence) -> str:
    """Say which links the model does not describe; empty where there is nothing to say."""
    return words.about_fit(
        confidence,
        np.isfinite(model.deviations()),
        curved=model.is_curved_,
        tried=model.decisions_.noise_reason is NoiseReason.LINES,
    )
