"""Files that were changed at random, and whether reading them ends in an error of daglock.

A sound file of each kind is changed: bytes flipped, cut, inserted, doubled, moved; values of JSON
exchanged for others; members of an archive changed or left out. Of half of the changed models the
checksum is made anew, so that what stands behind it is tried as well. Reading runs in a process of
its own: one that dies there is an escape, too.

``python -m daglock_evaluation.reliability.mutations [kind ...] [--n 1000] [--seed 0]``
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing as mp
import re
import resource
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from daglock.errors import DaglockError, InvalidDataError
from daglock.estimator.sealing import checksum, from_list
from daglock_evaluation.reliability.files import KINDS

# A process may take so much address space beyond what it has: what asks for more is an escape.
MEMORY = 6 << 30
# Seconds that one file may take.
PATIENCE = 20.0
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 3.5, -0.0, 1e308, -1e-308, 10**30, 2**63, -(2**63)),
    *("", "a", "æ", "\0", "=1+1", "NaN", "2020-99-99", "x" * 300, [], {}, [[]], [None], [1, "a"]),
    *([[1.0, 2.0], [3.0]], {"a": 1}, float("nan"), float("inf")),
)
_TOKENS = (
    *(b"", b"0", b"-1", b"1e999", b"nan", b"NaN", b"true", b"null", b'"', b'""', b"\n", b"\r"),
    *(b",", b";", b"\t", b"\0", b"\xff", b"\xfe\xff", b"sep=\xc3\xa6\n", b"99999999999999999999"),
    *(b"#", b"[", b"{", b"}", b"]", b": ", b"- ", b"&a ", b"*a", b"!!python/name:os ", b"---\n"),
    *(b"2020-99-99", b"0x1", b"%", b"\xef\xbb\xbf", b"\x1f\x8b", b"PAR1", b"ARROW1"),
)


# --- changes


def mutate(raw: bytes, rng: np.random.Generator) -> bytes:
    r"""Return a file with one to four changes; of JSON and of archives also inside of values.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> mutate(b"a,b\n1,2\n", rng) != mutate(b"a,b\n1,2\n", rng)
    True
    """
    for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
        deep = rng.random() < 0.6
        if deep and raw[:1] == b"{" and (content := _parsed(raw)) is not None:
            raw = json.dumps(_exchanged(content, rng)).encode()
        elif deep and raw[:4] == b"PK\x03\x04":
            raw = _repacked(raw, rng)
        elif deep and raw.isascii():
            raw = _word_changed(raw, rng)
        else:
            raw = _bytes_changed(raw, rng)
    return raw


def _word_changed(raw: bytes, rng: np.random.Generator) -> bytes:
    """Exchange a word, a number or a sign of a text for another one, or for something odd."""
    parts = re.findall(rb"[\w.]+|[^\w.]", raw)
    if not parts:
        return raw
    k, other = (int(at) for at in rng.integers(0, len(parts), 2))
    parts[k] = parts[other] if rng.random() < 0.4 else _token(rng)
    return b"".join(parts)


def _bytes_changed(raw: bytes, rng: np.random.Generator) -> bytes:
    """Change bytes, whatever they mean."""
    if not raw:
        return _token(rng)
    a, b = sorted(int(k) for k in rng.integers(0, len(raw) + 1, 2))
    near = min(len(raw), a + int(rng.integers(1, 17)))
    match int(rng.integers(8)):
        case 0:  # bits
            cells = bytearray(raw)
            for k in rng.integers(0, len(raw), int(rng.integers(1, 9))):
                cells[k] ^= 1 << int(rng.integers(8))
            return bytes(cells)
        case 1:  # bytes at the end, where Parquet and archives keep what they hold
            cells = bytearray(raw)
            at = max(0, len(raw) - int(rng.integers(1, 400)))
            cells[at] = int(rng.integers(256))
            return bytes(cells)
        case 2:
            return raw[:a]
        case 3:
            return raw[:a] + raw[b:] if rng.random() < 0.2 else raw[:a] + raw[near:]
        case 4:
            return raw[:a] + _token(rng) + raw[a:]
        case 5:
            return raw[:a] + _token(rng) + raw[near:]
        case 6:
            return raw[:a] + raw[a:near] * int(rng.integers(2, 50)) + raw[near:]
        case _:
            return raw[:a] + raw[b : b + near - a] + raw[near:]


def _token(rng: np.random.Generator) -> bytes:
    """Return bytes that mean something somewhere."""
    return _TOKENS[int(rng.integers(len(_TOKENS)))]


def _parsed(raw: bytes) -> Any:
    """Return JSON, or None."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _exchanged(content: Any, rng: np.random.Generator) -> Any:
    """Exchange a value somewhere inside for an odd one or for another of its own, or remove it."""
    places = list(_places(content))
    if not places:
        return content
    holder, key = places[int(rng.integers(len(places)))]
    # few values of long lists, many of what has a name
    named = [place for place in places if isinstance(place[1], str)]
    if named and rng.random() < 0.7:
        holder, key = named[int(rng.integers(len(named)))]
    match int(rng.integers(4)):
        case 0:
            del holder[key]
        case 1:
            other, at = places[int(rng.integers(len(places)))]
            holder[key], other[at] = other[at], holder[key]
        case _:
            holder[key] = _ODD[int(rng.integers(len(_ODD)))]
    try:
        json.dumps(content)
    except (ValueError, RecursionError):  # a list that was put into itself
        return {}
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over all values inside, as what holds them and under which key."""
    pairs: Any = ()
    if isinstance(content, dict):
        pairs = list(content.items())
    elif isinstance(content, list):
        pairs = list(enumerate(content))
    for key, value in pairs:
        yield content, key
        yield from _places(value)


def _repacked(raw: bytes, rng: np.random.Generator) -> bytes:
    """Change a member of an archive, leave it out, or exchange two."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # the archive is broken already
        return _bytes_changed(raw, rng)
    names = sorted(members)
    if not names:
        return raw
    name, other = (names[int(k)] for k in rng.integers(0, len(names), 2))
    match int(rng.integers(5)):
        case 0:
            del members[name]
        case 1:
            members[name], members[other] = members[other], members[name]
        case 2:
            members[name] = _header_changed(members[name], rng)
        case 3:
            members["record.npy"] = _record_changed(members.get("record.npy", b""), rng)
        case _:
            members[name] = _bytes_changed(members[name], rng)
    return _packed(members)


