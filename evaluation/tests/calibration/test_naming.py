"""Names and the known order: right, wrong, or both given; kept tables only if they are named."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from daglock_evaluation.calibration import commands
from daglock_evaluation.calibration.naming import ALL, KEPT, LAST, judge_names
from daglock_evaluation.calibration.ours import CONFIDENCE
from daglock_evaluation.calibration.statements import Pair, Records

RECORDS = Path(__file__).parents[3] / "calibration" / "records"


def records(**tables: tuple[str, list[str], set[Pair], list[Pair]]) -> Records:
    """Tables by name: the source, the columns, the known pairs, the links of the graph."""
    lines: dict[str, Any] = {}
    runs: dict[tuple[str, str], Any] = {}
    known: dict[str, frozenset[Pair]] = {}
    for name, (source, columns, pairs, links) in tables.items():
        lines[name] = {"table": name, "role": "fit", "source": source, "columns": columns}
        known[name] = frozenset(pairs)
        said = [[i, j, 0.5] for i, j in links]
        runs[name, CONFIDENCE] = {"table": name, "status": "ok", "said": said}
    return Records(lines, known, runs)


def test_right_wrong_and_both() -> None:
    columns = ["age", "sex", "bmi", "died"]
    pairs = {(0, 1), (0, 2), (2, 1), (2, 3), (0, 3)}
    found = judge_names(records(one=("here", columns, pairs, [(2, 0), (1, 2)])))
    assert dict(found.columns) == {"age": 1, "sex": 1, ALL: 2, LAST: 1}
    ages = {("age", "right"): 2, ("age", "both"): 1}
    sexes = {("sex", "wrong"): 1, ("sex", "both"): 1}
    both = {(ALL, "right"): 2, (ALL, "wrong"): 1, (ALL, "both"): 1}
    assert dict(found.pairs) == ages | sexes | both | {(LAST, "right"): 2}
    assert dict(found.links) == {
        ("age", "right"): 1,
        ("sex", "wrong"): 1,
        (ALL, "right"): 1,
        (ALL, "wrong"): 1,
    }
    assert (found.known_pairs, found.known_links) == (5, 2)
    assert found.wrong == ["sex: one: bmi comes before sex (a link)"]


def test_kept_tables_are_judged_only_if_they_are_named() -> None:
    one = ["age", "bmi"]
    both = records(here=("here", one, {(0, 1)}, []), kept=(KEPT, one, {(0, 1)}, []))
    assert judge_names(both).known_pairs == 1
    assert judge_names(both, [KEPT, "here"]).known_pairs == 2


def test_the_command_and_the_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    document = tmp_path / "confidence.md"
    document.write_text("<!-- Names and the known order -->\n<!-- end -->\n", encoding="utf-8")
    options = Namespace(what="names", records=RECORDS, sources=[], document=document)
    assert commands.run(options) == 0
    shown = capsys.readouterr().out
    assert "links: right" in shown
    shipped = RECORDS.parents[1] / "docs" / "confidence.md"
    assert document.read_text(encoding="utf-8").strip() in shipped.read_text(encoding="utf-8")
