"""Records made by hand, with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MACHINE = {"processor": "Pentium", "cores": 2, "memory_gb": 4.0, "system": "Linux x86_64"}
VERSIONS = {"python": "3.11.7", "daglock": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.1"}
CLASSES = ("flop-0", "flop-20", "xges", "boss", "ges", "pc", "classy")


def record(peer: str, seed: int = 0, shd: int | None = 0, **given: Any) -> dict[str, Any]:
    """Return the record of a run that came to an end; what is given replaces its fields."""
    d, n = given.get("d", 20), given.get("n", 1000)
    family = given.get("family", "ER1 ±[0.5,1]")
    returns = "class" if peer in CLASSES else "dag"
    made: dict[str, Any] = {
        "suite": "equal",
        "case": {"d": d, "n": n, "family": family},
        "label": f"{family} d={d} n={n}",
        "family": family,
        "d": d,
        "n": n,
        "target": "dag",
        "peer": peer,
        "returns": returns,
        "seed": seed,
        "options": {},
        "status": "ok",
        "message": "",
        "shd": None if returns == "class" else shd,
        "cpdag_shd": shd,
        "f1": 0.9,
        "exact": shd == 0,
        "is_dag": None if returns == "class" else True,
        "raw_is_dag": None if returns == "class" else True,
        "n_edges": 20,
        "n_raw": 20,
        "note": "",
        "seconds": 1.0,
        "cpu_seconds": 1.0,
        "repeats": 1,
        "warm_up_seconds": 0.5,
        "peak_mb": 200.0,
        "extra_mb": 10.0,
        "data": f"{family} {d} {n} {seed}",
        "made_with": VERSIONS,
        "time_limit": 60.0,
        "memory_limit": 8.0,
        "machine": MACHINE,
        "date": "2026-01-02",
    }
    return {**made, **given}


def without_result(peer: str, status: str, message: str, seed: int = 0, **given: Any) -> Any:
    """Return the record of a run without a result."""
    made = record(peer, seed, **given)
    kept = [name for name in made if name not in RESULT]
    return {**{name: made[name] for name in kept}, "status": status, "message": message}


RESULT = (
    *("shd", "cpdag_shd", "f1", "exact", "is_dag", "raw_is_dag", "n_edges", "n_raw", "note"),
    *("seconds", "cpu_seconds", "repeats", "warm_up_seconds", "peak_mb", "extra_mb", "data"),
    "made_with",
)


def runs(peer: str, distances: Sequence[int], **given: Any) -> list[dict[str, Any]]:
    """Return a record for each seed."""
    return [record(peer, seed, shd, **given) for seed, shd in enumerate(distances)]


def over(peer: str, seed: int = 0, **given: Any) -> Any:
    """Return the record of a run over the time limit."""
    return without_result(peer, "time limit", "over 60 s", seed, **given)
