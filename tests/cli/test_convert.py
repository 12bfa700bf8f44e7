"""convert: what the library writes, on standard output or in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import daglock
from daglock.cli.command import Exit
from daglock.interop import FORMATS, convert
from tests.cli.conftest import Run


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_format(run: Run, result: Path, fmt: str) -> None:
    expected = convert(daglock.load(result), fmt).rstrip("\n") + "\n"
    assert run("convert", str(result), "--to", fmt) == (0, expected, "")
    assert run("convert", str(result / "model.npz"), "--to", fmt).out == expected
    assert run("convert", str(result), "--to", fmt, "--out", "new/x") == (0, "", "")
    assert Path("new/x").read_bytes().decode() == expected
    shown = run("convert", str(result), "--to", fmt, "--out", "new/x")
    assert shown.code == Exit.OUTPUT
    assert run("convert", str(result), "--to", fmt, "--out", "new/x", "--force").code == 0


def test_what_is_no_result(run: Run, folder: Path) -> None:
    (folder / "empty").mkdir()
    for name in ("nowhere", "data.csv", "empty"):
        shown = run("convert", name, "--to", "dot")
        assert shown.code == Exit.DATA
        assert shown.err.startswith("daglock: ")
        assert shown.err.count("\n") == 1
