"""Every seventh golden table; ``make golden`` compares all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

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
    """Yield the differences of a case from its golden values."""
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


MUTANTS: list[tuple[str, float, str]] = [
    ("confidence.confidence.DIRECTED", 0.93, "gaussian 5"),
    ("confidence.confidence.LEANING", 0.75, "gaps 0.1"),
    ("confidence.replicates.REPLICATES", 99, "gaussian 5"),
    ("confidence.evidence.HALF_WRONG", 14.0, "rounded"),
]


@pytest.mark.parametrize(("place", "value", "name"), MUTANTS)
def test_a_changed_constant_is_noticed(
    kept: dict[str, dict[str, Values]],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    value: float,
    name: str,
) -> None:
    monkeypatch.setattr(f"daglock.{place}", value)
    assert any(line.startswith("claims: ") for line in changes(kept, name))


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("false_edges", 0.5, "gaussian 5"),
        ("margin_share", 0.9, "gaussian 5"),
        ("shape_gain", 60.0, "uniform noise"),
        ("least_gained", 0.1, "few rows 3"),
    ],
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
