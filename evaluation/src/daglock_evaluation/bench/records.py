"""Records of the benchmark: one line for each run of a method on the data of a seed."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from daglock.errors import InvalidDataError
from daglock_evaluation.bench.cases import AnyCase
from daglock_evaluation.bench.peer import Peer
from daglock_evaluation.publish import jsonl

# The fields are listed in docs/architecture.md.
Record: TypeAlias = Mapping[str, Any]
# Outcomes that may be others the next time, without a change of the limits.
PASSING = ("not installed", "interrupted")


def describe(suite: str, case: AnyCase, peer: Peer, seed: int) -> dict[str, Any]:
    """Return what is known of a run before it is made."""
    return {
        "suite": suite,
        "case": case.settings(),
        "label": case.label,
        "family": case.family,
        "d": case.d,
        "n": case.n,
        "target": case.target,
        "peer": peer.name,
        "returns": peer.returns,
        "seed": seed,
    }


def key(record: Record) -> str:
    """Return what tells a run from others: the data and the method."""
    return jsonl.key({name: record[name] for name in ("case", "peer", "seed")})


def read(path: Path) -> dict[str, Record]:
    """Return the records of a file by their key; the last of each counts."""
    found: dict[str, Record] = {}
    for line in jsonl.read(path):
        if not isinstance(line, dict) or not {"case", "peer", "seed", "status"} <= set(line):
            raise InvalidDataError(f"{path} has a line that is no record of a benchmark.")
        found[key(line)] = line
    return found


def is_final(record: Record, seconds: float, gigabytes: float) -> bool:
    """Whether a run need not be made again under these limits."""
    if record["status"] in ("ok", "failed"):
        return True
    if record["status"] in PASSING:
        return False
    limit: float = record.get("time_limit", 0.0)
    memory: float = record.get("memory_limit", 0.0)
    return limit >= seconds and memory >= gigabytes


def finished(records: Iterable[Record]) -> list[Record]:
    """Return the records of runs that came to an end."""
    return [record for record in records if record["status"] == "ok"]


def main_measure(record: Record) -> str:
    """Return the field that tells how good an answer is, for what the data identify."""
    return "cpdag_shd" if "class" in (record["target"], record["returns"]) else "shd"


def machine() -> dict[str, Any]:
    """Return what ran it: the processor, its number of cores, the memory, the system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    """Return the memory in gigabytes, where the system tells."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3, 1)
    except (ValueError, OSError, AttributeError):
        return None
