"""Probabilities: symmetric, monotone, humbler where the model fails; claims without cycles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daglock.confidence import Confidence
from daglock.confidence.calibration import SPEAKERS, Calibration, direction_terms, shipped
from daglock.confidence.evidence import Evidence
from daglock.confidence.opinions import OPINIONS

K = len(OPINIONS)


def evidence(m: int = 50, seed: int = 0, misfit: float = 0.3) -> Evidence:
    rng = np.random.default_rng(seed)
    d = 2 * m
    return Evidence(
        first=np.arange(0, d, 2),
        second=np.arange(1, d, 2),
        joined=rng.random(m),
        lead=rng.uniform(-1, 1, m),
        arrow=rng.choice([-1.0, 0.0, 1.0], m),
        margin=rng.choice([-1.0, 0.0, 1.0], m),
        shaped=rng.choice([-1.0, 0.0, 1.0], m),
        known=np.zeros(m),
        required=np.zeros(m, dtype=np.bool_),
        opinions=rng.uniform(-1, 1, (m, K)),
        misfit=np.full(m, misfit),
        regimes=rng.uniform(-1, 1, m),
        hidden=np.where(rng.random(m) < 0.1, rng.uniform(1, 20, m), 0.0),
    )


def test_no_direction_that_was_learned_is_relied_on_where_rows_are_not_what_they_seem() -> None:
    """However surely everybody speaks for it: what is told is another matter."""
    m = 6
    sure = replace(
        evidence(m, misfit=0.0),
        joined=np.ones(m),
        lead=np.ones(m),
        margin=np.ones(m),
        shaped=np.ones(m),
        opinions=np.ones((m, K)),
        regimes=np.ones(m),
        hidden=np.zeros(m),
        arrow=np.ones(m),
        known=np.array([1.0, *np.zeros(m - 1)]),
    )
    names = tuple(f"x{i}" for i in range(2 * m))
    trusting = Calibration((5.0, 5.0, 0.0, 0.0, 0.0), shipped().holds, shipped().fails)

    def claims(e: Evidence) -> tuple[str, ...]:
        return Confidence.weigh(e, names, "class", 100, calibration=trusting).claims.claims

    assert claims(sure) == ("directed",) * m
    for doubtful in (replace(sure, dependent=True), replace(sure, smaller=0.3)):
        assert claims(doubtful) == ("directed", *["leaning"] * (m - 1))


def exchanged(e: Evidence) -> Evidence:
    """The same with the columns of each pair exchanged."""
    return replace(
        e,
        lead=-e.lead,
        arrow=-e.arrow,
        margin=-e.margin,
        shaped=-e.shaped,
        known=-e.known,
        opinions=-e.opinions,
        regimes=-e.regimes,
    )


def test_exchanging_the_columns_exchanges_the_probabilities() -> None:
    e = evidence()
    np.testing.assert_allclose(
        shipped().directions(e), 1 - shipped().directions(exchanged(e)), atol=1e-12
    )
    np.testing.assert_allclose(shipped().links(e), shipped().links(exchanged(e)))


def test_no_coefficient_of_a_direction_is_negative() -> None:
    assert min(*shipped().holds, *shipped().fails) >= 0
    assert len(shipped().holds) == len(SPEAKERS) == direction_terms(evidence()).shape[1]


def test_more_evidence_for_a_direction_never_lowers_it() -> None:
    e = evidence()
    for more in (
        replace(e, lead=np.minimum(e.lead + 0.3, 1.0)),
        replace(e, margin=np.minimum(e.margin + 1.0, 1.0)),
        replace(e, opinions=np.minimum(e.opinions + 0.3, 1.0)),
        replace(e, regimes=np.minimum(e.regimes + 0.3, 1.0)),
    ):
        assert (shipped().directions(more) >= shipped().directions(e) - 1e-12).all()


def test_more_replicates_that_join_a_pair_make_it_likelier() -> None:
    e = evidence()
    higher = shipped().links(replace(e, joined=np.minimum(e.joined + 0.2, 1.0)))
    assert (higher >= shipped().links(e)).all()


def test_the_word_of_the_class_counts_for_less_where_the_model_fails() -> None:
    nothing = np.zeros(50)
    e = replace(
        evidence(), opinions=np.zeros((50, K)), shaped=nothing, margin=nothing, regimes=nothing
    )
    sure = [np.abs(shipped().directions(replace(e, misfit=np.full(50, m))) - 0.5) for m in (0, 1)]
    assert (sure[1] <= sure[0] + 1e-12).all()
    assert sure[1].mean() < 0.8 * sure[0].mean()


def test_no_evidence_is_one_half() -> None:
    nothing = np.zeros(50)
    e = replace(
        evidence(),
        lead=nothing,
        margin=nothing,
        shaped=nothing,
        regimes=nothing,
        opinions=np.zeros((50, K)),
    )
    np.testing.assert_array_equal(shipped().directions(e), 0.5)


def test_knowledge_is_certain_whatever_the_rest_says() -> None:
    e = replace(evidence(), known=np.where(np.arange(50) % 2, 1.0, -1.0))
    np.testing.assert_array_equal(shipped().directions(e), np.arange(50) % 2)


def test_coefficients_say_where_they_come_from() -> None:
    from importlib.resources import files

    text = files("daglock.confidence").joinpath("coefficients.json").read_text(encoding="utf-8")
    assert "daglock_evaluation.calibration" in text


def test_claims_do_not_go_round_in_circles() -> None:
    """a -> b -> c -> a, the last the least sure: it is not known."""
    e = replace(
        evidence(3),
        first=np.array([0, 1, 0]),
        second=np.array([1, 2, 2]),
        arrow=np.array([1.0, 1.0, -1.0]),
        joined=np.ones(3),
        lead=np.array([1.0, 0.9, -0.6]),
        margin=np.array([1.0, 1.0, -1.0]),
        shaped=np.zeros(3),
        opinions=np.zeros((3, K)),
        misfit=np.zeros(3),
        regimes=np.zeros(3),
        hidden=np.zeros(3),
    )
    calibration = Calibration(
        (5.0, 5.0, 0.0, 0.0, 0.0), (4.0,) * len(SPEAKERS), (1.0,) * len(SPEAKERS)
    )
    sure = Confidence.weigh(e, ("a", "b", "c"), "class", 100, calibration=calibration)
    said = {
        (sure.names[i], sure.names[j]): claim
        for i, j, claim in zip(sure.source, sure.target, sure.claims.claims, strict=True)
    }
    assert said == {("a", "b"): "directed", ("b", "c"): "directed", ("c", "a"): "open"}


@pytest.mark.parametrize(
    ("link", "direction", "told", "claim", "because"),
    [
        (1.0, 0.5, False, "open", ""),
        (1.0, 0.649, False, "open", ""),
        (1.0, 0.65, False, "leaning", ""),
        (1.0, 0.899, False, "leaning", ""),
        (1.0, 0.9, False, "directed", ""),
        (0.9, 1.0, False, "directed", ""),
        (0.95, 0.95, False, "directed", ""),
        (0.94, 0.95, False, "leaning", "link"),
        (0.89, 1.0, False, "leaning", "link"),
        (0.25, 0.99, False, "open", "link"),
        (0.7, 0.7, False, "open", ""),
        (0.25, 1.0, True, "directed", "knowledge"),
        (1.0, 1.0, True, "directed", "knowledge"),
    ],
)
def test_claims_are_about_the_arrow(
    link: float, direction: float, told: bool, claim: str, because: str
) -> None:
    e = evidence(1)
    sure = Confidence.weigh(replace(e, arrow=np.ones(1)), ("a", "b"), "class", 100)
    sure = replace(
        sure, link=np.array([link]), direction=np.array([direction]), known=np.array([told])
    )
    table = sure.table()
    assert (table["claim"][0], table["because"][0]) == (claim, because)
    assert table["arrow"][0] == link * direction
    assert sure.claims.settled.tolist() == [direction >= 0.9]
    absent = replace(sure, in_graph=np.array([False])).claims  # nothing is claimed of such a pair
    assert (absent.claims, absent.because) == (("open",), ("",))
