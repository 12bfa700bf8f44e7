"""Records: written, torn, found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daglock.errors import InvalidDataError
from daglock_evaluation.experiments import records
from daglock_evaluation.experiments.experiment import Case, Record
from experiments.smallest import without_times

A, B = Record({"d": 1}, {"x": 0.1 + 0.2}, 1.25), Record({"d": 2, "name": "é"}, {"x": None})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for record in (A, B):
        records.append(path, record)
    assert records.read(path) == [A, B]
    assert records.read(tmp_path / "none.jsonl") == []


def test_a_line_says_what_it_was_made_with(tmp_path: Path) -> None:
    import numpy

    path = tmp_path / "a.jsonl"
    records.append(path, A)
    (line,) = path.read_text().splitlines()
    assert json.loads(line)["made_with"]["numpy"] == numpy.__version__
    other = json.loads(line)
    other["made_with"]["numpy"] = "0.1"
    path.write_text(line + "\n" + json.dumps(other) + "\n")
    assert records.made_with(path)["numpy"] == ["0.1", numpy.__version__]


def test_a_file_that_is_cut_at_any_byte_does_not_block_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for record in (A, B):
        records.append(path, record)
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        # without its line end a record is still whole
        whole = [A] * (length >= first - 1) + [B] * (length >= len(content) - 1)
        assert records.read(path) == whole
        records.append(path, B)
        assert records.read(path) == [*whole, B]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("<<<<<<< HEAD\n")
    with pytest.raises(InvalidDataError, match="line 1 is not a record"):
        records.read(path)


def test_not_a_number_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        records.append(tmp_path / "a.jsonl", Record({"d": 1}, {"x": float("nan")}))


def test_selected_in_the_order_of_the_cases_and_the_last_counts() -> None:
    newer = Record({"d": 1}, {"x": 5.0})
    cases: list[Case] = [{"name": "é", "d": 2}, {"d": 3}, {"d": 1}]
    assert records.select([A, B, newer], cases) == [B, newer]


def test_times_are_told_by_their_names() -> None:
    assert without_times({"x": 1, "seconds": 2, "fit_seconds": 3}) == {"x": 1}
