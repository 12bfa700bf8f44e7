"""Files with one fault: the truth is known, judged right, and daglock never departs from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from daglock_evaluation.reliability import readers
from daglock_evaluation.reliability.polluting import Polluted, Truth, polluted
from daglock_evaluation.reliability.readers import READERS, answer
from daglock_evaluation.reliability.salvage import (
    CRASHED,
    REFUSED,
    RIGHT,
    SAID,
    TEXT,
    WRONG,
    attempt,
    failures,
    judge,
    salvage,
    table_by_fault,
)

TRUTH = Truth((("a",), ("b",)), ((1.0, 2.0), (3.0, None), (5.0, 6.0)), (2, 3, 4))
ROWS: list[list[Any]] = [[1.0, "2"], [3.0, None], [5, 6]]


def read(names: list[str], rows: list[list[Any]], *notes: str) -> dict[str, Any]:
    return {"names": names, "rows": rows, "notes": list(notes)}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (read(["a", "b"], ROWS), RIGHT),
        (read([" a", "b"], ROWS), RIGHT),
        (read(["a", "c"], ROWS), WRONG),
        (read(["a", "c"], ROWS, "it is called 'c'"), SAID),
        (read(["a"], [[1.0], [3.0], [5.0]]), WRONG),
        (read(["a", "b"], ROWS[:2]), WRONG),
        (read(["a", "b"], ROWS[:2], "Left out: line 3"), WRONG),
        (read(["a", "b"], ROWS[:2], "Left out: line 4"), SAID),
        (read(["a", "b"], [*ROWS, [7, 8]]), WRONG),
        (read(["a", "b"], [*ROWS, [7, 8]], "rows below a blank line (line 5), which"), SAID),
        (read(["x0", "x1"], [[2001, 2002], *ROWS], "No header was found: the"), SAID),
        (read(["a", "b"], [[1.0, "2,5"], *ROWS[1:]]), TEXT),
        (read(["a", "b"], [[1.0, 2.5], *ROWS[1:]]), WRONG),
        (read(["a", "b"], [ROWS[1], ROWS[0], ROWS[2]]), WRONG),
        ({"refused": "no"}, REFUSED),
        ({"crashed": "KeyError"}, CRASHED),
    ],
)
def test_judged(said: dict[str, Any], outcome: str) -> None:
    assert judge(said, TRUTH) == outcome


def test_nothing_where_nothing_is() -> None:
    assert judge(read(["a"], []), None) == RIGHT
    assert judge(read(["a"], [[1]]), None) == WRONG


@pytest.mark.slow
def test_daglock_is_never_wrong_without_a_word() -> None:
    ended = salvage(5, [reader for reader in READERS if reader.startswith("daglock")])
    assert failures(ended) == []
    files = {one.file.fault: one for one in ended["daglock"]}
    assert len(files) == 16
    read_by = sum(one.outcome in (RIGHT, SAID) for one in ended["daglock"])
    dropped = sum(one.outcome in (RIGHT, SAID) for one in ended["daglock --ragged drop"])
    assert 120 < read_by < dropped
    assert "a line with another separator" in table_by_fault(ended)


def test_a_reader_that_is_wrong_is_seen() -> None:
    """pandas fills up short lines, and says nothing."""
    ended = salvage(3, ["pandas, sniffing"])
    wrong = [one for one in ended["pandas, sniffing"] if one.outcome == WRONG]
    assert any(one.file.fault == "a line with a separator less" for one in wrong)
    assert failures({"daglock": wrong[:1]}) != []


def test_a_reader_that_dies_goes_on_behind_that_file(monkeypatch: pytest.MonkeyPatch) -> None:
    files = list(polluted(2))[:3]
    killer = replace(files[1], name="killer.csv")
    command = (
        "import os, json, sys\n"
        "for path in sys.stdin.read().split(chr(0)):\n"
        "    if 'killer' in path: os.abort()\n"
        "    print(json.dumps({'refused': 'x'}), flush=True)\n"
    )
    monkeypatch.setattr(
        "daglock_evaluation.reliability.salvage._command", lambda reader: ["-c", command]
    )
    ended = attempt("daglock", [files[0], killer, files[2]])
    assert ended is not None
    assert [one.outcome for one in ended] == [REFUSED, CRASHED, REFUSED]


def test_what_is_no_error_of_daglock_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str) -> readers.Answer:
        raise KeyError(path)

    monkeypatch.setitem(READERS, "daglock", broken)
    monkeypatch.setitem(READERS, "other", broken)
    assert "crashed" in answer("daglock", "x")
    assert "refused" in answer("other", "x")


def test_files_differ_in_name_and_have_all_faults() -> None:
    files = list(polluted(3))
    assert len({(one.fault, one.name) for one in files}) == len(files)
    assert all(isinstance(one, Polluted) and one.name for one in files)
    places = [one for one in files if one.fault == "a line with a separator more"]
    assert len(places) == 4 * 9  # each line, the header too, each place
