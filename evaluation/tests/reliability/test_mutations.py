"""Files that were changed at random: whatever they hold, the user gets an error of daglock."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import daglock
from daglock.errors import InvalidDataError
from daglock_evaluation.reliability.files import KINDS
from daglock_evaluation.reliability.mutations import escapes, mutate, outcomes, signed

# A few hundred in all; `python -m daglock_evaluation.reliability.mutations` tries more.
N = 60


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_escapes(kind: str) -> None:
    assert escapes(kind, N, seed=1) == []


@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_are_read(kind: str, tmp_path: Path) -> None:
    make, read = KINDS[kind]
    for name, raw in make().items():
        (tmp_path / name).write_bytes(raw)
        read(tmp_path / name)


def test_changes_come_by_the_seed() -> None:
    raw = b"a,b\n1,2\n3,4\n"
    files = {mutate(raw, np.random.default_rng(seed)) for seed in range(50)}
    assert len(files) > 40
    assert files == {mutate(raw, np.random.default_rng(seed)) for seed in range(50)}


def test_an_escape_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: Path) -> None:
        raise ZeroDivisionError

    def die(file: Path) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setitem(KINDS, "columns", (KINDS["columns"][0], fail))
    assert len(escapes("columns", 3)) == 3
    monkeypatch.setitem(KINDS, "columns", (KINDS["columns"][0], die))
    assert [fate for _, _, fate in outcomes("columns", 2, 0)] == [
        "escaped: the process died with -9"
    ] * 2


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_what_is_read_of_a_changed_model_is_what_was_saved(ending: str, tmp_path: Path) -> None:
    """A checksum that was not made anew lets nothing through but the same content."""
    for name, raw in KINDS[f"model {ending}"][0]().items():
        assert signed(raw)[:100] == raw[:100] or ending == "npz"
        file = tmp_path / name
        file.write_bytes(raw)
        sound = daglock.load(file)
        for seed in range(40):
            file.write_bytes(mutate(raw, np.random.default_rng(seed)))
            try:
                found = daglock.load(file)
            except InvalidDataError:
                continue
            assert str(found.certificate_) == str(sound.certificate_)
            assert found.names_ == sound.names_
            assert found.learned_.cautions == sound.learned_.cautions
            np.testing.assert_array_equal(found.noise_variances_, sound.noise_variances_)
