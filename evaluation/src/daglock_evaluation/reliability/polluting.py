"""One clean table of numbers, and the files that one fault at a time makes of it.

The faults are those of Pollock (G. Vitagliano, M. Hameed, L. Jiang, L. Reisener, E. Wu,
F. Naumann: "Pollock: A Data Loading Benchmark", VLDB 2023): of the file (encoding, payload, names,
header, lines around the table, several tables), of its dialect (separator, quotes, escapes, ends of
lines), and of single lines, at each line and each place in it. Its own files hold text; here all
cells are numbers, so that what is read can be held against what is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

NAMES = ("age", "dose", "weight", "visits", "level", "arm", "treated", "outcome")
ROWS = 60
# Other separators than the comma, and how files of them are called.
_SEPARATORS = {"semicolon": ";", "tab": "\t", "pipe": "|", "blank": " ", "comma and blank": ", "}
# Row and column of cells that have no value.
_GAPS = ((9, 2), (17, 7), (40, 0), (53, 4))

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Truth:
    """What is true of a file: names that a column may have, rows of numbers, where they stand."""

    names: tuple[tuple[str, ...], ...]  # for each column; empty where any name will do
    rows: tuple[tuple[float | None, ...], ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Polluted:
    """A file with one fault; without a truth there is no table in it."""

    fault: str
    name: str
    content: bytes
    truth: Truth | None


def source(rows: int) -> tuple[Cells, ...]:
    """Return the rows of the clean table as text: whole numbers, decimals, powers and some gaps."""
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(rows):
        age, dose, level = rng.integers(18, 90), rng.uniform(0, 5), rng.normal()
        drawn.append(
            (
                f"{age}",
                f"{dose:.1f}",
                f"{rng.normal(70, 9):.2f}",
                f"{rng.poisson(3)}",
                f"{level:.3f}",
                f"{rng.integers(1, 4)}",
                f"{rng.integers(0, 2)}",
                f"{np.exp(0.1 * dose + level - 9):.3e}",
            )
        )
    cells = [list(row) for row in drawn]
    for i, j in _GAPS:
        if i < rows:
            cells[i][j] = ""
    return tuple(map(tuple, cells))


def text_of(rows: Sequence[Cells], separator: str = ",", end: str = "\n") -> str:
    """Return rows as text, an end after each."""
    return "".join(separator.join(row) + end for row in rows)


def truth_of(
    rows: Sequence[Cells],
    names: Sequence[str | tuple[str, ...]] = NAMES,
    first_line: int = 2,
) -> Truth:
    """Return what is true of rows that begin in a line, one a line."""
    numbers = tuple(tuple(float(cell) if cell else None for cell in row) for row in rows)
    known = tuple((name,) if isinstance(name, str) else name for name in names)
    return Truth(known, numbers, tuple(range(first_line, first_line + len(rows))))


def polluted(rows: int = ROWS) -> Iterator[Polluted]:
    """Yield all files; ``rows`` of the clean table give about 28 files each."""
    body = source(rows)
    yield from _names_of_files(body)
    yield from _encodings(body)
    yield from _payloads(body)
    yield from _separators(body)
    yield from _quotes(body)
    yield from _ends(body)
    yield from _headers(body)
    yield from _around(body)
    yield from _several(body)
    yield from _numbers(body)
    yield from _lines(body)


def _plain(body: Sequence[Cells]) -> str:
    """Return the clean file."""
    return text_of([NAMES, *body])


def _names_of_files(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the clean file under names that are not usual."""
    raw, truth = _plain(body).encode(), truth_of(body)
    for name in (
        *("clean.csv", "CLEAN.CSV", "no ending", "tabs.tsv", "text.txt", "two.dots.csv"),
        *("größe 表.csv", "-dash.csv", "quote'.csv", "100%.csv", "a&b;c.csv", f"{'n' * 200}.csv"),
    ):
        yield Polluted("name of the file", name, raw, truth)


