"""Files of Stata, SPSS and SAS: numbers, labels, what is missing, and what is damaged."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from daglock.errors import InvalidDataError
from daglock.table import read_file
from daglock.table.columns import Raw
from daglock.table.source import Source
from daglock.table.statistics import PROGRAMS, read_statistics

FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, np.nan],
        "age": [30.0, 99.0, 41.5, 50.0],
        "grade": [1.0, 2.0, 3.0, 1.0],
        "town": ["Bonn", "", "Trier", "Bonn"],
    }
)
LABELS: dict[str, dict[int, str]] = {
    "sex": {1: "male", 2: "female"},
    "age": {99: "no answer"},
    "grade": {1: "same", 2: "same", 3: "other"},
}
WRITERS: dict[str, Callable[..., Any]] = {
    ".dta": pyreadstat.write_dta,
    ".sav": pyreadstat.write_sav,
    ".xpt": pyreadstat.write_xport,
}
SAS = Path(__file__).parent / "data" / "small.sas7bdat.gz"


def written(folder: Path, ending: str, frame: pd.DataFrame = FRAME, **options: Any) -> Path:
    file = folder / f"data{ending}"
    WRITERS[ending](frame, str(file), **options)
    return file


def raw_of(file: Path, notes: list[str] | None = None) -> Raw:
    """Return the columns before anything is decided about them."""
    content = file.read_bytes()
    ending = file.suffix
    if ending == ".gz":
        content, ending = gzip.decompress(content), Path(file.stem).suffix
    (program,) = (found for found in PROGRAMS.values() if ending in found.endings)
    assert content.startswith(program.begins)
    return read_statistics(
        program, Source(file.name, content, ending), [] if notes is None else notes
    )


def cells(raw: Raw) -> dict[str, list[Any]]:
    return {column.name: column.text.to_pylist() for column in raw.columns}


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_labels_where_all_values_have_one(tmp_path: Path, ending: str) -> None:
    notes: list[str] = []
    found = cells(raw_of(written(tmp_path, ending, variable_value_labels=LABELS), notes))
    assert found["sex"] == ["male", "female", "male", None]
    assert found["age"] == [30.0, 99.0, 41.5, 50.0]
    assert found["grade"] == [1.0, 2.0, 3.0, 1.0]  # two values with one label stay two
    assert found["town"] == ["Bonn", None, "Trier", "Bonn"]
    assert notes == ["The labels of values were taken in 'sex'."]


def test_what_a_program_counts_as_missing_is_missing(tmp_path: Path) -> None:
    file = written(
        tmp_path, ".sav", variable_value_labels=LABELS, missing_ranges={"age": [99], "sex": [2]}
    )
    found = cells(raw_of(file))
    assert found["age"] == [30.0, None, 41.5, 50.0]
    assert found["sex"] == ["male", None, "male", None]
    tagged = FRAME.astype({"age": object})
    tagged.loc[1, "age"] = "a"
    file = written(tmp_path, ".dta", tagged, missing_user_values={"age": ["a"]})
    assert cells(raw_of(file))["age"] == [30.0, None, 41.5, 50.0]


@pytest.mark.parametrize("ending", WRITERS)
def test_numbers_come_back(tmp_path: Path, ending: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((40, 3)), columns=["a", "b", "c"])
    table = read_file(written(tmp_path, ending, frame))
    assert table.names == ("a", "b", "c")
    np.testing.assert_allclose(table.data, frame.to_numpy(), rtol=1e-15)
    renamed = (tmp_path / "data").with_suffix(".csv")
    renamed.write_bytes(gzip.compress((tmp_path / f"data{ending}").read_bytes()))
    np.testing.assert_array_equal(read_file(renamed).data, table.data)


def test_older_files_of_stata(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 1.0, 2.0]})
    for version in (114, 117, 118):
        frame.to_stata(tmp_path / "old.dta", write_index=False, version=version)
        assert read_file(tmp_path / "old.dta").data.tolist() == frame.to_numpy().tolist()


def test_sas() -> None:
    found = cells(raw_of(SAS))
    assert found == {
        "age": [20.0, 30.0, 45.0, 61.0],
        "dose": [1.5, None, 2.5, 0.25],
        "town": ["Bonn", "Trier", "Bonn", None],
    }
    table = read_file(SAS, drop=["town"])
    assert table.names == ("age", "dose")
    assert table.first_missing == "row 2, column 'dose'"


def test_dates_stay_dates(tmp_path: Path) -> None:
    frame = pd.DataFrame({"day": [date(2020, 1, 31), date(1999, 5, 1)], "a": [1.0, 2.0]})
    assert cells(raw_of(written(tmp_path, ".dta", frame)))["day"] == frame["day"].tolist()


@pytest.mark.parametrize("ending", [".dta", ".sav", ".sas7bdat", ".xpt"])
def test_what_is_not_what_it_says(tmp_path: Path, ending: str) -> None:
    for raw in (b"", b"a,b\n1,2\n3,4\n", bytes(range(256))):
        (tmp_path / f"junk{ending}").write_bytes(raw)
        with pytest.raises(InvalidDataError, match=rf"junk{ending} ends in {ending}, but what it"):
            read_file(tmp_path / f"junk{ending}")


@pytest.mark.parametrize("ending", [".dta", ".sav", ".sas7bdat", ".xpt"])
def test_damaged_files(tmp_path: Path, ending: str) -> None:
    if ending == ".sas7bdat":
        whole = gzip.decompress(SAS.read_bytes())
    else:
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.standard_normal((300, 3)), columns=["a", "b", "c"])
        whole = written(tmp_path, ending, frame).read_bytes()
    (program,) = (found for found in PROGRAMS.values() if ending in found.endings)
    begins = next(begin for begin in program.begins if whole.startswith(begin))
    for raw in (begins, begins + bytes(range(256)) * 10, whole[:200]):
        (tmp_path / f"junk{ending}").write_bytes(raw)
        with pytest.raises(InvalidDataError) as caught:
            read_file(tmp_path / f"junk{ending}")
        assert "\n" not in str(caught.value)


def test_a_column_of_several_kinds() -> None:
    from daglock.table.statistics import _cells

    assert _cells([1.0, "x", None, "  "]).to_pylist() == ["1.0", "x", None, None]
    assert _cells([]).to_pylist() == []


@pytest.mark.parametrize("measure", ["ordinal", "nominal"])
def test_labels_of_ordinal_values_keep_their_order(tmp_path: Path, measure: str) -> None:
    values = np.tile([3.0, 1.0, 2.0, 9.0, np.nan], 10)
    frame = pd.DataFrame({"pain": values, "x": np.sqrt(np.arange(50.0))})
    labels = {"pain": {1: "none at all", 2: "a bit", 3: "bad", 4: "unbearable", 9: "no answer"}}
    file = written(
        tmp_path,
        ".sav",
        frame,
        variable_value_labels=labels,
        variable_measure={"pain": measure, "x": "scale"},
    )
    table = read_file(file, na=["no answer"])
    assert "Taken as missing: 10 cells with 'no answer'." in table.notes
    kind = table.kinds[0]
    if measure == "nominal":
        assert kind.levels == ("a bit", "bad", "none at all")
        assert kind.kind.value == "categorical"
        return
    assert kind.levels == ("none at all", "a bit", "bad")
    assert kind.kind.value == "ordinal"
    expected = np.tile([2.0, 0.0, 1.0, np.nan, np.nan], 10)
    np.testing.assert_array_equal(table.data[:, 0], expected)
    assert read_file(file).kinds[0].levels == ("none at all", "a bit", "bad", "no answer")
