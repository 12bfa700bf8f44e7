"""What columns of text are, found by looking at their different words.

Dates and texts that differ in nearly every row are no variables. Two words are binary, few are
categorical. Numbers with some words among them are neither: the words are to be named as missing,
or the column as categorical.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daglock.table.finding import MOST_CODES, ROWS_A_LEVEL
from daglock.table.kinds import ColumnKind, Kind
from daglock.typing import Array, IntArray
from daglock.wording import listed, plural

# Text with so many levels at most is found to be categorical ...
MOST_LEVELS = 30
# ... and with so many if a user says that it is: each level is a column of numbers.
MOST_GIVEN = 100
# Text is an identifier where so large a share of the rows has a text of its own.
UNIQUE = 0.9
# Words among numbers are a slip, or say that nothing was measured, where they are so rare.
RARE = 0.05
# So many words are looked at before all of a column with more.
_ENOUGH = 2000

_TIME = (
    r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?: ?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = (
    rf"(?:\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}|\d{{1,2}}([-/.])\d{{1,2}}\2\d{{2,4}}"
    rf"|\d{{1,2}}\.?[-/ ]?{_MONTH}[-/ ,]{{0,2}}\d{{2,4}}|{_MONTH} ?\d{{1,2}},? ?\d{{4}})"
)
_DATE = re.compile(
    rf"(?:{_DAY}(?:[ t]{_TIME})?|{_TIME}|(?:19|20)\d{{2}}[-/](?:0[1-9]|1[0-2])"
    rf"|(?:19|20)\d{{2}}[- ]?q[1-4]|q[1-4][- ](?:19|20)\d{{2}}|{_MONTH}[- ](?:19|20)\d{{2}})",
    re.IGNORECASE,
)
# Nothing measured, or beyond what can be measured.
_MARKER = re.compile(
    r"[\W_]+|(?i:n\.?/?[ad]\.?|nd|b\.?d\.?l\.?|l\.?o\.?[dq]\.?|tr(?:ace)?s?|missing|unknown"
    r"|not (?:done|detected|available|measured))|[<>≤≥~]=? ?[\d.,]+"
)
# A number with a unit before or behind it.
_UNIT = re.compile(r"([$€£]?) ?([+-]?\d[\d.,]*) ?((?:%|‰|[^\W\d_]{1,4}|[$€£°][CF]?)?)")
_LABEL = re.compile(r"\d+[A-Za-z]|[A-Za-z]+\d+")
_NO = ("no", "false", "0", "-", "off", "absent", "negative", "neg", "none", "never")
# Letters mean no beside one that means yes.
_PAIRS = (("n", "y"), ("n", "j"), ("f", "t"), ("f", "m"))
_NOT = re.compile(r"(?:not|no|non|un)[-_ ]?", re.IGNORECASE)


@dataclass(frozen=True)
class Words:
    """A column of text: its different words, and which of them stands in each row."""

    codes: Array  # 0, 1, ..., NaN where there is none
    words: tuple[str, ...]

    def tally(self) -> IntArray:
        """Count how often each word occurs."""
        there = self.codes[~np.isnan(self.codes)]
        return np.bincount(there.astype(np.intp), minlength=len(self.words))

    def relabelled(self, levels: Sequence[str]) -> Array:
        """Return the numbers of the words among these levels, which hold every word that occurs."""
        number = {level: float(k) for k, level in enumerate(levels)}
        new = np.array([*(number.get(word, np.nan) for word in self.words), np.nan])
        places = np.where(np.isnan(self.codes), len(self.words), self.codes).astype(np.intp)
        return np.asarray(new[places])


@dataclass(frozen=True)
class NearlyNumbers:
    """Why a column of text is to be mended: numbers, and words among them."""

    words: tuple[str, ...]  # the most frequent first
    counts: tuple[int, ...]
    unit: str = ""  # what all numbers have beside them
    marks_differ: bool = False  # all are numbers, but not with one decimal mark


def find_words(column: Words) -> ColumnKind | NearlyNumbers:
    """Return what a column of text is; the levels in the order that they are to have.

    Examples
    --------
    >>> found = find_words(Words(np.arange(40.0) % 3, ("red", "green", "blue")))
    >>> found.kind.value, found.levels
    ('categorical', ('blue', 'green', 'red'))
    >>> find_words(Words(np.arange(40.0) % 2, ("yes", "no"))).levels
    ('no', 'yes')
    >>> find_words(Words(np.arange(40.0), tuple(map(str, np.arange(39))) + ("n.d.",))).words
    ('n.d.',)
    """
    tally = column.tally()
    occurring = [word for word, count in zip(column.words, tally, strict=True) if count]
    k, n = len(occurring), int(tally.sum())
    if k < 2:
        reason = "it does not vary" if k else "it has no value"
        return ColumnKind(Kind.CONSTANT, reason=reason)
    mixed = _nearly_numbers(column.words, tally)
    if mixed is not None:
        return mixed
    if _are_dates(column.words, tally):
        return ColumnKind(Kind.DATE, reason="it holds dates or times")
    if k >= UNIQUE * n and k > 2:
        return ColumnKind(Kind.IDENTIFIER, reason="nearly every row has a text of its own")
    if k > MOST_LEVELS:
        reason = f"it has {k} different texts, more than {MOST_LEVELS}, as labels do"
        return ColumnKind(Kind.IDENTIFIER, reason=reason)
    levels = in_order(occurring)
    if k == 2:
        reason = f"its text has two values, {' and '.join(levels)}"
        return ColumnKind(Kind.BINARY, levels, reason)
    if k * ROWS_A_LEVEL > n:
        reason = f"it has {k} different texts in {plural(n, 'row')}, too few for each"
        return ColumnKind(Kind.IDENTIFIER, reason=reason)
    return ColumnKind(Kind.CATEGORICAL, levels, f"its text has {k} values, {listed(levels)}")


def in_order(words: Sequence[str]) -> tuple[str, ...]:
    """Return levels in order: no before yes, numbers by size, all else by the alphabet.

    Examples
    --------
    >>> in_order(["yes", "no"]), in_order(["+", "-"]), in_order(["fire", "not-fire"])
    (('no', 'yes'), ('-', '+'), ('not-fire', 'fire'))
    >>> in_order(["10", "b", "9", "A"]), in_order(["N", "A"])
    (('9', '10', 'A', 'b'), ('A', 'N'))
    """
    levels = sorted(words, key=_key)
    if len(levels) == 2:
        one, other = (level.strip().casefold() for level in levels)
        denied = _NOT.match(other)
        is_no = (other in _NO and one not in _NO) or (other, one) in _PAIRS
        if is_no or (denied and other[denied.end() :] == one):
            levels.reverse()
    return tuple(levels)


def is_date(word: str) -> bool:
    """Whether a text is a date or a time.

    Examples
    --------
    >>> [is_date(word) for word in ("2020-01-31", "31.1.20 12:00", "3 May 2020", "10:15", "x1")]
    [True, True, True, True, False]
    """
    return _DATE.fullmatch(word.strip()) is not None


def _key(word: str) -> tuple[float, str, str]:
    """Return what a level is sorted by."""
    try:
        size = float(word)
    except ValueError:
        size = np.inf
    return size if size == size else np.inf, word.casefold(), word


def _some(words: Sequence[str]) -> Sequence[str]:
    """Return enough of many words to tell what they are like."""
    return words[:: _step(words)]


def _step(words: Sequence[str]) -> int:
    """Return how many words are passed over for each that is looked at."""
    return -(-len(words) // _ENOUGH)


def _are_dates(words: Sequence[str], tally: IntArray) -> bool:
    """Whether nearly all cells are dates."""
    some, counts = _some(words), tally[:: _step(words)]
    dated = np.array([is_date(word) for word in some])
    return bool(counts[dated].sum() >= (1 - RARE) * counts.sum())


def _are_levels(k: int, n: int) -> bool:
    """Whether so few words that come again and again may be levels rather than numbers."""
    return k <= MOST_CODES and n >= ROWS_A_LEVEL * k


def _nearly_numbers(words: Sequence[str], tally: IntArray) -> NearlyNumbers | None:
    """Tell whether a column should be numbers, and which words stand in the way."""
    from daglock.table.cells import is_number

    some = _some(words)
    numbers = sum(map(is_number, some))
    # of many different words most are numbers, or they are no numbers with words among them
    if numbers == 0 or (len(some) < len(words) and 2 * numbers < len(some)):
        return _with_unit(words, tally)
    numeric = np.array([is_number(word) for word in words])
    there = tally > 0
    n, n_numbers = int(tally.sum()), int(tally[numeric].sum())
    others = np.flatnonzero(~numeric & there)
    others = others[np.argsort(-tally[others], kind="stable")]
    if not len(others):  # two decimal marks in one column
        others = np.flatnonzero(there)
    marks = bool(numeric[others].any())
    counts = tuple(tally[others].tolist())
    found = NearlyNumbers(tuple(words[i] for i in others.tolist()), counts, marks_differ=marks)
    if marks:
        return found
    if 2 * n_numbers < n or _are_labels(found, words, tally):
        return None
    # words beside a few numbers that come again and again are levels: 0, 1, 2, "3 or more"
    markers = all(_MARKER.fullmatch(word) for word in found.words)
    if _are_levels(int(there.sum()), n) and not markers and n - n_numbers > RARE * n:
        return None
    return found


def _are_labels(found: NearlyNumbers, words: Sequence[str], tally: IntArray) -> bool:
    """Whether whole numbers with a letter here and there, again and again, number cases: 136A."""
    lettered = all(_LABEL.fullmatch(word) for word in found.words) and min(found.counts) > 1
    occurring = [word for word, count in zip(words, tally, strict=True) if count]
    whole = all(word.isdigit() or _LABEL.fullmatch(word) for word in occurring)
    return lettered and whole and len(occurring) > MOST_LEVELS


def _with_unit(words: Sequence[str], tally: IntArray) -> NearlyNumbers | None:
    """Tell whether all words are numbers with one unit."""
    if not all(map(_UNIT.fullmatch, _some(words))):
        return None
    there = [(word, int(count)) for word, count in zip(words, tally, strict=True) if count]
    matches = [_UNIT.fullmatch(word) for word, _ in there]
    units = {(found[1], found[3]) for found in matches if found is not None}
    if None in matches or len(units) != 1 or _are_levels(len(there), int(tally.sum())):
        return None
    unit = "".join(units.pop())
    return NearlyNumbers(tuple(word for word, _ in there), tuple(c for _, c in there), unit)
