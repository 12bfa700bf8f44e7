"""``python -m tests.golden compare [CASE ...]`` or ``accept SECTION WHY``."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from tests.golden import store
from tests.golden.cases import Case, cases
from tests.golden.compare import differences
from tests.golden.record import SECTIONS, Values, record

MOST = 12


def compare(wanted: list[str]) -> int:
    """Print what differs; the exit code is 1 if anything does."""
    chosen = _chosen(wanted)
    kept = {section: store.read(section) for section in SECTIONS}
    count = dict.fromkeys(SECTIONS, 0)
    for case, now in _recorded(chosen):
        for section in SECTIONS:
            before = kept[section].get(case.name, {})
            found = list(islice(differences(section, before, now.get(section, {})), MOST))
            if found:
                count[section] += 1
                print(f"{case.name} ({section}):", *found, sep="\n  ", flush=True)
    missing = {name for section in SECTIONS for name in kept[section]}
    missing -= {case.name for case in cases()}
    if missing:
        print(f"No such case any more: {', '.join(sorted(missing))}")
    said = ", ".join(f"{n} differ in {section}" for section, n in count.items())
    print(f"{len(chosen)} cases: {said}.")
    return int(any(count.values()) or bool(missing))


def accept(section: str, why: str) -> int:
    """Keep a section as it is now, and log why."""
    if section not in SECTIONS or not why.strip():
        print(f"accept SECTION WHY, with a section among {', '.join(SECTIONS)}")
        return 2
    before, now = store.read(section), dict[str, Values]()
    for case, values in _recorded(cases()):
        if section in values:
            now[case.name] = values[section]
    changed = [
        name
        for name in {**before, **now}
        if any(differences(section, before.get(name, {}), now.get(name, {})))
    ]
    if not changed:
        print(f"Nothing differs in {section}.")
        return 0
    store.accept(section, now, why.strip(), changed)
    print(f"{section}: {len(changed)} cases changed.")
    return 0


def _chosen(names: list[str]) -> list[Case]:
    """Return the cases that were named, or all."""
    found = [case for case in cases() if not names or case.name in names]
    unknown = {*names} - {case.name for case in found}
    if unknown:
        raise SystemExit(f"There is no case {', '.join(sorted(unknown))}.")
    return found


def _recorded(chosen: list[Case]) -> list[tuple[Case, dict[str, Values]]]:
    """Run cases in two processes, by name: a function cannot be sent to another."""
    with ProcessPoolExecutor(2) as pool:
        values = pool.map(_by_name, [case.name for case in chosen], chunksize=4)
        return list(zip(chosen, values, strict=True))


def _by_name(name: str) -> dict[str, Values]:
    """Run a case."""
    return record(next(case for case in cases() if case.name == name))


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["compare"]
    if command == "accept" and len(rest) == 2:
        sys.exit(accept(*rest))
    sys.exit(compare(rest) if command == "compare" else print(__doc__) or 2)
