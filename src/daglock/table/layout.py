"""How a text file is laid out: its separator, where its header is and where its rows begin."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.cells import is_comment, is_missing, is_number, is_plain_number
from daglock.table.columns import open_quote
from daglock.table.limits import Limits
from daglock.table.records import Record, is_filler, lines_of, records, squeeze, unreadable_error
from daglock.table.source import Hints
from daglock.wording import plural

# So much of a file is looked at.
_HEAD = 1 << 20
_ROWS = 500
_FEWEST = 5
_CELLS = 20_000
_WIDTHS = 3
# In the order of preference where two explain a file equally well.
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", " ": "space"}
# Marks that people and programs put round a cell beside the usual quotes, as they open and close.
QUOTES = ("''", "``", "‘’", "“”", "„“", "«»")
# Lines of names that a table can have at most, and rows below them that must be numbers.
_MOST_NAMING = 3
_NUMBERS_BELOW = 20
# Share of numbers in a column that is one of numbers, whatever else there is in it.
NEARLY = 0.9


@dataclass(frozen=True)
class Layout:
    """What was found out about a text file."""

    separator: str
    names: tuple[str, ...] | None  # one for each column, as they are written; None without header
    n_columns: int
    body_line: int  # number of the first line below the header
    body_byte: int  # where it begins


def separator_of(spelling: str) -> str:
    r"""Return the separator that a user means: a character, or a word for it.

    Examples
    --------
    >>> separator_of("tab") == separator_of(r"\t") == "\t", separator_of(";")
    (True, ';')
    """
    words = {word: character for character, word in SEPARATORS.items()}
    words |= {r"\t": "\t", "whitespace": " ", "blank": " "}
    separator = words.get(spelling.lower(), spelling)
    if len(separator) != 1 or separator in '"\r\n' or not separator.isascii():
        raise InvalidParameterError(
            f"The separator must be one character or one of {', '.join(SEPARATORS.values())}; "
            f"got {spelling!r}."
        )
    return separator


def find_layout(raw: bytes, label: str, hints: Hints, notes: list[str]) -> Layout:
    """Find separator, header and first row in the first lines of a file.

    Lines above the header that are blank, remarks or titles (a single cell) are passed over, with
    a note; above a table of numbers alone any lines without a number. A row is a header when it has
    a word above a column of numbers; several rows are one header when all their cells are words and
    all below are numbers.
    """
    head = _first_lines(raw)
    separator, at, remark = _preamble(head, hints, label)
    lines = head[at:]
    _refuse_wide(lines, separator, at, label, hints.limits.columns)
    if not lines:
        raise InvalidDataError(f"{label} is empty: it has no rows.")
    most = hints.limits.cell
    separator = separator or guess_separator(lines, most)
    if separator == " ":
        lines = lines_of(squeeze("".join(lines)))
    rows = list(islice(records(lines, separator, at + 1, most), _ROWS))
    if not rows[-1].cells:
        raise unreadable_error(rows[-1], label, most)
    _, width = _best_width(rows)
    title = None
    while len(rows) > 1 and width > 1 and len(rows[0].cells) == 1:
        title = rows.pop(0)
        remark = title.cells[0]
    rows = [rows[0], *(row for row in rows[1:] if not is_filler(row.cells, width))]
    if hints.header is not False and (top := _top(rows, width)) is not None:
        above, naming = top
        if above:
            remark = rows[0].cells[0] or "a title"
        if naming > 1:
            notes.append(_about_naming(rows[above : above + naming]))
        rows = [_merged(rows[above : above + naming]), *rows[above + naming :]]
    has_header = hints.header
    if has_header is None:
        quoted = _only_first_is_quoted(rows, lines, at)
        has_header = quoted or _is_header(rows[0], rows[1:], width)
    names = _names(rows, width, separator, label) if has_header else None
    if names is not None:
        names = _as_meant(
            names, "".join(lines[rows[0].first - at - 1 : rows[0].last - at]), separator, notes
        )
    if names is None and hints.header is None and title is not None:
        names = _otherwise_separated(title, separator, width, notes)
        remark = "" if names is not None else remark
    if names is None and hints.header is None:
        names = _commented_names(remark, separator, width)
        if names is not None:
            notes.append("The names of the columns were taken from the remark above the numbers.")
            remark = ""
    if remark:
        notes.append(f"What stands above line {rows[0].first} is no table and was passed over.")
    body_line = rows[0].last + 1 if has_header else rows[0].first
    body_byte = sum(len(line.encode()) for line in head[: body_line - 1])
    return Layout(separator, names, width, body_line, body_byte)


def _preamble(lines: Sequence[str], hints: Hints, label: str) -> tuple[str | None, int, str]:
    """Pass over blank lines and remarks; return the separator, the lines passed, a remark."""
    separator = None if hints.separator is None else separator_of(hints.separator)
    at, remark = hints.skip_lines, ""
    while at < len(lines):
        line = lines[at].strip()
        if line.lower().startswith("sep=") and len(line) <= 5 and not remark:
            # Excel's own way to say which separator follows
            separator = separator or _excels(lines[at].rstrip("\r\n")[4:5], at + 1, label)
        elif is_comment(line):
            remark = line
        elif line:
            break
        at += 1
    return separator, at, remark


def _excels(separator: str, line: int, label: str) -> str | None:
    """Return the separator of Excel's own line, if it can be one."""
    if separator and (separator == '"' or not separator.isascii()):
        raise InvalidDataError(
            f"Line {line} of {label} says that cells are separated by {separator!r}, which cannot "
            "be: give --separator."
        )
    return separator or None


