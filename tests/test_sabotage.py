"""What `make sabotage` breaks is there to be broken, once, and so are the tests that shall see."""

from __future__ import annotations

import pytest

from tests.sabotage import BREAKAGES, ROOT, Breakage


@pytest.mark.parametrize("one", BREAKAGES, ids=lambda one: one.name)
def test_it_can_be_broken(one: Breakage) -> None:
    text = (ROOT / "src" / "daglock" / one.file).read_text(encoding="utf-8")
    assert text.count(one.text) == 1
    assert one.broken != one.text
    for test in one.tests:
        assert (ROOT / test.split("::")[0]).is_file()
