"""The terminal explains weights: those of categories are no changes and have no sign."""

from __future__ import annotations

from typing import Any

import pytest

from daglock.cli.learned import show_edges
from daglock.cli.terminal import Terminal

EDGES: list[dict[str, Any]] = [
    {"source": name, "target": "y", "weight": 0.25, "standardised_weight": 0.5}
    for name in ("x", "site")
]


@pytest.mark.parametrize("categories", [[], ["site"], ["site", "x", "y"]])
def test_the_weight_of_a_category_has_no_sign(
    categories: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    show_edges(Terminal(), EDGES, 3, categories)
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("+0.50") == len(EDGES) - len(set(categories) & {"site", "x"})
    assert ("change of the effect for one unit" in said) == (len(categories) < 3)
    assert ("from 0 to 1 and without a sign" in said) == bool(categories)
