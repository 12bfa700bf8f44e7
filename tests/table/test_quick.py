"""Large text files: what is read quickly is what is read with care."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.errors import InvalidDataError
from daglock.table import quick, read_file, text
from daglock.table.source import Source
from daglock.table.table import Table
from tests.table.reader import read

NUMBERS = np.random.default_rng(0).normal(size=(4000, 3))
ROWS = [",".join(map(repr, row)) for row in NUMBERS.tolist()]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files of a few kilobytes count as large, and what tells their types be short."""
    monkeypatch.setattr(quick, "LARGE", 1000)
    monkeypatch.setattr(quick, "_HEAD", 4000)


def both(tmp_path: Path, content: str | bytes, monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    """Read a file quickly, which must be possible, and with care."""
    seen = []

    def spy(source: Source, notes: list[str]) -> object:
        seen.append(quick.read_quickly(source, notes))
        return seen[-1]

    monkeypatch.setattr(text, "read_quickly", spy)
    tables = [read(tmp_path, content)]
    assert seen[0] is not None
    monkeypatch.setattr(text, "read_quickly", lambda source, notes: None)
    return [*tables, read(tmp_path, content)]


CONTENTS: dict[str, str | bytes] = {
    "numbers": "\n".join(["a,b,c", *ROWS]),
    "a mark": b"\xef\xbb\xbf" + "\n".join(["ä,b,c", *ROWS]).encode(),
    "Windows": "\r\n".join(["a,b,c", *ROWS]),
    "no header": "\n".join(ROWS),
    "words": "\n".join(
        ["a,b,c,d", *(f"{row},{('low', 'high')[k % 2]}" for k, row in enumerate(ROWS))]
    ),
    "gaps": "\n".join(["a,b,c", "NA,,7", *ROWS, ",3,null", ",,", " 4 , 5,6"]),
    "words far below": "\n".join(
        [
            "a,b,c,d",
            *(f"{row}," for row in ROWS),
            *(f"{row},{k % 2}x" for k, row in enumerate(ROWS)),
        ]
    ),
    "truth": "\n".join(["a,b,c,d", *(f"{row},{k % 3 == 0}" for k, row in enumerate(ROWS))]),
    "remarks and blank lines": "\n".join(["# x", "a,b,c", *ROWS[:2000], "", "# y", *ROWS[2000:]]),
    "quotes": "\n".join(['"a","b, x",c', *ROWS, '"1","2","3"']),
    "thousands": "\n".join(
        ["a,b,c,d", *(f'{row},"1,{k % 900 + 100}.5"' for k, row in enumerate(ROWS))]
    ),
    "dates": "\n".join(["a,b,c,d", *(f"{row},2020-01-0{k % 9 + 1}" for k, row in enumerate(ROWS))]),
}


@pytest.mark.parametrize("case", CONTENTS)
def test_the_same_table(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = both(tmp_path, CONTENTS[case], monkeypatch)
    np.testing.assert_array_equal(one.data, other.data)
    assert one.names == other.names
    assert one.notes == other.notes
    assert one.kinds == other.kinds
    assert one.left_out == other.left_out
    assert one.first_missing == other.first_missing


ODD: dict[str, tuple[str | bytes, str]] = {
    "a word": ("\n".join(["a,b,c", *ROWS, "1,oops,3"]), r"'b' \('oops' in line 4002\)"),
    "an infinite value": ("\n".join(["a,b,c", *ROWS, "1,1e999,3"]), "holds '1e999' in line 4002"),
    "a short line": ("\n".join(["a,b,c", *ROWS, "1,2"]), "Line 4002 of data"),
    "an open quote": ("\n".join(["a,b,c", *ROWS[:9], '1,"2,3', *ROWS]), "A quote .* line 11 of"),
    "a NUL": ("\n".join(["a,b,c", *ROWS, "1,2,\0"]), "is a binary file, .* line 4002"),
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_is_read_with_care(case: str, tmp_path: Path) -> None:
    content, message = ODD[case]
    with pytest.raises(InvalidDataError, match=message):
        read(tmp_path, content)


def test_other_letters_far_below(tmp_path: Path) -> None:
    words = [f"{row},{('low', 'high')[k % 2]}" for k, row in enumerate(ROWS)]
    content = "\n".join(["a,b,c,d", *words, "1,2,3,größe", "1,2,3,größe"]).encode("latin-1")
    table = read(tmp_path, content)
    assert table.kinds[3].levels == ("größe", "high", "low")
    assert "Windows-1252" in table.notes[0]


def test_digits_that_a_double_does_not_keep(tmp_path: Path) -> None:
    rows = [f"{row},{2**62 + 2 * k + 1}" for k, row in enumerate(ROWS)]
    assert read(tmp_path, "\n".join(["a,b,c,d", *rows])).rounded == ("d",)


def test_a_file_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["a,b,c", *ROWS * 5]))
    assert path.stat().st_size > 1 << 20

    def refuse(self: Path) -> bytes:
        raise AssertionError("all bytes were read at once")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert read_file(path).data.shape == (20_000, 3)
