"""Numbers and lists as people read them, in tables and in sentences; a dash where there is none.

>>> [count_text(value) for value in (49.0, 249500.0, None)]
['49', '249,500', '–']
>>> [mean_text(value) for value in (0.0, 3.0, 2.25, 123.4, 0.02)]
['0', '3', '2.2', '123', '0.02']
>>> [share_text(value) for value in (1.0, 0.8749, 0.9997)]
['1', '0.875', '0.999']
>>> [seconds_text(value) for value in (0.00006, 0.0042, 0.1234, 1.234, 12.34, 123.4)]
['< 0.001', '0.0042', '0.12', '1.23', '12.3', '123']
>>> [ratio_text(value) for value in (0.0002, 0.054, 1.0, 14.27, 1234.0, 23456.0)]
['< 0.01', '0.054', '1', '14', '1230', '23,500']
>>> [megabytes_text(value) for value in (1.26, 263.1)]
['1.3', '263']
>>> [short(value) for value in (0.0, 1e-7, 0.0312, 12345.0, 50.0, None)]
['0', '1e-7', '0.031', '1.2e4', '50', '–']
>>> span([3.0, 1.0]), span([2.0, 2.0]), span([])
('1 to 3', '2', '–')
>>> share([True, False, True]), plural(1, "seed"), plural(2, "seed")
('2 of 3', '1 seed', '2 seeds')
>>> listed(["a", "b", "c"]), listed(["a"]), listed([])
('a, b and c', 'a', '')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isinf, sqrt
from statistics import stdev

import numpy as np

NOTHING = "–"
# From here on a comma helps; below these, the digits are noise.
LARGE = 10_000
SHORTEST, SMALLEST_RATIO = 0.001, 0.01
# Of intervals.
LEVEL = 0.95


def count_text(value: float | None) -> str:
    """Write a count."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= LARGE else f"{value:.0f}"


def mean_text(value: float | None) -> str:
    """Write a mean of counts: with one decimal where it is not whole and that can be told."""
    if value is None:
        return NOTHING
    if abs(value - round(value)) < 1e-9 or value >= 99.95:
        return count_text(value)
    return f"{value:.1f}" if value >= 0.05 else f"{value:.1g}"


def share_text(value: float | None) -> str:
    """Write a number between 0 and 1 such as F1."""
    if value is None:
        return NOTHING
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    return f"{min(value, 0.999):.3f}"  # what is not whole must not look so


def seconds_text(value: float | None) -> str:
    """Write a time in seconds, without the unit."""
    if value is None or isinf(value):
        return NOTHING
    if value < SHORTEST:
        return f"< {SHORTEST:g}"
    if value < 1.0:
        return f"{value:.2g}"
    return f"{value:.3g}" if value < 100.0 else count_text(value)


def ratio_text(value: float | None) -> str:
    """Write how many times as much."""
    if value is None:
        return NOTHING
    if value < SMALLEST_RATIO:
        return f"< {SMALLEST_RATIO:g}"
    return f"{value:.2g}" if value < 100.0 else count_text(float(f"{value:.3g}"))


def megabytes_text(value: float | None) -> str:
    """Write an amount of memory, without the unit."""
    return f"{value:.1f}" if value is not None and value < 10.0 else count_text(value)


def short(value: float | None, digits: int = 2) -> str:
    """Write a number with few significant digits."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    if digits <= int(exponent) < 4:
        return f"{value:.0f}"
    return f"{mantissa}e{int(exponent)}"


def span(values: Iterable[float | None], digits: int = 2) -> str:
    """Write the least and the largest number, or the only one."""
    known = [value for value in values if value is not None]
    if not known:
        return NOTHING
    low, high = short(min(known), digits), short(max(known), digits)
    return low if low == high else f"{low} to {high}"


def average(values: Sequence[float]) -> float:
    """Return the mean, NaN of nothing."""
    return float(np.mean(values)) if len(values) else float("nan")


def spread(values: Sequence[float], digits: int = 3) -> str:
    """Write the mean, and where values differ the smallest and largest; all digits of integers.

    Examples
    --------
    >>> spread([3, 3]), spread([1, 2, 6]), spread([]), spread([1999, 2000])
    ('3', '3 (1–6)', '–', '2000 (1999–2000)')
    """
    if not len(values):
        return NOTHING
    middle, low, high = (
        f"{number:.0f}" if abs(number) >= 10**digits else f"{number:.{digits}g}"
        for number in (average(values), min(values), max(values))
    )
    return middle if low == high else f"{middle} ({low}–{high})"


def interval(values: Sequence[float], digits: int = 2) -> str:
    """Write the range of some values with fixed decimals, as exponents are.

    Examples
    --------
    >>> interval([1.0, 1.001]), interval([1.0, 3.0]), interval([-1e-9]), interval([])
    ('1.00', '1.00 to 3.00', '0.00', '–')
    """
    if not values:
        return NOTHING
    low, high = (f"{round(end, digits) + 0.0:.{digits}f}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def share(flags: Iterable[bool]) -> str:
    """Write how many of some are true."""
    known = list(flags)
    return f"{sum(known)} of {len(known)}"


def plural(number: int, one: str) -> str:
    """Return a number with its noun."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def listed(words: Sequence[str]) -> str:
    """Return words with commas and an "and"."""
    *most, last = words or [""]
    return f"{', '.join(most)} and {last}" if most else last


def half_interval(values: Sequence[float]) -> float | None:
    """Return half the width of Student's interval for the mean; None from one value.

    Examples
    --------
    >>> half_interval([1.0, 2.0, 3.0, 4.0]), half_interval([1.0])
    (2.0542..., None)
    """
    if len(values) < 2:
        return None
    from scipy.special import stdtrit

    n = len(values)
    return float(stdtrit(n - 1, (1.0 + LEVEL) / 2.0)) * stdev(values) / sqrt(n)
