"""A folder of results is written whole or not at all, and never over something else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from daglock.cli.command import OutputError
from daglock.cli.results import FORMAT, GRAPH, new_file, require_free, write_text, writing


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def make_result(folder: Path, content: str = "old") -> None:
    folder.mkdir()
    (folder / GRAPH).write_text(json.dumps({"format": FORMAT}))
    (folder / "edges.csv").write_text(content)


def test_written_whole(tmp_path: Path) -> None:
    with writing(tmp_path / "new" / "x.daglock") as temporary:
        (temporary / "a").write_text("1")
        assert temporary.parent == tmp_path / "new"
        assert not (tmp_path / "new" / "x.daglock").exists()
    assert names(tmp_path / "new") == {"x.daglock"}
    assert names(tmp_path / "new" / "x.daglock") == {"a"}
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "new" / "x.daglock").stat().st_mode & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("there", [False, True])
def test_nothing_half_written_is_left(
    tmp_path: Path, error: type[BaseException], there: bool
) -> None:
    folder = tmp_path / "x"
    if there:
        make_result(folder)

    def fail_halfway() -> None:
        with writing(folder) as temporary:
            (temporary / "a").write_text("1")
            raise error

    with pytest.raises(error):
        fail_halfway()
    assert names(tmp_path) == ({"x"} if there else set())
    if there:
        assert (folder / "edges.csv").read_text() == "old"


def test_files_of_the_user_stay(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    make_result(folder)
    (folder / "bootstrap.csv").write_text("old")
    (folder / "notes.txt").write_text("mine")
    (folder / "figures").mkdir()
    (folder / "figures" / "one.png").write_text("mine")
    with writing(folder) as temporary:
        (temporary / "edges.csv").write_text("new")
    assert names(folder) == {"edges.csv", "notes.txt", "figures"}
    assert (folder / "edges.csv").read_text() == "new"
    assert (folder / "figures" / "one.png").read_text() == "mine"
    assert names(tmp_path) == {"x"}


def test_the_old_results_come_back_when_the_new_cannot_be_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x"
    make_result(folder)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if target == folder and self.parent == tmp_path:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    message = r"x' cannot be written: No space left"
    with pytest.raises(OutputError, match=message), writing(folder) as temporary:
        (temporary / "edges.csv").write_text("new")
    assert (folder / "edges.csv").read_text() == "old"
    assert names(tmp_path) == {"x"}


def test_what_is_free(tmp_path: Path) -> None:
    require_free(tmp_path / "new", force=False)
    require_free(tmp_path / "a" / "b" / "new", force=False)
    (tmp_path / "empty").mkdir()
    require_free(tmp_path / "empty", force=False)
    make_result(tmp_path / "x")
    require_free(tmp_path / "x", force=True)
    with pytest.raises(OutputError, match="has results already: replace them with --force"):
        require_free(tmp_path / "x", force=False)


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
