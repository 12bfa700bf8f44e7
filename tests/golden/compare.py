"""What differs from the golden files: names and words exactly, numbers by section.

Graphs: edges exactly, numbers to 1e-9 of themselves. Claims exactly, probabilities to 1e-6. Texts
byte for byte, but for numbers of more than seven digits, which end differently on another
processor: they to 1e-6.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from tests.golden.record import Values

RELATIVE = {"graphs": 1e-9, "claims": 1e-6, "texts": 1e-6}
# A difference below this is rounding, whatever the number.
NOTHING = 1e-12
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_SHORT = 8


def differences(section: str, kept: Values, now: Values) -> Iterator[str]:
    """Yield a line for each difference."""
    tolerance = RELATIVE[section]
    if section != "texts":
        yield from _differ("", kept, now, tolerance)
        return
    for part in sorted({*kept, *now}):
        before, after = kept.get(part, []), now.get(part, [])
        if len(before) != len(after):
            yield f"{part}: {len(before)} lines, now {len(after)}"
        for k, (old, new) in enumerate(zip(before, after, strict=False), start=1):
            if old != new and not _same_text(old, new, tolerance):
                yield from (f"{part}, line {k}:", f"  - {_cut(old, new)}", f"  + {_cut(new, old)}")


def _differ(where: str, kept: Any, now: Any, tolerance: float) -> Iterator[str]:
    """Compare values, part by part."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in [*kept, *(key for key in now if key not in kept)]:
            place = f"{where}, {key}" if where else str(key)
            if key not in now:
                yield f"{place}: {kept[key]!r} is gone"
            elif key not in kept:
                yield f"{place}: {now[key]!r} is new"
            else:
                yield from _differ(place, kept[key], now[key], tolerance)
    elif isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        for k, (old, new) in enumerate(zip(kept, now, strict=True)):
            yield from _differ(f"{where}[{k}]", old, new, tolerance)
    elif _is_number(kept) and _is_number(now):
        if not math.isclose(kept, now, rel_tol=tolerance, abs_tol=NOTHING):
            yield f"{where}: {kept!r}, now {now!r}"
    elif kept != now:
        yield f"{where}: {kept!r}, now {now!r}"


def _is_number(value: Any) -> bool:
    """Whether it is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same_text(old: str, new: str, tolerance: float) -> bool:
    """Whether two lines differ in the last digits of long numbers alone."""
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(
        a == b
        or (
            max(len(a), len(b)) > _SHORT
            and math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=NOTHING)
        )
        for a, b in pairs
    )


def _cut(line: str, other: str, width: int = 150) -> str:
    """Return a long line around the first place in which it differs from another."""
    at = next((k for k, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), 0)
    start = max(0, at - width // 3)
    return ("…" if start else "") + line[start : start + width]
