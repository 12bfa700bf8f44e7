"""Files that are traps: small ones that unpack to much, without an end, or slow to read.

Each is read in a process of its own, whose time and memory are measured; it must be refused, or
read where nothing is wrong with it, within the memory and the time that are allowed here.

``python -m daglock_evaluation.reliability.limits``
"""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing as mp
import resource
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import daglock
from daglock.errors import DaglockError
from daglock_evaluation.reliability.files import read_table

# What reading may take beyond what the process has, and how long, on a machine that is busy.
MEMORY = 512 << 20
SECONDS = 30.0


@dataclass(frozen=True)
class Trap:
    """A file, who reads it, and part of what must be said; nothing where it must be read."""

    make: Callable[[Path], Path]
    read: Callable[[Path], Any]
    said: str


@dataclass(frozen=True)
class Outcome:
    """How reading a trap ended."""

    name: str
    kept: bool  # refused as it must be, in time, and with little memory
    what: str
    seconds: float
    megabytes: float


def _knowledge(file: Path) -> Any:
    """Read knowledge."""
    return daglock.Knowledge.from_file(file)


def _kinds(file: Path) -> Any:
    """Read what columns are."""
    from daglock.table.given import check_given, read_kinds

    return check_given(read_kinds(file), ["a"])


def _file(name: str, content: Callable[[], bytes]) -> Callable[[Path], Path]:
    """Return what writes a file into a folder."""

    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content())
        return folder / name

    return make


def _csv(content: Callable[[], bytes], said: str) -> Trap:
    """Return a trap that is a table of text."""
    return Trap(_file("data.csv", content), read_table, said)


def _knows(name: str, content: Callable[[], bytes], said: str) -> Trap:
    """Return a trap that is knowledge."""
    return Trap(_file(name, content), _knowledge, said)


def _packed_rows() -> bytes:
    """Return 1 GB of rows, packed to 1 MB."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        file.write(b"a,b\n")
        block = b"1,2\n3,5\n" * (1 << 17)
        for _ in range(1000):
            file.write(block)
    return packed.getvalue()


def _archive(folder: Path, size: int, *, filled: bool) -> Path:
    """Write a model whose covariance says that it has so many columns, and has them or not."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        daglock.DAGLock(n_restarts=0).fit(X).save(folder / "small.npz")
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (size, size)}
    )
    path = folder / "model.npz"
    with (
        zipfile.ZipFile(folder / "small.npz") as small,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in small.namelist():
            with archive.open(name, "w", force_zip64=True) as stream:
                if name != "cov.npy":
                    stream.write(small.read(name))
                    continue
                stream.write(head.getvalue())
                for _ in range(size if filled else 0):
                    stream.write(bytes(8 * size))
    return path


def _long_parquet(folder: Path) -> Path:
    """Write a billion rows of one number, which take little room."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    zeros = pa.chunked_array([pa.array(np.zeros(1 << 20))] * 300)
    write_table(pa.table({"a": zeros, "b": zeros}), str(folder / "data.parquet"))
    return folder / "data.parquet"


def _packed_arrow(folder: Path, rows: int, forged: int | None = None) -> Path:
    """Write one batch of numbers that pack well, and forge what its last buffer says of itself."""
    import pyarrow as pa
    from pyarrow import ipc

    table = pa.table({"a": np.arange(rows) % 2 * 1.0, "b": np.arange(rows) % 8 * 1.0})
    sink = pa.BufferOutputStream()
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    raw = sink.getvalue().to_pybytes()
    if forged is not None:
        at = raw.rindex((8 * rows).to_bytes(8, "little"))
        raw = raw[:at] + forged.to_bytes(8, "little") + raw[at + 8 :]
    (folder / "data.arrow").write_bytes(raw)
    return folder / "data.arrow"


def _twice(levels: int) -> bytes:
    """Return YAML in which every level is the one before it, ten times."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 12)}]" for k in range(1, levels)]
    return "\n".join([*lines, f"roots: *a{levels - 1}"]).encode()


def _device(_: Path) -> Path:
    """Return a file without an end."""
    return Path("/dev/zero")


