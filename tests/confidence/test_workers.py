"""Processes that are killed at their work: it is done again, and one that always dies is named."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from daglock.clusters import MOST_DEATHS
from daglock.confidence.workers import Workers
from daglock.errors import WorkerDiedError


def square(number: int, folder: Path, deadly: int, deaths: int) -> int:
    """Return the square of a number; of one number only after some deaths."""
    (folder / f"{number}-{os.getpid()}").touch()
    if number == deadly and len(list(folder.glob(f"{number}-*"))) <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


@pytest.mark.parametrize("deaths", [1, 2])
def test_what_was_lost_is_done_again(tmp_path: Path, deaths: int) -> None:
    with Workers(2) as workers:
        pieces = [(number, tmp_path, 3, deaths) for number in range(8)]
        assert list(workers.in_order(square, pieces)) == [n**2 for n in range(8)]
        more = [(number, tmp_path, 3, 0) for number in range(8, 12)]
        assert list(workers.in_order(square, more)) == [n**2 for n in range(8, 12)]


def test_three_deaths_of_the_same_are_an_error_that_keeps_the_rest(tmp_path: Path) -> None:
    done: list[int] = []
    with Workers(2) as workers:
        pieces = [(number, tmp_path, 3, 100) for number in range(8)]
        with pytest.raises(WorkerDiedError, match="Replicate 4 has ended its process 3 times"):
            done.extend(workers.in_order(square, pieces))
    assert done == [0, 1, 4]
    assert MOST_DEATHS <= len(list(tmp_path.glob("3-*"))) <= MOST_DEATHS + 1


def fail(number: int) -> int:
    raise ZeroDivisionError(number)


def test_other_errors_are_not_taken_for_deaths() -> None:
    with Workers(2) as workers, pytest.raises(ZeroDivisionError):
        list(workers.in_order(fail, [(1,)]))