def _refuse_wide(
    lines: Sequence[str], separator: str | None, above: int, label: str, most: int
) -> None:
    """Raise the error about a line of more cells than a table may have columns."""
    for number, line in enumerate(lines[:_FEWEST], start=above + 1):
        for mark in SEPARATORS if separator is None else (separator,):
            cells = len(line.split()) if mark == " " else line.count(mark) + 1
            if cells > most:
                raise InvalidDataError(
                    f"Line {number} of {label} has {cells:,} cells (separated by "
                    f"{separator_name(mark)}), and no more than {most:,} columns are read: if that "
                    f"is meant, give --max-columns {cells} (max_columns in Python)."
                )


def _first_lines(raw: bytes) -> list[str]:
    """Return the lines at the beginning of a file, none of them cut."""
    end = _HEAD
    while end < len(raw) and raw.count(b"\n", 0, end) < _FEWEST:  # lines can be long
        end *= 2
    lines = lines_of(raw[:end].decode("utf-8", "ignore"))
    if end < len(raw) and not lines[-1].endswith("\n"):
        lines.pop()
    return lines


def guess_separator(lines: Sequence[str], most: int = Limits.cell) -> str:
    """Return the separator that gives most rows the same number of cells, and most cells a number.

    Examples
    --------
    >>> guess_separator(["a;b", "1,5;2,5", "3,5;4,5"])
    ';'
    """
    best, chosen = 0.0, ","
    for separator in SEPARATORS:
        text = lines_of(squeeze("".join(lines))) if separator == " " else lines
        rows = list(islice(records(text, separator, most=most), _ROWS))
        score, _ = _best_width(rows)
        if score > best:
            best, chosen = score, separator
    return chosen


def _best_width(rows: Sequence[Record]) -> tuple[float, int]:
    """Return how many cells the rows of the table have, and how well that explains all rows.

    It is the share of rows that have so many, times that of numbers among their cells: lines that
    stand around a table may be more than its rows. Of two, that of the later rows.
    """
    data = [row for row in rows if not is_filler(row.cells, 0)] or rows
    counts = Counter(len(row.cells) for row in reversed(data))
    best, chosen = 0.0, counts.most_common(1)[0][0]
    for width, _ in counts.most_common(_WIDTHS):
        if width < 2:
            continue
        even = [row.cells for row in rows if len(row.cells) == width]
        cells = [cell for row in (even[1:] or even) for cell in row][:_CELLS]
        plain = sum(is_plain_number(cell) or is_missing(cell) for cell in cells) / len(cells)
        score = len(even) / len(rows) * (0.1 + plain)
        if score > best:
            best, chosen = score, width
    return best, chosen


