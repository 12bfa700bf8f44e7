"""How many examples Hypothesis tries: as many as a test says, and 1,000 in ``make nightly``."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

NIGHTLY = 1000


def register_profile() -> None:
    """Let ``pytest --hypothesis-profile=nightly`` be known."""
    settings.register_profile("nightly", max_examples=NIGHTLY, deadline=None)


def examples(n: int, **more: Any) -> settings:
    """Return the settings of a test that tries n, or as many as the night has time for."""
    is_night = settings.default is not None and settings.default.max_examples == NIGHTLY
    return settings(max_examples=NIGHTLY if is_night else n, deadline=None, **more)
