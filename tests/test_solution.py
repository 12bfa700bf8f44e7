"""Status, Trace and Solution."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.solution import Solution, Status, Trace
from daglock.typing import Array


def matrix(*entries: tuple[int, int], d: int = 3) -> Array:
    W = np.zeros((d, d))
    for i, j in entries:
        W[i, j] = 0.5
    return W


def test_every_status_has_its_own_sentence() -> None:
    sentences = {status.sentence for status in Status}
    assert len(sentences) == len(Status)
    assert all(sentence.endswith(".") for sentence in sentences)
    assert [status.name.lower() for status in Status] == [status.value for status in Status]
    assert Status("converged") is Status.CONVERGED
    assert {status for status in Status if status.is_success} == {
        Status.CONVERGED,
        Status.STAYED_AT_START,
    }


def traced(*points: Array) -> Trace:
    rows = [Trace.row(W, objective=0.0, h=0.0, step_size=1.0, outer=0) for W in points]
    return Trace.of(rows)


@pytest.mark.parametrize(
    ("supports", "expected"),
    [
        ([], None),
        ([()], 0),
        ([(), ()], 0),
        ([(), ((0, 1),)], 1),
        ([((0, 1),), (), ((0, 1),), ((0, 1),)], 2),
        ([((0, 1),), ((1, 0),), ((1, 0),), ((0, 1),)], 3),
    ],
)
def test_identification_iteration(
    supports: list[tuple[tuple[int, int], ...]], expected: int | None
) -> None:
    trace = traced(*(matrix(*support) for support in supports))
    assert trace.identification_iteration == expected
    assert len(trace) == len(supports)


def test_trace_records_what_is_there() -> None:
    W = matrix((0, 1), (1, 2))
    trace = Trace.of([Trace.row(W, objective=1.5, h=0.1, step_size=0.25, outer=3)])
    assert trace.objective.tolist() == [1.5]
    assert trace.h.tolist() == [0.1]
    assert trace.step_size.tolist() == [0.25]
    assert trace.n_nonzero.tolist() == [2]
    assert trace.norm[0] == pytest.approx(np.sqrt(0.5))
    assert trace.outer.tolist() == [3]
    assert trace.fingerprint.dtype == np.uint64


def test_fingerprint_depends_on_the_support_alone() -> None:
    points = matrix((0, 1)), -2 * matrix((0, 1)), matrix((1, 0)), matrix()
    prints = traced(*points).fingerprint
    assert prints[0] == prints[1]
    assert len(set(prints.tolist())) == 3


def test_solution_is_a_dag_only_if_its_graph_is() -> None:
    W = matrix((0, 1), (1, 2))
    trace = traced()
    solution = Solution(W, Status.CONVERGED, h=0.0, objective=1.0, n_iter=0, trace=trace)
    assert solution.is_dag
    assert solution.n_nonzero == 2
    W[2, 0] = 1e-300
    assert solution.n_nonzero == 2
    cyclic = Solution(W, Status.CONVERGED_CYCLIC, h=0.0, objective=1.0, n_iter=0, trace=trace)
    assert not cyclic.is_dag
    with pytest.raises(ValueError, match="read-only"):
        solution.W[0, 0] = 1.0
