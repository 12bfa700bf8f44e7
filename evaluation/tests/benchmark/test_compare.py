"""Two runs: worse, better, or noise."""

from __future__ import annotations

from typing import Any

from daglock_evaluation.benchmark.compare import Change, compare

CASE = {"d": 50}


def record(peer: str, seed: int, **more: Any) -> dict[str, Any]:
    return {
        "case": CASE,
        "label": "a case",
        "peer": peer,
        "seed": seed,
        "status": "ok",
        "target": "dag",
        "returns": "class" if peer.startswith("flop") else "dag",
        "shd": 3,
        "cpdag_shd": 2,
        "cpu_seconds": 0.1 if peer == "daglock" else 1.0,
        **more,
    }


def runs(**ours: Any) -> list[dict[str, Any]]:
    """Five graphs with daglock and another method."""
    mine = [
        record("daglock", seed, **{name: value[seed] for name, value in ours.items()})
        for seed in range(5)
    ]
    return [*mine, *(record("flop-20", seed) for seed in range(5))]


def verdicts(changes: list[Change]) -> dict[str, str]:
    return {change.what: change.verdict for change in changes}


def test_the_same_is_the_same() -> None:
    assert verdicts(compare(runs(), runs())) == {"accuracy": "same", "speed": "same"}


def test_every_graph_worse_is_worse() -> None:
    found = compare(runs(), runs(shd=[5, 6, 5, 7, 5]))
    assert verdicts(found)["accuracy"] == "worse"
    change = next(change for change in found if change.what == "accuracy")
    assert (change.old, change.new, change.n) == (3.0, 5.6, 5)
    back = compare(runs(shd=[5, 6, 5, 7, 5]), runs())
    assert verdicts(back)["accuracy"] == "better"


def test_noise_between_seeds_is_no_change() -> None:
    assert verdicts(compare(runs(), runs(shd=[9, 0, 3, 0, 5])))["accuracy"] == "same"


def test_a_slower_machine_is_no_slower_method() -> None:
    slow = [{**r, "cpu_seconds": 3.0 * r["cpu_seconds"]} for r in runs()]
    found = compare(runs(), slow)
    assert verdicts(found)["speed"] == "same"


def test_slower_than_the_others_is_worse() -> None:
    found = compare(runs(), runs(cpu_seconds=[0.2, 0.21, 0.19, 0.2, 0.22]))
    assert verdicts(found)["speed"] == "worse"
    change = next(change for change in found if change.what == "speed")
    assert 1.9 < change.new / change.old < 2.2


def test_a_tenth_slower_is_within_the_noise_of_machines() -> None:
    found = compare(runs(), runs(cpu_seconds=[0.11, 0.11, 0.11, 0.11, 0.11]))
    assert verdicts(found)["speed"] == "same"


def test_times_do_not_compare_without_another_method() -> None:
    alone = [r for r in runs() if r["peer"] == "daglock"]
    assert "speed" not in verdicts(compare(alone, alone))


def test_a_run_that_no_longer_ends_is_worse() -> None:
    new = runs()
    new[0] = {**new[0], "status": "failed"}
    found = compare(runs(), new)
    assert [(c.what, c.verdict) for c in found if c.what == "runs"] == [("runs", "worse")]


def test_a_class_is_judged_by_the_distance_of_classes() -> None:
    old = [{**r, "target": "class"} for r in runs()]
    new = [{**r, "target": "class"} for r in runs(cpdag_shd=[4, 4, 4, 5, 4], shd=[0] * 5)]
    assert verdicts(compare(old, new))["accuracy"] == "worse"


def test_one_graph_cannot_tell() -> None:
    old = [record("daglock", 0)]
    assert compare(old, [record("daglock", 0, shd=4)])[0].verdict == "unknown"


def test_all_cases_together_tell_more_than_one() -> None:
    old, new = [], []
    for name in "abc":
        for seed in range(2):
            old.append(record("daglock", seed, case={"d": name}, label=name))
            new.append(record("daglock", seed, case={"d": name}, label=name, shd=4 + seed))
    found = {change.label: change.verdict for change in compare(old, new)}
    assert found["a"] == "same"
    assert found["all cases"] == "worse"


def of(peer: str, **figures: list[float]) -> list[dict[str, Any]]:
    """Five graphs with a variant of daglock."""
    return [record(peer, seed, **{k: v[seed] for k, v in figures.items()}) for seed in range(5)]


def test_a_worse_score_at_the_same_price_is_worse() -> None:
    old = of("daglock-2bic", score=[-100.0, -90.0, -80.0, -70.0, -60.0])
    new = of("daglock-2bic", score=[-99.0, -88.5, -79.1, -69.0, -58.9])
    assert verdicts(compare(old, new))["score"] == "worse"
    assert verdicts(compare(new, old))["score"] == "better"
    # Of others scores are at another price from version to version.
    plain = [{**r, "peer": "daglock"} for r in old]
    assert "score" not in verdicts(compare(plain, plain))


def test_more_false_arrows_or_fewer_arrows_are_worse() -> None:
    old = of("daglock-claims", n_false=[0, 0, 1, 0, 0], n_arrows=[30, 31, 29, 30, 30])
    wrong = of("daglock-claims", n_false=[2, 3, 3, 2, 2], n_arrows=[30, 31, 29, 30, 30])
    shy = of("daglock-claims", n_false=[0, 0, 1, 0, 0], n_arrows=[20, 21, 18, 20, 20])
    assert verdicts(compare(old, wrong))["false arrows"] == "worse"
    found = verdicts(compare(old, shy))
    assert (found["false arrows"], found["arrows"]) == ("same", "worse")


def test_memory_counts_from_a_fifth_on() -> None:
    old = of("daglock", peak_mb=[300.0, 310.0, 305.0, 300.0, 302.0])
    little = of("daglock", peak_mb=[330.0, 335.0, 332.0, 330.0, 331.0])
    much = of("daglock", peak_mb=[400.0, 410.0, 402.0, 401.0, 405.0])
    assert verdicts(compare(old, little))["memory"] == "same"
    assert verdicts(compare(old, much))["memory"] == "worse"
