"""Results are never written over something else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from daglock.cli.command import OutputError
from daglock.cli.results import FORMAT, GRAPH, new_file, require_free, write_text


def make_result(folder: Path, content: str = "old") -> None:
    folder.mkdir()
    (folder / GRAPH).write_text(json.dumps({"format": FORMAT}))
    (folder / "edges.csv").write_text(content)


def test_what_is_free(tmp_path: Path) -> None:
    require_free(tmp_path / "new", force=False)
    require_free(tmp_path / "a" / "b" / "new", force=False)
    (tmp_path / "empty").mkdir()
    require_free(tmp_path / "empty", force=False)
    make_result(tmp_path / "x")
    require_free(tmp_path / "x", force=True)
    with pytest.raises(OutputError, match="has results already: replace them with --force"):
        require_free(tmp_path / "x", force=False)


def test_a_run_that_did_not_finish_is_finished_by_its_command(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    make_result(folder)
    begun = {"format": FORMAT, "complete": False, "command": "daglock learn a.csv --force"}
    (folder / GRAPH).write_text(json.dumps(begun))
    require_free(folder, force=False, command="daglock learn a.csv")
    with pytest.raises(OutputError, match="already: finish them with the command that began them"):
        require_free(folder, force=False, command="daglock learn b.csv")
    (folder / GRAPH).write_text(json.dumps({**begun, "complete": True}))
    with pytest.raises(OutputError, match="already: replace them"):
        require_free(folder, force=False, command="daglock learn a.csv")


def test_what_is_not_ours_is_never_free(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("text")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / GRAPH).write_text("[]")
    make_result(tmp_path / "x")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("thesis", "file", "odd", "link", "dangling"):
        for force in (False, True):
            with pytest.raises(OutputError, match=f"{name}' exists and is no result of daglock"):
                require_free(tmp_path / name, force=force)
    with pytest.raises(OutputError, match="file' is not a folder"):
        require_free(tmp_path / "file" / "x", force=False)


def test_a_folder_that_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="cannot be written to: choose another --out"):
        require_free(tmp_path / "x", force=False)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a" / "x.txt"
    write_text(new_file(file, force=False), "ü\r\n")
    assert file.read_bytes() == b"\xc3\xbc\r\n"
    with pytest.raises(OutputError, match=r"x\.txt' exists already: replace it with --force"):
        new_file(file, force=False)
    assert new_file(file, force=True) == file
    with pytest.raises(OutputError, match="is a folder: name a file"):
        new_file(tmp_path, force=True)
    with pytest.raises(OutputError, match="cannot be written"):
        write_text(file / "y", "text")
