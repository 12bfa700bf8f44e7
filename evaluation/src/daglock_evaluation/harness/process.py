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
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter, process_time
from typing import IO, Any, NamedTuple, TypeVar

T = TypeVar("T")

# One thread for each process: times compare.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
WORKER = "daglock_evaluation.harness.worker"
# Seconds for loading, compiling and drawing the data, beside the limit of the run itself.
PREPARATION = 180.0
# A run may take so many times its seconds by the clock, on a machine with other work.
WAITING = 4.0
# Seconds between two looks at the memory.
PULSE = 0.05
KILOBYTE = 1024
MESSAGE = 300
_PROBE = """
import sys
from importlib.metadata import PackageNotFoundError, version
for name in sys.argv[1:]:
    try:
        version(name)
    except PackageNotFoundError:
        continue
    print(name)
"""


@dataclass(frozen=True)
class Limits:
    """Seconds of the processor, or by the clock, and gigabytes of a run."""

    seconds: float
    gigabytes: float = math.inf
    by_clock: bool = False

    @property
    def patience(self) -> float:
        """Seconds by the clock that a run may take."""
        return self.seconds if self.by_clock else WAITING * self.seconds


def one_thread() -> None:
    """Give this process and those that it starts one thread each; before NumPy is loaded."""
    os.environ.update(dict.fromkeys(THREADS, "1"))


def with_one_thread(module: str) -> None:
    """Start a module that runs as a program once more, unless it has one thread already."""
    if any(os.environ.get(name) != "1" for name in THREADS):
        one_thread()
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])


class Worker(NamedTuple):
    """A process that reports lines to a pipe."""

    process: subprocess.Popen[bytes]
    pipe: IO[bytes]
    errors: IO[bytes]

    def end(self) -> None:
        """End it, with all that it started."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def last_words(self) -> str:
        """End it, and return the last line that it wrote to its error stream."""
        self.end()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        if lines:
            return lines[-1].strip()[:MESSAGE]
        code = self.process.returncode
        return f"ended with code {code}" if code >= 0 else f"ended by signal {-code}"


@contextlib.contextmanager
def start_worker(
    module: str, job: Mapping[str, Any], python: str = sys.executable
) -> Generator[Worker]:
    """Run a module on a job, with one thread, as long as the context lasts."""
    reading, writing = os.pipe()
    text = json.dumps({**job, "report_to": writing})
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryFile() as errors, os.fdopen(reading, "rb", buffering=0) as pipe:
        process = subprocess.Popen(
            [python, "-W", "ignore", "-m", module, text],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        worker = Worker(process, pipe, errors)
        try:
            yield worker
        finally:
            worker.end()


def locate(packages: Iterable[str], pythons: Sequence[str]) -> dict[str, str]:
    """Return for each package that is installed somewhere the first interpreter that has it.

    Packages whose needs conflict live in environments of their own. An interpreter must have
    daglock as well, and need not have anything else.
    """
    places: dict[str, str] = {}
    for python in dict.fromkeys(pythons):
        command = [python, "-c", _PROBE, "daglock", *sorted({*packages})]
        answer = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
        found = answer.stdout.split()
        for name in found if "daglock" in found else ():
            places.setdefault(name, python)
    places.setdefault("daglock", sys.executable)
    return places


def run_job(
    job: Mapping[str, Any],
    limits: Limits,
    *,
    python: str = sys.executable,
    keep_going: Callable[[], bool] = lambda: True,
    module: str = WORKER,
) -> Generator[dict[str, Any]]:
    """Run a job of a worker: give the figures of each of its seeds.

    The status is "ok", "failed", "time limit", "memory limit" or "interrupted"; all but the first
    come with a ``message`` and are the last.
    """
    seeds = job["seeds"]
    seconds = (
        math.ceil(PREPARATION + limits.seconds * len(seeds)) + 10
    )  # if nobody is left to end it
    known = {"cpu_seconds": seconds, "parent": os.getpid()}
    with start_worker(module, {**job, **known}, python) as worker:
        yield from _watch(worker, len(seeds), limits, keep_going)


def reporting(job: Mapping[str, Any]) -> Callable[..., None]:
    """Return what tells of an event, for a worker; what else it prints goes nowhere."""
    out = os.fdopen(job["report_to"], "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return lambda **event: print(json.dumps(event), file=out)


def events_in(received: bytes) -> tuple[list[dict[str, Any]], bytes]:
    r"""Return what whole lines of a worker say, and the line that is not yet whole.

    Examples
    --------
    >>> events_in(b'{"event": "begun"}\n{"ev')
    ([{'event': 'begun'}], b'{"ev')
    """
    *lines, left = received.split(b"\n")
    return [json.loads(line) for line in lines], left


def _watch(
    worker: Worker, number: int, limits: Limits, keep_going: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    """Give results as they come, or why there is none."""
    begun, deadline, received = None, monotonic() + PREPARATION + limits.seconds, b""
    pid = worker.process.pid
    with selectors.DefaultSelector() as selector:
        selector.register(worker.pipe, selectors.EVENT_READ)
        while number:
            if selector.select(timeout=PULSE):
                piece = worker.pipe.read(65536)
                if not piece:
                    yield {"status": "failed", "message": worker.last_words()}
                    return
                events, received = events_in(received + piece)
                for event in events:
                    if event.pop("event") == "result":
                        number -= 1
                        yield {"status": "ok", **event}
                    begun, deadline = used(pid), monotonic() + limits.patience
                continue
            if not keep_going():
                yield {"status": "interrupted", "message": "interrupted"}
                return
            spent = 0.0 if begun is None or limits.by_clock else used(pid) - begun
            if spent > limits.seconds or monotonic() > deadline:
                when = " before it began" if begun is None else ""
                yield {"status": "time limit", "message": f"over {limits.seconds:g} s{when}"}
                return
            if memory("VmRSS", pid) > limits.gigabytes * KILOBYTE:
                yield {"status": "memory limit", "message": f"over {limits.gigabytes:g} GB"}
                return


def timed(make: Callable[[], T]) -> tuple[T, float, float]:
    """Return what is made, the seconds that it took by the clock, and those of the processor."""
    clock, processor = perf_counter(), process_time()
    made = make()
    return made, perf_counter() - clock, process_time() - processor


def used(process: int | str = "self") -> float:
    """Return the seconds of the processor that a process used; 0 where that cannot be told."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def memory(name: str, process: int | str = "self") -> float:
    """Return VmRSS (now) or VmHWM (the most so far) in megabytes; 0 where that cannot be told."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) / KILOBYTE
    return 0.0