def _names(rows: list[Record], width: int, separator: str, label: str) -> tuple[str, ...]:
    """Fit the header, the first of the rows, to the width of the others."""
    first, body = rows[0], rows[1:]
    if not body:
        if "\n" in "".join(first.cells):
            raise open_quote(f"line {first.first}", label)
        raise InvalidDataError(f"{label} has a header (line {first.first}) but no rows below it.")
    names = [name.strip() for name in first.cells]
    if len(names) == width - 1:  # R's write.table leaves the row names without a name
        # ... or the rows end in a separator that the header has not
        at_end = all(len(row.cells) == width and not row.cells[-1].strip() for row in body)
        labels = [row.cells[0].strip() for row in body if len(row.cells) == width]
        if not at_end and not _label_rows(labels):
            row = next(row for row in body if len(row.cells) == width)
            raise InvalidDataError(
                f"The header (line {first.first}) has {plural(len(names), 'cell')}, but line "
                f"{row.first} has {width}, and the first column holds no names of rows, such as "
                f"{labels[0][:40]!r}: put the name that is missing into the header, or leave the "
                "header out with --skip-lines and --no-header."
            )
        names.insert(width - 1 if at_end else 0, "")
    elif len(names) == width + 1 and not names[-1]:
        names.pop()
    elif len(names) != width:
        row = next(row for row in body if len(row.cells) == width)
        if "\n" in "".join(row.cells):
            raise open_quote(f"line {row.first}", label)
        raise InvalidDataError(
            f"The header (line {first.first}) has {len(names)} cells, but line {row.first} has "
            f"{width}: mend the file, or give --separator (it was taken to be "
            f"{separator_name(separator)}) or --skip-lines."
        )
    return tuple(names)


def _top(rows: Sequence[Record], width: int) -> tuple[int, int] | None:
    """Return how many rows stand above the header, and how many are the header.

    None where rows below are not all numbers, or it is one row at the very top, as usual.
    """
    first = next((k for k, row in enumerate(rows) if any(map(is_number, row.cells))), 0)
    below = [row.cells for row in rows[first : first + _NUMBERS_BELOW] if len(row.cells) == width]
    if first < 2 or not below:
        return None
    for cells in zip(*below, strict=True):
        there = [cell for cell in cells if not is_missing(cell)]
        if not there or not all(map(is_number, there)):
            return None
    naming = 0
    while naming < first and _is_words(rows[first - 1 - naming].cells, width):
        naming += 1
    return (first - naming, naming) if 0 < naming <= _MOST_NAMING else None


def _is_words(cells: Sequence[str], width: int) -> bool:
    """Whether a row has a word in each column."""
    return len(cells) == width and not any(is_missing(cell) or is_number(cell) for cell in cells)


def _merged(rows: Sequence[Record]) -> Record:
    """Return several rows of names as one: what stands below each other is one name."""
    cells = [" ".join(dict.fromkeys(map(str.strip, column))) for column in _columns(rows)]
    return Record(cells, rows[0].first, rows[-1].last)


