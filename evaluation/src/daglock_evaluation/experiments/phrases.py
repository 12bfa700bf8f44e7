"""Numbers and lists in the sentences of a verdict and the cells of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def short(value: float | None, digits: int = 2) -> str:
    """Write a number with few significant digits; a dash where there is none.

    Examples
    --------
    >>> short(0.0), short(1e-7), short(0.0312), short(12345.0), short(50.0), short(None)
    ('0', '1e-7', '0.031', '1.2e4', '50', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    if digits <= int(exponent) < 4:
        return f"{value:.0f}"
    return f"{mantissa}e{int(exponent)}"


def span(values: Iterable[float | None], digits: int = 2) -> str:
    """Write the least and the largest number, or the only one.

    Examples
    --------
    >>> span([3.0, 1.0]), span([2.0, 2.0]), span([])
    ('1 to 3', '2', '–')
    """
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    low, high = short(min(known), digits), short(max(known), digits)
    return low if low == high else f"{low} to {high}"


def share(flags: Iterable[bool]) -> str:
    """Write how many of some are true.

    Examples
    --------
    >>> share([True, False, True])
    '2 of 3'
    """
    known = list(flags)
    return f"{sum(known)} of {len(known)}"


def listing(names: Sequence[str]) -> str:
    """Join names with commas and a last "and".

    Examples
    --------
    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
