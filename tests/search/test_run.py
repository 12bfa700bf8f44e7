"""The search as a whole: one result whatever the threads, a true graph wherever it is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import pytest

from daglock._pace import OutOfTimeError, Pace
from daglock.knowledge import Masks, knowledge_masks, respect
from daglock.search import run
from daglock.search.run import Found, search_order
from daglock.search.spec import Spec
from daglock.settings import SETTINGS
from tests.search.chains import masked_spec
from tests.search.twin import Twin, before, largest_improvement, random_spec, total_score

BOTH = pytest.mark.parametrize("equal", [False, True])


def knowledge(d: int) -> Masks:
    return knowledge_masks(
        d,
        required=[(0, 5), (1, 5), (6, 2)],
        forbidden=[(2, 3), (3, 2), (5, 7)],
        tiers=[[4, 0], [1, 2, 5]],
    )


def knowing_spec(seed: int, *, equal: bool) -> Spec:
    return masked_spec(seed, 9, 60, knowledge(9), equal=equal)


def search(spec: Spec, seed: int = 0, **settings: Any) -> Found:
    d = spec.S.shape[0]
    order = np.random.default_rng(seed).permutation(d)
    order = respect(order, before(spec))
    chosen: dict[str, Any] = {"n_restarts": 6, "rng": np.random.default_rng(seed)}
    return search_order(spec, order, **(chosen | settings))


def check(spec: Spec, found: Found) -> None:
    """A graph along an order that agrees with what is known, with its residual variances."""
    twin, d = Twin(spec), spec.S.shape[0]
    order = found.order.tolist()
    assert sorted(order) == list(range(d))
    assert twin.may_follow(order)
    for q, u in enumerate(order):
        P = set(found.parents[u].tolist())
        assert twin.required(u) <= P <= twin.allowed(u, order[:q])
        assert found.rss[u] == pytest.approx(twin.rss(u, P), rel=1e-7)
    assert found.n_edges == sum(len(P) for P in found.parents)


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_the_result_is_true_and_locally_optimal(seed: int, equal: bool) -> None:
    for spec in (
        random_spec(seed, 9, 60, equal=equal),
        knowing_spec(seed, equal=equal),
    ):
        found = search(spec, seed)
        check(spec, found)
        assert found.locally_optimal
        assert (found.stopped, found.n_restarts) == ("", 6)
        assert (np.diff(found.scores) < 1e-9).all()
        twin, parents = Twin(spec), [set(P.tolist()) for P in found.parents]
        assert found.scores[-1] >= total_score(twin, parents) - 1e-8
        assert largest_improvement(twin, found.order.tolist(), parents) < 1e-8


@BOTH
def test_the_last_round_looks_at_everybody(monkeypatch: pytest.MonkeyPatch, equal: bool) -> None:
    """Whatever the restarts leave behind, and whomever they forget to wake."""

    def spoil(first: run.Chain, *_: object) -> Iterator[tuple[int, float]]:
        kicks = np.column_stack([np.arange(9), np.arange(9)[::-1]])
        run.kick(first, kicks)
        first.state.look[:] = False
        yield 1, 0.0

    monkeypatch.setattr(run, "_restart", spoil)
    for seed in range(3):
        spec = random_spec(seed, 9, 60, equal=equal)
        found = search(spec)
        check(spec, found)
        parents = [set(P.tolist()) for P in found.parents]
        assert largest_improvement(Twin(spec), found.order.tolist(), parents) < 1e-8


@BOTH
def test_many_variables_and_plenty_of_rows(equal: bool) -> None:
    """Also where only what pays on its own is looked at: the twin looks at everything."""
    spec = random_spec(5, 24, 1000, equal=equal, n_edges=24, price=2.0)
    found = search(spec, n_restarts=4)
    check(spec, found)
    parents = [set(P.tolist()) for P in found.parents]
    assert largest_improvement(Twin(spec), found.order.tolist(), parents, everybody=True) < 1e-8


@BOTH
def test_the_same_bytes_with_one_thread_and_with_two(equal: bool) -> None:
    spec = random_spec(1, 25, 60, equal=equal)
    one, two = (search(spec, n_restarts=11, n_jobs=jobs) for jobs in (1, 2))
    assert one.order.tobytes() == two.order.tobytes()
    assert one.rss.tobytes() == two.rss.tobytes()
    assert one.scores == two.scores
    assert [P.tolist() for P in one.parents] == [P.tolist() for P in two.parents]


def test_restarts_help_and_another_seed_may_differ() -> None:
    spec = random_spec(2, 25, 60)
    twin = Twin(spec)
    none = total_score(twin, [P.tolist() for P in search(spec, n_restarts=0).parents])
    kicked = {seed: search(spec, n_restarts=20, rng=np.random.default_rng(seed)) for seed in (0, 1)}
    totals = [total_score(twin, [P.tolist() for P in found.parents]) for found in kicked.values()]
    assert max(totals) < none
    assert kicked[0].scores != kicked[1].scores


@pytest.mark.parametrize("count", range(8))
def test_restarts_are_counted(count: int) -> None:
    calls: list[tuple[int, float]] = []
    found = search(
        random_spec(0, 8, 60), n_restarts=count, progress=lambda *news: calls.append(news)
    )
    assert found.n_restarts == count
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert [done for done, _ in calls][-1:] == ([count] if count else [])
    assert [score for _, score in calls] == found.scores[1:-1]
    assert len(found.scores) == (len(calls) + 2 if count else 1)
    assert (np.diff(found.scores) < 1e-9).all()


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int, error: type[BaseException]) -> None:
    """Stop at the given look at the clock."""
    looks = 0

    def look(pace: Pace) -> None:
        nonlocal looks
        looks += 1
        pace.width = 3
        if looks > step:
            raise error

    monkeypatch.setattr(Pace, "step", look)


def outcomes(
    monkeypatch: pytest.MonkeyPatch,
    told: list[float],
    enough: int,
    lead: float = 1.0,
    chosen: int = SETTINGS.chosen_in_restarts(8),
) -> int:
    """How many restarts are done that end worse, as good or better by this; the last goes on.

    Parents are chosen so often in each of them.
    """
    scores = iter(told)

    def kicked(job: Any) -> tuple[float, Any, int]:
        chain, _, count, state, _, best, *_ = job
        now, came_back = best, 0
        chain.memo.used[2] += chosen * count
        for _ in range(count):
            change = next(scores, told[-1])
            came_back = 0 if change < 0 else came_back + (change == 0)
            now = min(now, now + change)
        return now, state, came_back

    monkeypatch.setattr(run, "_batch", kicked)
    settings = replace(SETTINGS, n_chains=1, batch=1, window=0, patience=4, lead=lead)
    spec = random_spec(0, 8, 50)
    return search(spec, n_restarts=enough, patient=True, settings=settings).n_restarts


def test_restarts_end_when_the_best_has_come_back_often_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert outcomes(monkeypatch, [0.0], 5) == 5
    assert outcomes(monkeypatch, [1.0, 0.0, 1.0, 0.0, 0.0], 5) == 7
    assert outcomes(monkeypatch, [0.0, 0.0, 0.0, 0.0, -1.0, 0.0], 5) == 10  # another best
    assert outcomes(monkeypatch, [1.0], 5) == 20  # it never comes back: four times as many


def test_restarts_end_earlier_when_nearly_all_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcomes(monkeypatch, [0.0], 8, 0.5) == 4
    assert outcomes(monkeypatch, [1.0, 0.0], 8, 0.5) == 6  # five against one
    assert outcomes(monkeypatch, [0.0, 0.0, 0.0, -1.0, 0.0], 8, 0.5) == 4 + 5  # another best
    assert outcomes(monkeypatch, [1.0, 0.0] * 20, 8, 0.5) == 16  # as many as not: eight are enough
    assert outcomes(monkeypatch, [1.0], 8, 0.5) == 32


def test_restarts_go_on_where_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until parents were chosen often enough, or five times as many have come back."""
    needed = SETTINGS.chosen_in_restarts(8)
    assert outcomes(monkeypatch, [0.0], 5, chosen=0) == 25
    assert outcomes(monkeypatch, [0.0], 5, chosen=needed // 7) == ceil(needed / (needed // 7))
    assert outcomes(monkeypatch, [1.0, 0.0] * 40, 5, chosen=0) == 50
    assert outcomes(monkeypatch, [1.0], 5, chosen=0) == 100
    assert outcomes(monkeypatch, [1.0], 5, chosen=needed // 30) == ceil(needed / (needed // 30))
    assert search(random_spec(0, 8, 50), n_restarts=5).n_restarts == 5  # those that are asked for


@BOTH
@pytest.mark.parametrize("error", [OutOfTimeError, KeyboardInterrupt])
@pytest.mark.parametrize("knows", [False, True])
def test_a_true_graph_wherever_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch, equal: bool, error: type[BaseException], knows: bool
) -> None:
    spec = knowing_spec(0, equal=equal) if knows else random_spec(0, 9, 60, equal=equal)
    scores, step = [], 0
    while True:
        stop_at(monkeypatch, step, error)
        found = search(spec)
        check(spec, found)
        scores.append(total_score(Twin(spec), [P.tolist() for P in found.parents]))
        if not found.stopped:
            break
        assert not found.locally_optimal
        assert found.stopped == ("time" if error is OutOfTimeError else "interrupt")
        step += 1
    assert step > 10
    assert found.locally_optimal
    assert min(scores) >= scores[-1] - 1e-9
    assert max(np.diff(scores)) < 1e-9  # more time is never worse


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupted_by_the_progress_callback(n_jobs: int) -> None:
    spec = random_spec(0, 12, 60)

    def interrupt(done: int, score: float) -> None:
        if done >= 8:
            raise KeyboardInterrupt

    found = search(spec, n_restarts=100, n_jobs=n_jobs, progress=interrupt)
    assert (found.stopped, found.n_restarts) == ("interrupt", 8)
    check(spec, found)
    best = total_score(Twin(spec), [P.tolist() for P in found.parents])
    assert best == pytest.approx(found.scores[-1], abs=1e-9)


def test_an_error_in_the_callback_comes_through() -> None:
    def fail(done: int, score: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        search(random_spec(0, 8, 60), progress=fail)


def test_a_deadline_that_has_passed() -> None:
    spec = knowing_spec(0, equal=False)
    found = search(spec, deadline=-np.inf)
    assert found.stopped == "time"
    check(spec, found)


def test_two_variables() -> None:
    for n_edges in (0, 1):
        spec = random_spec(0, 2, 100, n_edges=n_edges)
        found = search(spec)
        check(spec, found)
        assert found.n_edges == n_edges
