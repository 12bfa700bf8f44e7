"""The demonstration runs and prints a row for each method."""

from __future__ import annotations

from pathlib import Path

import pytest

from daglock.demo import entries, main
from daglock.moments import Moments


def test_demo_draws_the_graph_of_the_shipped_data(tmp_path: Path) -> None:
    picture = tmp_path / "sachs.png"
    assert (
        main(["--nodes", "3", "--samples", "50", "--time-limit", "0", "--picture", str(picture)])
        == 0
    )
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_demo_prints_a_row_for_each_method(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--nodes", "4", "--samples", "50", "--time-limit", "0.1"]) == 0
    printed = capsys.readouterr().out
    head, _, body = printed.partition("method ")
    assert "4 nodes, 4 edges" in head
    moments = Moments.from_covariance([[1.0, 0.5], [0.5, 1.0]], n=10)
    assert "daglock" in body
    for entry in entries(moments):
        assert entry.name in body
    assert "empty graph" in body
    assert "SHD" in body