def _packed(members: Mapping[str, bytes]) -> bytes:
    """Return members as an archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _header_changed(member: bytes, rng: np.random.Generator) -> bytes:
    """Let an array say that it has another type or shape than its bytes."""
    types = ("<f8", "<i8", "|b1", "<U9", "|O", ">f8", "<c16", "<M8[D]", "|V8", "<f2")
    shapes = ((), (0,), (3,), (2, 2), (10**6, 10**6), (2**40,), (-1,), (1, 1, 1))
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        text,
        {
            "descr": types[int(rng.integers(len(types)))],
            "fortran_order": bool(rng.integers(2)),
            "shape": shapes[int(rng.integers(len(shapes)))],
        },
    )
    return text.getvalue() + member[128:]


def _record_changed(member: bytes, rng: np.random.Generator) -> bytes:
    """Exchange values in the JSON that an archive keeps as an array of one text."""
    try:
        record = json.loads(str(np.load(io.BytesIO(member), allow_pickle=False)))
    except Exception:
        return member
    text = io.BytesIO()
    np.save(text, np.array(json.dumps(_exchanged(record, rng))))
    return text.getvalue()


# --- changed files


def _changed(kind: str, n: int, seed: int) -> Iterator[tuple[int, str, bytes]]:
    """Iterate over n changed files: number, name, content; the same ones for the same seed."""
    sound = sorted(KINDS[kind][0]().items())
    for k in range(n):
        rng = np.random.default_rng([seed, k])
        name, raw = sound[k % len(sound)]
        raw = mutate(raw, rng)
        if kind.startswith("model") and rng.random() < 0.5:
            raw = signed(raw)
        yield k, name, raw


def signed(raw: bytes) -> bytes:
    """Make the checksum of a model anew, as somebody would who means harm; as it is if broken."""
    try:
        if raw[:4] != b"PK\x03\x04":
            record = json.loads(raw)
            lists = record.pop("arrays")
            arrays = {name: from_list(name, values) for name, values in lists.items()}
            record["checksum"] = checksum(record, arrays)
            return json.dumps({**record, "arrays": lists}).encode()
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        record = json.loads(str(arrays.pop("record")))
        record["checksum"] = checksum(record, arrays)
        packed = io.BytesIO()
        text = np.array(json.dumps(record))
        np.savez_compressed(packed, allow_pickle=False, record=text, **arrays)
        return packed.getvalue()
    except Exception:
        return raw


# --- trying


def try_file(kind: str, name: str, raw: bytes, folder: Path) -> str:
    """Read a file; return how that ended: read, refused, or what escaped and from where."""
    file = folder / name
    file.write_bytes(raw)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            KINDS[kind][1](file)
    except DaglockError as error:
        said = str(error)
        return (
            f"escaped: a message of {said.count(chr(10)) + 1} lines" if "\n" in said else "refused"
        )
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [f for f in where if "daglock" in f.filename and "reliability" not in f.filename]
        at = ours[-1] if ours else where[-1]
        return f"escaped: {type(error).__name__} at {Path(at.filename).name}:{at.lineno}"
    return "read"


def _work(kind: str, n: int, seed: int, first: int, pipe: Any) -> None:
    """Try files from the first on, and say before and after each which it is."""
    have = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (have + MEMORY, have + MEMORY))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for k, name, raw in _changed(kind, n, seed):
            if k >= first:
                pipe.send((k, name, ""))
                pipe.send((k, name, try_file(kind, name, raw, Path(folder))))
    pipe.send((n, "", ""))


def outcomes(kind: str, n: int, seed: int) -> list[tuple[int, str, str]]:
    """Return for each of n changed files its number, its name, and how reading it ended."""
    KINDS[kind][0]()  # made once, before processes part
    context = mp.get_context("fork")
    found: list[tuple[int, str, str]] = []
    while len(found) < n:
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(kind, n, seed, len(found), there))
        process.start()
        there.close()
        now: tuple[int, str, str] | None = None
        fate = ""
        try:
            while True:
                if not here.poll(PATIENCE if now else 10 * PATIENCE):
                    fate = f"escaped: no answer within {PATIENCE:.0f} seconds"
                    break
                now = here.recv()
                if now[0] == n:
                    break
                if now[2]:
                    found.append(now)
        except EOFError:
            process.join()
            fate = f"escaped: the process died with {process.exitcode}"
        process.kill()
        process.join()
        here.close()
        if fate and now is not None:
            found.append((now[0], now[1], fate))
        elif fate:
            raise InvalidDataError(f"The process that reads files of kind {kind} did not start.")
    return found


def escapes(kind: str, n: int, seed: int = 0) -> list[str]:
    """Return what escaped of n changed files of a kind, one line for each; empty where none did.

    Parameters
    ----------
    kind : a name in `KINDS`.
    n : how many changed files.
    seed : of the changes; the same seed gives the same files.
    """
    return [
        f"{name} number {k}: {fate}"
        for k, name, fate in outcomes(kind, n, seed)
        if fate.startswith("escaped")
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try files of all kinds, or of those that are named; print how it ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    parser.add_argument("--n", type=int, default=1000, help="changed files of each kind (1000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    total = 0
    for kind in options.kinds:
        ends = Counter(fate for _, _, fate in outcomes(kind, options.n, options.seed))
        escaped = {fate: count for fate, count in ends.items() if fate.startswith("escaped")}
        total += sum(escaped.values())
        print(
            f"{kind}: {options.n} changed files, {ends['refused']} refused in one sentence, "
            f"{ends['read']} read, {sum(escaped.values())} escaped"
        )
        for fate, count in sorted(escaped.items(), key=lambda item: -item[1]):
            print(f"  {count:5} {fate.removeprefix('escaped: ')}")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
