"""Every eighth golden table; ``make golden`` compares all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from daglock.settings import SETTINGS
from tests.golden import store
from tests.golden.cases import cases
from tests.golden.compare import differences
from tests.golden.record import SECTIONS, Values, record

BY_NAME = {case.name: case for case in cases()}
SLOW = {"curves, searched"}
SOME = [name for name in BY_NAME if name not in SLOW][::7]


@pytest.fixture(scope="module")
def kept() -> dict[str, dict[str, Values]]:
    return {section: store.read(section) for section in SECTIONS}


def changes(kept: dict[str, dict[str, Values]], name: str) -> Iterator[str]:
    """Yield what differs from what was kept of a case."""
    now = record(BY_NAME[name])
    for section in SECTIONS:
        for line in differences(section, kept[section].get(name, {}), now.get(section, {})):
            yield f"{section}: {line}"


@pytest.mark.parametrize("name", SOME)
def test_what_was_kept(kept: dict[str, dict[str, Values]], name: str) -> None:
    found = list(islice(changes(kept, name), 20))
    assert not found, "\n".join([f"python -m tests.golden compare '{name}'", *found])


def test_every_case_is_kept(kept: dict[str, dict[str, Values]]) -> None:
    assert len(BY_NAME) >= 150
    assert set(kept["texts"]) == set(BY_NAME)
    assert set(kept["claims"]) <= set(kept["graphs"]) <= set(kept["texts"])
    assert sum(store.path_of(section).stat().st_size for section in SECTIONS) <= 3 << 20
    assert all(f"**{section}**" in store.LOG.read_text(encoding="utf-8") for section in SECTIONS)


MUTANTS: list[tuple[str, str, Any, str]] = [
    ("daglock.confidence.confidence.LEANING", "claims", 0.75, "gaussian 8"),
    ("daglock.confidence.confidence.NOT_RELIED_ON", "claims", 0.8, "two groups"),
    ("daglock.confidence.replicates.REPLICATES", "claims", 99, "gaussian 3"),
    ("daglock.confidence.words.MISFIT", "texts", 0.05, "uniform noise"),
]


@pytest.mark.parametrize(("place", "section", "value", "name"), MUTANTS)
def test_a_changed_constant_is_noticed(
    kept: dict[str, dict[str, Values]],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    section: str,
    value: Any,
    name: str,
) -> None:
    monkeypatch.setattr(place, value)
    assert any(line.startswith(f"{section}: ") for line in changes(kept, name))


@pytest.mark.parametrize(
    ("field", "value", "name"), [("margin", 400.0, "gaussian 8"), ("least_gained", 0.1, "few rows 3")]
)
def test_a_changed_setting_is_noticed(
    kept: dict[str, dict[str, Values]], field: str, value: float, name: str
) -> None:
    before = getattr(SETTINGS, field)
    object.__setattr__(SETTINGS, field, value)  # it is frozen, and shared by all that use it
    try:
        assert any(line.startswith("graphs: ") for line in changes(kept, name))
    finally:
        object.__setattr__(SETTINGS, field, before)