def _encodings(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file in other encodings, with names that need them."""
    names = ("âge", "dosé", "größe", *NAMES[3:])
    text, truth = text_of([names, *body]), truth_of(body, names)
    for encoding in (
        *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"),
        *("iso8859-15", "cp1250"),
    ):
        yield Polluted("encoding", f"{encoding}.csv", text.encode(encoding), truth)
    for encoding, names in {
        "shift_jis": ("年齢", "用量", *NAMES[2:]),
        "gb18030": ("年龄", "剂量", *NAMES[2:]),
        "cp1251": ("возраст", "доза", *NAMES[2:]),
    }.items():
        raw = text_of([names, *body]).encode(encoding)
        yield Polluted("encoding", f"{encoding}.csv", raw, truth_of(body, names))


def _payloads(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield files with nothing or little in them."""
    little = {
        "empty": ("", None),
        "blank lines": ("\n\n\n", None),
        "header alone": (text_of([NAMES]), truth_of([])),
        "one row": (text_of([NAMES, body[0]]), truth_of(body[:1])),
        "two rows": (text_of([NAMES, *body[:2]]), truth_of(body[:2])),
    }
    for name, (text, truth) in little.items():
        yield Polluted("payload", f"{name}.csv", text.encode(), truth)


def _separators(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with other separators."""
    whole = [tuple(cell or "NA" for cell in row) for row in body]
    for name, mark in _SEPARATORS.items():
        text = text_of([NAMES, *(whole if mark == " " else body)], mark)
        yield Polluted("separator", f"{name}.csv", text.encode(), truth_of(body))
    for mark in (":", "^", "~", "#", "||", "\x1f"):
        text = text_of([NAMES, *body], mark)
        name = f"other {ord(mark[0]):x}{len(mark)}.csv"
        yield Polluted("separator", name, text.encode(), truth_of(body))
    aligned = "".join("".join(f"{cell:>12}" for cell in row) + "\n" for row in [NAMES, *whole])
    yield Polluted("separator", "aligned.txt", aligned.encode(), truth_of(body))
    ended = text_of([(*row, "") for row in [NAMES, *body]])
    yield Polluted("separator", "at the end of lines.csv", ended.encode(), truth_of(body))
    told = "sep=;\n" + text_of([NAMES, *body], ";")
    yield Polluted("separator", "told.csv", told.encode(), truth_of(body, first_line=3))


def _quotes(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with quotes of other kinds, and names that need them."""
    table = [NAMES, *body]
    for name, mark in {"double": '"', "single": "'", "typographic": "“", "backtick": "`"}.items():
        other = "”" if mark == "“" else mark
        text = text_of([tuple(f"{mark}{cell}{other}" for cell in row) for row in table])
        yield Polluted("quotes", f"{name}.csv", text.encode(), truth_of(body))
    header = text_of([tuple(f"'{name}'" for name in NAMES), *body])
    names = tuple((name, f"'{name}'") for name in NAMES)
    yield Polluted("quotes", "single header.csv", header.encode(), truth_of(body, names))
    for name, written, meant in (
        ("comma in a name", '"dose, mg"', "dose, mg"),
        ("doubled", '"the ""dose"""', 'the "dose"'),
        ("backslash", r'"the \"dose\""', 'the "dose"'),
        ("backslash at the end", '"C:\\"', "C:\\"),
        ("line in a name", '"dose\nmg"', "dose\nmg"),
        ("not closed", '"dose', ""),
    ):
        text = text_of([("age", written, *NAMES[2:]), *body])
        known = ("age", meant or ("dose", '"dose'), *NAMES[2:])
        truth = truth_of(body, known, first_line=3 if "\n" in written else 2)
        yield Polluted("quotes", f"{name}.csv", text.encode(), truth)
    text = text_of([("age", r"the \, dose", *NAMES[2:]), *body])
    truth = truth_of(body, ("age", ("the , dose", "the \\, dose"), *NAMES[2:]))
    yield Polluted("quotes", "backslash and comma.csv", text.encode(), truth)
    line = f'"{",".join(body[0])}"\n'
    text = text_of([NAMES]) + line + text_of(body[1:])
    yield Polluted("quotes", "a line in quotes.csv", text.encode(), truth_of(body))
    text = "".join(f'"{",".join(row)}"\n' for row in table)
    yield Polluted("quotes", "all lines in quotes.csv", text.encode(), truth_of(body))


def _ends(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with other ends of lines."""
    text, truth = _plain(body), truth_of(body)
    half = len(text) // 2
    mixed = text[:half].replace("\n", "\r\n") + text[half:]
    ends = {
        "return": text.replace("\n", "\r"),
        "return and newline": text.replace("\n", "\r\n"),
        "newline and return": text.replace("\n", "\n\r"),
        "mixed": mixed,
        "none at the end": text.rstrip("\n"),
        "two at the end": text + "\n",
        "blanks at the end": text + " \n\t\n",
    }
    for name, content in ends.items():
        yield Polluted("ends of lines", f"{name}.csv", content.encode(), truth)
    text = text.replace("\n", "\n\n")
    lines = tuple(range(3, 2 * len(body) + 3, 2))
    yield Polluted("ends of lines", "twice.csv", text.encode(), replace(truth, lines=lines))
    text = text_of([NAMES, *body], end="\x1e")
    yield Polluted("ends of lines", "separator of records.csv", text.encode(), truth)


def _headers(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file without a header, with several lines of it, and with one that does not fit."""
    units = ("years", "mg", "kg", "n", "z", "no", "yes/no", "nmol")
    third = tuple(f"q{j}" for j in range(len(NAMES)))
    above = ("person", "drug", "person", "care", "blood", "trial", "trial", "blood")
    fault = "header"
    bare = replace(truth_of(body, first_line=1), names=())
    yield Polluted(fault, "none.csv", text_of(body).encode(), bare)
    for name, lines in {"two": (NAMES, units), "three": (NAMES, units, third)}.items():
        known = [(own, " ".join(parts)) for own, *parts in zip(NAMES, *lines, strict=True)]
        truth = truth_of(body, known, first_line=len(lines) + 1)
        yield Polluted(fault, f"{name}.csv", text_of([*lines, *body]).encode(), truth)
    known = [(own, f"{top} {own}") for top, own in zip(above, NAMES, strict=True)]
    truth = truth_of(body, known, first_line=3)
    yield Polluted(fault, "above.csv", text_of([above, NAMES, *body]).encode(), truth)
    texts = {
        "repeated.csv": text_of([NAMES, *body[:30], NAMES, *body[30:]]),
        "at the end.csv": text_of([*body, NAMES]),
    }
    for name, text in texts.items():
        yield Polluted(fault, name, text.encode(), truth_of(body, first_line=1 + (name[0] == "r")))
    yield Polluted(fault, "remark.csv", ("# " + _plain(body)).encode(), truth_of(body))
    years = tuple(map(str, range(2001, 2009)))
    yield Polluted(fault, "years.csv", text_of([years, *body]).encode(), truth_of(body, years))
    same = ("age", "age", *NAMES[2:])
    two = ("age", ("age", "age.1"), *NAMES[2:])
    yield Polluted(fault, "twice.csv", text_of([same, *body]).encode(), truth_of(body, two))
    gap = ("age", "", *NAMES[2:])
    empty = ("age", ("", "column2"), *NAMES[2:])
    yield Polluted(fault, "gap.csv", text_of([gap, *body]).encode(), truth_of(body, empty))
    blanks = tuple(f"  {name} " for name in NAMES)
    yield Polluted(fault, "blanks.csv", text_of([blanks, *body]).encode(), truth_of(body))
    for at in range(len(NAMES)):
        short = NAMES[:at] + NAMES[at + 1 :]
        text, any_name = text_of([short, *body]), replace(truth_of(body), names=_but(at))
        yield Polluted(fault, f"without {at}.csv", text.encode(), any_name)
        long = (*NAMES[:at], "more", *NAMES[at:])
        yield Polluted(fault, f"more {at}.csv", text_of([long, *body]).encode(), truth_of(body))
    counted = [(str(i), *row) for i, row in enumerate(body, start=1)]
    truth = truth_of(body)
    yield Polluted(fault, "counter.csv", text_of([("", *NAMES), *counted]).encode(), truth)
    yield Polluted(fault, "as R writes.csv", text_of([NAMES, *counted]).encode(), truth)


def _but(at: int) -> tuple[tuple[str, ...], ...]:
    """Return the names of columns of which one is not known."""
    empty = ("", f"column{at + 1}")
    return tuple((name,) if j != at else empty for j, name in enumerate(NAMES))


def _around(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with lines above, below and between that are no rows."""
    plain, width = _plain(body), len(NAMES)
    padding = "," * (width - 1)
    for count in (1, 2, 3, 6):
        lines = [f"Title {k} of the table" for k in range(count)]
        for name, texts in {
            "above": [f"{line}\n" for line in lines],
            "above, filled up": [f"{line}{padding}\n" for line in lines],
            "above, quoted": [f'"{line}, and more"\n' for line in lines],
            "above, two cells": [f"Made by,{line}\n" for line in lines],
            "above, remarks": [f"# {line}\n" for line in lines],
            "above, and blank": [*(f"{line}\n" for line in lines), "\n"],
        }.items():
            truth = truth_of(body, first_line=len(texts) + 2)
            content = ("".join(texts) + plain).encode()
            yield Polluted("lines above", f"{name} {count}.csv", content, truth)
        for name, texts in {
            "below": [f"{line}\n" for line in lines],
            "below, blank": ["\n", *(f"{line}\n" for line in lines)],
            "below, filled up": [f"{line}{padding}\n" for line in lines],
            "below, two cells": [f"Source,{line}\n" for line in lines],
            "below, remarks": [f"# {line}\n" for line in lines],
        }.items():
            content = (plain + "".join(texts)).encode()
            yield Polluted("lines below", f"{name} {count}.csv", content, truth_of(body))
    totals = ("Total", *("9" for _ in NAMES[1:]))
    content = (plain + text_of([totals])).encode()
    yield Polluted("lines below", "total.csv", content, truth_of(body))
    lines = plain.splitlines(keepends=True)
    for name, text in {
        "blank": "\n",
        "separators": f"{padding}\n",
        "remark": "# a remark\n",
    }.items():
        content = "".join([*lines[:30], text, *lines[30:]]).encode()
        truth = truth_of(body)
        truth = replace(truth, lines=tuple(k + (k > 30) for k in truth.lines))
        yield Polluted("lines between", f"{name}.csv", content, truth)


def _several(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield files of two tables: the first is the true one, and what follows is no part of it."""
    for name, width in {"fewer": 3, "as many": len(NAMES), "one more": len(NAMES) + 1}.items():
        names = tuple(f"other{j}" for j in range(width))
        numbers = [tuple(str(i * j + 1) for j in range(width)) for i in range(6)]
        for between in ("", "\n", "\n\nSecond table\n"):
            content = _plain(body) + between + text_of([names, *numbers])
            what = f"{name} {len(between)}.csv"
            yield Polluted("several tables", what, content.encode(), truth_of(body))
        content = _plain(body) + "\n" + text_of(numbers)
        what = f"{name}, no header.csv"
        yield Polluted("several tables", what, content.encode(), truth_of(body))


def _numbers(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with numbers written otherwise."""
    truth = truth_of(body)
    for name, mark in {"decimal comma": ";", "decimal comma, tab": "\t"}.items():
        text = text_of([NAMES, *(tuple(c.replace(".", ",") for c in row) for row in body)], mark)
        yield Polluted("numbers", f"{name}.csv", text.encode(), truth)
    for name, write in {
        "plus": lambda cell: cell if cell[:1] in ("-", "") else f"+{cell}",
        "minus": lambda cell: cell.replace("-", "\u2212"),
        "blanks": lambda cell: f"  {cell} ",
        "zeros": lambda cell: cell if cell[:1] in ("-", "") else f"00{cell}",
        "NA": lambda cell: cell or "NA",
        "NULL": lambda cell: cell or "NULL",
        "dash": lambda cell: cell or "-",
        "point": lambda cell: cell or ".",
    }.items():
        text = text_of([NAMES, *(tuple(map(write, row)) for row in body)])
        yield Polluted("numbers", f"{name}.csv", text.encode(), truth)


def _lines(body: Sequence[Cells]) -> Iterator[Polluted]:
    """Yield the file with one line spoilt, the header (line 1) too, in each way at each place."""
    table, truth = [NAMES, *body], truth_of(body)
    for at, row in enumerate(table):
        for j in range(len(row) + 1):
            yield _with_line(table, at, ",".join((*row[:j], "", *row[j:])), truth, "more", j)
        for j in range(len(row) - 1):
            joined = (*row[:j], row[j] + row[j + 1], *row[j + 2 :])
            yield _with_line(table, at, ",".join(joined), truth, "less", j)
        for j, cell in enumerate(row):
            half = len(cell) // 2
            for what, spoilt in enumerate((f'"{cell}', f'{cell[:half]}"{cell[half:]}')):
                line = ",".join((*row[:j], spoilt, *row[j + 1 :]))
                known = truth
                if at == 0:  # the name as it stands there will do
                    own = (*truth.names[:j], (cell, spoilt), *truth.names[j + 1 :])
                    known = replace(truth, names=own)
                yield _with_line(table, at, line, known, "quote", 2 * j + what)
        for j, mark in enumerate(_SEPARATORS.values()):
            cells = tuple(cell or "NA" for cell in row) if mark == " " else row
            yield _with_line(table, at, mark.join(cells), truth, "other", j)


_SPOILT = {
    "more": "a line with a separator more",
    "less": "a line with a separator less",
    "quote": "a line with a quote more",
    "other": "a line with another separator",
}


def _with_line(
    table: Sequence[Cells], at: int, line: str, truth: Truth, what: str, place: int
) -> Polluted:
    """Return the file with another line."""
    lines = [",".join(row) for row in table]
    lines[at] = line
    content = ("\n".join(lines) + "\n").encode()
    return Polluted(_SPOILT[what], f"{what} {at + 1} {place}.csv", content, truth)
