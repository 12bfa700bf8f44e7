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
