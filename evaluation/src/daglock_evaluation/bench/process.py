"""A run in a process of its own, with a limit on its seconds and on its memory."""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

# One thread for each process: times compare.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# Seconds for loading, compiling and drawing the data, beside the limit of the run itself.
PREPARATION = 180.0
# Seconds between two looks at the memory.
PULSE = 0.05
KILOBYTES_PER_GIGABYTE = 1024**2
MESSAGE = 300


@dataclass(frozen=True)
class Limits:
    """Seconds by the clock, and gigabytes."""

    seconds: float
    gigabytes: float


def run_job(
    job: Mapping[str, Any],
    limits: Limits,
    *,
    python: str = sys.executable,
    keep_going: Callable[[], bool] = lambda: True,
) -> dict[str, Any]:
    """Run a job of `daglock_evaluation.bench.worker` and return its figures with a ``status``.

    The status is "ok", "failed", "time limit", "memory limit" or "interrupted"; all but the first
    come with a ``message``.
    """
    reading, writing = os.pipe()
    seconds = math.ceil(PREPARATION + limits.seconds) + 10  # should nobody be left to end it
    text = json.dumps({**job, "report_to": writing, "cpu_seconds": seconds})
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile() as errors, os.fdopen(reading, "rb", buffering=0) as pipe:
        process = subprocess.Popen(
            [python, "-W", "ignore", "-m", "daglock_evaluation.bench.worker", text],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        try:
            result = _watch(process, pipe, limits, keep_going)
        finally:
            _kill(process)
        if result is None:
            result = {"status": "failed", "message": _last_words(errors, process.returncode)}
        return result


def _watch(
    process: subprocess.Popen[bytes],
    pipe: Any,
    limits: Limits,
    keep_going: Callable[[], bool],
) -> dict[str, Any] | None:
    """Wait for the result; None when the process ended without one."""
    deadline = monotonic() + PREPARATION + limits.seconds
    begun = False
    received = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if selector.select(timeout=PULSE):
                piece = pipe.read(65536)
                if not piece:
                    return None
                received += piece
                *lines, received = received.split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    if event.pop("event") == "begin":
                        begun, deadline = True, monotonic() + limits.seconds
                    else:
                        return {"status": "ok", **event}
            if not keep_going():
                return {"status": "interrupted", "message": "interrupted"}
            if monotonic() > deadline:
                when = "" if begun else " before it began"
                return {"status": "time limit", "message": f"over {limits.seconds:g} s{when}"}
            if _gigabytes(process.pid) > limits.gigabytes:
                return {"status": "memory limit", "message": f"over {limits.gigabytes:g} GB"}


def _gigabytes(pid: int) -> float:
    """Return the memory that a process has now; 0 where that cannot be told."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / KILOBYTES_PER_GIGABYTE
    return 0.0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_words(errors: IO[bytes], code: int) -> str:
    """Return the last line that a process wrote to its error stream."""
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    if lines:
        return lines[-1].strip()[:MESSAGE]
    return f"ended with code {code}" if code >= 0 else f"ended by signal {-code}"
