"""One table, one policy: a file, a frame and an array are judged alike, and rows are remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError
from daglock.table import Table, file, frames, read_file, read_table
from daglock.table.columns import Raw
from daglock.table.file import Format
from daglock.table.policy import find_faults
from daglock.table.source import Source
from daglock.table.table import BLANK, INCOMPLETE
from daglock.table.text import read_text
from daglock.typing import Array
from tests.table.reader import read


def rows() -> Array:
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:, 2] += 2.0 * X[:, 0]
    X[[3, 8], [0, 1]] = np.nan
    return X


def write(folder: Path, X: Array) -> Path:
    path = folder / "data.csv"
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(path, index=False)
    return path


def test_rows_that_are_left_out_are_those_of_the_source(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n1,2\n,\n3,\n4,5\n,6\n7,8\n")
    assert {reason: gone.tolist() for reason, gone in table.dropped.items()} == {BLANK: [1]}
    assert table.n_dropped == 0
    complete = read_table(table, missing="drop")
    assert complete.data.tolist() == [[1, 2], [4, 5], [7, 8]]
    assert complete.dropped[BLANK].tolist() == [1]
    assert complete.dropped[INCOMPLETE].tolist() == [2, 4]
    assert complete.n_dropped == 2
    assert len(table.data) == 5  # what was read is as it was


def test_a_file_a_frame_and_an_array_give_one_graph(tmp_path: Path) -> None:
    X = rows()
    sources = [read_file(write(tmp_path, X)), pd.DataFrame(X, columns=["a", "b", "c"]), X]
    models = []
    for source in sources:
        with pytest.warns(DataWarning, match="2 of 60 rows have missing values and were left out"):
            models.append(DAGLock("unequal", missing="drop", random_state=0).fit(source))
    for model in models:
        assert model.n_dropped_ == 2
        np.testing.assert_array_equal(model.moments_.cov, models[0].moments_.cov)
        np.testing.assert_array_equal(model.to_sparse().toarray(), models[0].to_sparse().toarray())
    assert models[0].names_ == models[1].names_ == ("a", "b", "c")
    assert isinstance(models[0].weights_, pd.DataFrame)
    # and the rows of a file are kept for the bootstrap, as those of a frame are
    one, other = (model.bootstrap(4, rng=0, progress=False) for model in models[:2])
    assert one.drawn_from == "rows"
    np.testing.assert_array_equal(one.forward, other.forward)


def test_a_table_of_a_file_is_scored_by_name(tmp_path: Path) -> None:
    X = rows()[10:]
    model = DAGLock("unequal", random_state=0).fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    turned = tmp_path / "turned.csv"
    pd.DataFrame(X[:, ::-1], columns=["c", "b", "a"]).to_csv(turned, index=False)
    assert model.score(read_file(turned)) == pytest.approx(model.score(X), rel=1e-12)


def test_a_file_speaks_of_lines_and_an_object_of_rows(tmp_path: Path) -> None:
    X = rows()
    with pytest.raises(
        InvalidDataError, match=r"first in line 5, column 'a': .* --missing drop\.$"
    ):
        DAGLock().fit(read_file(write(tmp_path, X)))
    with pytest.raises(InvalidDataError, match=r"1 in column 0, 1 in column 1\. .*missing='drop'"):
        DAGLock().fit(X)


def test_what_is_to_be_done_is_asked_before_the_table_is_read() -> None:
    with pytest.raises(InvalidParameterError, match="refuse, drop or model; got 'fill'"):
        read_table("no table", missing="fill")


def test_all_for_which_a_table_is_refused_is_said_at_once() -> None:
    data = np.array([[1.0, np.nan, 5.0, 0.0], [2.0, 3.0, 5.0, np.inf], [3.0, 4.0, 5.0, 1.0]])
    with pytest.raises(InvalidDataError) as caught:
        read_table(data)
    message = str(caught.value)
    assert message.startswith("2 things stand in the way.")
    for part in ("infinite (inf)", "missing='model'"):
        assert part in message
    with pytest.raises(InvalidDataError, match=r"^Column 'x3' is infinite"):
        read_table(data, missing="model")


def test_gaps_are_kept_where_they_are_modelled() -> None:
    data = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, 3.0], [np.nan, 1.0]])
    table = read_table(data, missing="model")
    np.testing.assert_array_equal(table.data, data[[0, 2, 3]])
    assert table.n_dropped == 1


def test_columns_of_a_file_without_a_value_are_left_out(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b,c,d\n1,,NA,2\n3,,?,5\n4,,NA,1\n")
    assert table.left_out == {"b": "has no value", "c": "has no value"}
    assert (table.names, table.first_missing) == (("a", "d"), "")


def test_all_faults_are_found_at_once_and_what_is_left_is_complete(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b,c,d\n1,5,2,\n2,5,4,1\n4,5,3,2\n")
    faults, usable = find_faults(table)
    assert [fault.title for fault in faults] == ["Missing values"]
    assert table.left_out == {"b": "does not vary"}
    assert usable.names == ("a", "c", "d")
    assert usable.data.tolist() == [[2, 4, 1], [4, 3, 2]]
    assert find_faults(usable) == ([], usable)


def test_progress_is_no_setting_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    X = rows()[10:]
    shown = DAGLock("unequal", n_restarts=2, random_state=0).fit(X, progress=True)
    assert "unequal variances" in capsys.readouterr().err
    assert shown.verbose == 0
    DAGLock("unequal", n_restarts=2, random_state=0, verbose=1).fit(X, progress=False)
    assert capsys.readouterr().err == ""


def test_a_new_reader_is_a_line_in_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sheet:
        """An object that no reader knows yet."""

    def read_sheet(X: Any) -> Table | None:
        return Table(rows()[10:], ("a", "b", "c")) if isinstance(X, Sheet) else None

    def read_shout(source: Source, notes: list[str]) -> Raw:
        return read_text(Source(source.label, source.raw[6:].replace(b"!", b",")), notes)

    monkeypatch.setattr(frames, "READERS", (read_sheet, *frames.READERS))
    assert DAGLock("unequal").fit(Sheet()).names_ == ("a", "b", "c")
    monkeypatch.setattr(
        file, "FORMATS", (*file.FORMATS, Format("Shout", b"SHOUT\n", (), read_shout))
    )
    assert read(tmp_path, "SHOUT\nx!y\n1!2\n3!4\n").names == ("x", "y")
