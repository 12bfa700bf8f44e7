"""A folder of results is one process's at a time, and is written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from daglock.cli import claiming
from daglock.cli.claiming import claimed, require_claimable
from daglock.cli.command import OutputError
from daglock.cli.results import FORMAT, GRAPH
from tests.cli.test_results import make_result


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def write(folder: Path, content: str) -> None:
    with claimed(folder, force=True) as claim, claim.writing() as temporary:
        (temporary / "edges.csv").write_text(content)


def test_written_whole(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "x.daglock"
    with claimed(folder, force=False) as claim, claim.writing() as temporary:
        (temporary / "a").write_text("1")
        assert temporary.parent.parent == tmp_path / "new"
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
        with claimed(folder, force=True) as claim, claim.writing() as temporary:
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
    with claimed(folder, force=True) as claim, claim.writing() as temporary:
        (temporary / "edges.csv").write_text("new")
    assert names(folder) == {"edges.csv", "notes.txt", "figures"}
    assert (folder / "edges.csv").read_text() == "new"
    assert (folder / "figures" / "one.png").read_text() == "mine"
    assert names(tmp_path) == {"x"}


@pytest.mark.parametrize("swapping", [True, False])
def test_the_old_results_come_back_when_the_new_cannot_be_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapping: bool
) -> None:
    folder = tmp_path / "x"
    make_result(folder)
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name == ("new" if swapping else "swap"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    if not swapping:
        monkeypatch.setattr(claiming, "exchange", lambda first, second: False)
    with pytest.raises(OutputError, match=r"x' cannot be written: No space left"):
        write(folder, "new")
    assert (folder / "edges.csv").read_text() == "old"
    assert names(tmp_path) == {"x"}


def test_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    with claimed(folder, force=False):
        with pytest.raises(OutputError, match="x' is being written by another process"):
            write(folder, "other")
        assert names(tmp_path) == {".x.working"}
    write(folder, "other")
    assert names(tmp_path) == {"x"}


def test_replicates_stay_where_the_work_does_not_end(tmp_path: Path) -> None:
    folder = tmp_path / "x"

    def stop() -> None:
        with claimed(folder, force=False) as claim:
            claim.replicates.write_text("work")
            raise SystemExit

    with pytest.raises(SystemExit):
        stop()
    assert names(tmp_path) == {".x.working"}
    with claimed(folder, force=False) as claim:
        assert claim.replicates.read_text() == "work"
    assert names(tmp_path) == set()


def test_what_was_left_beside_finished_results_is_removed_also_where_they_stay(
    tmp_path: Path,
) -> None:
    folder, work = tmp_path / "x", tmp_path / ".x.working"
    for complete in (True, False):
        make_result(folder)
        about = {"format": FORMAT, "complete": complete}
        (folder / GRAPH).write_text(json.dumps(about))
        work.mkdir()
        (work / "replicates.jsonl").write_text("work")
        with pytest.raises(OutputError, match="has results already"):
            require_claimable(folder, force=False, command="daglock learn other.csv")
        assert work.exists() is not complete  # those of results that are not finished are kept
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_folders_made_for_nothing_are_removed(tmp_path: Path) -> None:
    def fail() -> None:
        with claimed(tmp_path / "a" / "b" / "x", force=False):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert names(tmp_path) == set()