def _columns(rows: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """Iterate over the columns of rows that are equally long."""
    return zip(*(row.cells for row in rows), strict=True)


def _about_naming(rows: Sequence[Record]) -> str:
    """Say that several lines name the columns."""
    first, last, names = rows[0].first, rows[-1].last, _merged(rows).cells
    return f"Lines {first} to {last} name the columns together, as in {names[0]!r}."


def _as_meant(
    names: tuple[str, ...], text: str, separator: str, notes: list[str]
) -> tuple[str, ...]:
    r"""Return names without marks round all of them, and with what backslashes stand before.

    Examples
    --------
    >>> _as_meant(("'a'", "'b'"), "'a','b'", ",", [])
    ('a', 'b')
    >>> text = r'a,"the \"b\""'
    >>> _as_meant(tuple(next(records([text], ",")).cells), text, ",", [])
    ('a', 'the "b"')
    """
    if "\\" in text and not _is_plain(text, separator):
        reader = csv.reader([text], delimiter=separator, doublequote=False, escapechar="\\")
        try:
            meant = next(reader)
        except csv.Error:  # a name that is longer than most
            meant = []
        if len(meant) == len(names) and not any("\n" in name for name in meant):
            notes.append("A backslash before a quote in the header was left out.")
            names = tuple(name.strip() for name in meant)
    there = [name for name in names if name]
    for marks in QUOTES:
        if there and all(len(name) > 2 and name[0] + name[-1] == marks for name in there):
            notes.append(f"The marks {marks} round the names of the columns were left out.")
            return tuple(name[1:-1].strip() for name in names)
    return names


def _is_plain(text: str, separator: str) -> bool:
    """Whether a line follows the rules of quotes to the letter: within them a quote is doubled."""
    try:
        list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        return False
    return True


def _otherwise_separated(
    title: Record, separator: str, width: int, notes: list[str]
) -> tuple[str, ...] | None:
    """Return the names in a line above the numbers that has another separator than these."""
    for mark in SEPARATORS:
        cells = [cell.strip() for cell in title.cells[0].split(mark)]
        if mark not in (separator, " ") and _is_words(cells, width):
            notes.append(
                f"The names of the columns were taken from line {title.first}, which is separated "
                f"by {separator_name(mark)}."
            )
            return tuple(cells)
    return None


def _label_rows(labels: Sequence[str]) -> bool:
    """Whether a first column without a name labels the rows: 1, 2, ..., or from 0 on, or words.

    Examples
    --------
    >>> _label_rows(["1", "2", "3"]), _label_rows(["a", "b", "c"]), _label_rows(["7", "9", "2"])
    (True, True, False)
    """
    if any(map(is_number, labels)):
        return any(labels == list(map(str, range(k, k + len(labels)))) for k in (0, 1))
    return len(set(labels)) == len(labels)


def _is_header(first: Record, body: Sequence[Record], width: int) -> bool:
    """Whether a row names the columns below it."""
    if not body:
        return not all(is_number(cell) or is_missing(cell) for cell in first.cells)
    shift = width - len(first.cells)  # 1 where R's row names have no name
    if shift not in (0, 1):
        return not all(map(is_number, first.cells))
    numeric = False
    for j, name in enumerate(first.cells, start=shift):
        cells = [row.cells[j] for row in body if len(row.cells) == width]
        cells = [cell for cell in cells if not is_missing(cell)]
        if cells and sum(map(is_number, cells)) >= NEARLY * len(cells):
            numeric = True
            if not is_number(name) and not is_missing(name):
                return True
    bare = all(is_number(name) or is_missing(name) for name in first.cells)
    if shift == 0 and bare and any(is_number(cell) for row in body for cell in row.cells):
        return False
    # where nothing is a number a header is what people have
    return not numeric or shift == 1


def _only_first_is_quoted(rows: Sequence[Record], lines: Sequence[str], above: int) -> bool:
    """Whether all cells of the first row are quoted and not all of the next, as R quotes names."""
    if len(rows) < 2:
        return False
    first, second = (lines[row.first - above - 1].count('"') // 2 for row in rows[:2])
    return first == len(rows[0].cells) and second < len(rows[1].cells)


def _commented_names(remark: str, separator: str, width: int) -> tuple[str, ...] | None:
    """Return the names in the last remark above the numbers, as numpy.savetxt writes them."""
    text = remark.strip().lstrip("#%/").strip()
    found = next(records([squeeze(text) if separator == " " else text], separator), None)
    if found is None or len(found.cells) != width or all(map(is_number, found.cells)):
        return None
    return tuple(name.strip() for name in found.cells)


def separator_name(separator: str) -> str:
    """Return how a message calls a separator."""
    return f"a {SEPARATORS[separator]}" if separator in SEPARATORS else repr(separator)