TRAPS: dict[str, Trap] = {
    "1 MB of gzip that unpack to 1 GB": Trap(
        _file("data.csv.gz", _packed_rows), read_table, "--max-size"
    ),
    "a model that unpacks to 2.1 GB": Trap(
        lambda folder: _archive(folder, 16_200, filled=True), daglock.load, "would unpack to 2.1 GB"
    ),
    "a model whose array claims 8 TB": Trap(
        lambda folder: _archive(folder, 10**6, filled=False), daglock.load, "'cov' is not"
    ),
    "10 MB of commas": _csv(lambda: b"," * 10_000_000, "--max-columns 10000001"),
    "10 MB of commas in lines of two": _csv(lambda: b",\n" * 5_000_000, ""),
    "/dev/zero as a table": Trap(_device, read_table, "is a device"),
    "/dev/zero as a model": Trap(_device, daglock.load, "is not a file"),
    "/dev/zero as knowledge": Trap(_device, _knowledge, "too long to be knowledge"),
    "a cell of 200,000 letters": _csv(
        lambda: b"a,b\n1,2\n3," + b"x" * 200_000 + b"\n4,5\n",
        "Line 3 of data.csv has a cell of more than 131,072 characters",
    ),
    "a cell of 200,000 letters far below": _csv(
        lambda: b"a,b\n" + b"1,2\n" * 5000 + b"3," + b"x" * 200_000 + b"\n",
        "Line 5002 of data.csv has a cell of more than 131,072 characters",
    ),
    "20,000 equal names": _csv(
        lambda: b"\n".join(
            [b",".join([b"a"] * 20_000), *(_numbers(20_000, seed) for seed in range(12))]
        ),
        "",
    ),
    "100 KB of blanks": _csv(lambda: b"a b\n1 2\n3" + b" " * 100_000 + b"4\n5 6\n", ""),
    "100 KB of blanks and commas": _csv(lambda: b"a,b\n1,2\n3," + b" " * 100_000 + b"4\n5,6\n", ""),
    "one line of 50 MB": _csv(lambda: b"1" * 50_000_000, "cell"),
    "600 million cells in a Parquet of 1 MB": Trap(_long_parquet, read_table, "--max-size"),
    "a batch of Arrow that unpacks to 1 GB": Trap(
        lambda folder: _packed_arrow(folder, 1 << 26), read_table, "unpacks to 1.07 GB"
    ),
    "a batch of Arrow that says it unpacks to 4 TB": Trap(
        lambda folder: _packed_arrow(folder, 1 << 12, forged=1 << 42), read_table, "--max-size"
    ),
    "YAML that grows tenfold ten times": _knows(
        "known.yaml", lambda: _twice(12), "repeats parts of itself"
    ),
    "YAML nested 100,000 deep": _knows(
        "known.yaml", lambda: b"roots: " + b"[" * 100_000, "nested too deeply"
    ),
    "JSON nested 100,000 deep": _knows(
        "known.json", lambda: b'{"roots": ' + b"[" * 100_000, "nested too deeply"
    ),
    "a number of 10,000 digits in JSON": _knows(
        "known.json", lambda: b'{"roots": [' + b"9" * 10_000 + b"]}", "too long"
    ),
    "a number of 10,000 digits in YAML": _knows(
        "known.yaml", lambda: b"roots: [" + b"9" * 10_000 + b"]", "is not YAML"
    ),
    "a date that there is not": _knows("known.yaml", lambda: b"roots: [2020-99-99]", "is not YAML"),
    "columns nested 100,000 deep": Trap(
        _file("columns.yaml", lambda: b"a: " + b"[" * 100_000), _kinds, "nested too deeply"
    ),
    "columns of a list of lists": Trap(
        _file("columns.json", lambda: json.dumps({"a": [[1], None]}).encode()), _kinds, "levels"
    ),
    "sep=æ": _csv(lambda: "sep=æ\naæb\n1æ2\n".encode(), "which cannot be"),
}


def _numbers(d: int, seed: int) -> bytes:
    """Return a line of numbers."""
    return ",".join(map(str, np.random.default_rng(seed).integers(0, 1000, d))).encode()


def _make(name: str, folder: Path, pipe: Any) -> None:
    """Make a trap, and say where it is."""
    pipe.send(TRAPS[name].make(folder))


def _read(name: str, file: Path, pipe: Any) -> None:
    """Read a trap, and say how that ended and what it took."""
    trap, said = TRAPS[name], "read"
    before, began = _peak(), time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trap.read(file)
    except DaglockError as error:
        said = str(error)
    except BaseException as error:
        said = f"escaped: {type(error).__name__}: {error}"
    pipe.send((said, time.perf_counter() - began, _peak() - before))


def _peak() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _in_process(target: Callable[..., None], name: str, file: Path, seconds: float) -> Any:
    """Return what a process has to say; None where it died or did not end in time."""
    context = mp.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(name, file, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
        here.close()


def try_trap(name: str) -> Outcome:
    """Read one of `TRAPS`, and judge how that ended."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.csv")
        small.write_bytes(b"a,b\n1,2\n3,5\n4,4\n")
        read_table(small)  # so that what is imported is not counted
        file = _in_process(_make, name, Path(folder), 600.0)
        ended = _in_process(_read, name, file, 4 * SECONDS)
    if ended is None:
        return Outcome(name, False, "died, or did not end in time", 4 * SECONDS, 0.0)
    said, seconds, megabytes = ended
    wanted = TRAPS[name].said
    right = said == "read" if not wanted else wanted in said and "\n" not in said
    if not wanted and said.startswith("At least two columns"):
        right = True  # nothing but empty cells
    in_time = seconds <= SECONDS and megabytes * 1e6 <= MEMORY
    return Outcome(name, right and in_time, said, seconds, megabytes)


def try_traps() -> list[Outcome]:
    """Read all traps."""
    return [try_trap(name) for name in TRAPS]


def main() -> int:
    """Read all traps, and print how it ended."""
    bad = 0
    for name in TRAPS:
        found = try_trap(name)
        bad += not found.kept
        print(
            f"{'kept  ' if found.kept else 'BROKEN'} {found.seconds:6.2f} s {found.megabytes:5.0f} "
            f"MB  {name}: {found.what}",
            flush=True,
        )
    print(f"{len(TRAPS)} traps, {len(TRAPS) - bad} kept, {bad} broken")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
