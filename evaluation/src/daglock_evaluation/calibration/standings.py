"""Standings: tables and sentences on who is wrong how often on real tables, from the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from daglock.typing import Array
from daglock_evaluation.calibration.contenders import CONTENDERS, OURS, PAIR
from daglock_evaluation.calibration.intervals import Interval, by_groups
from daglock_evaluation.calibration.judging import judge
from daglock_evaluation.calibration.ours import CONFIDENCE, IDENTIFIED, OPINION
from daglock_evaluation.calibration.pairs import group_of
from daglock_evaluation.calibration.statements import (
    CERTAIN,
    HINTS,
    LABELS,
    Count,
    Records,
    Verdicts,
    count,
    links_of_ours,
    methods,
)
from daglock_evaluation.calibration.tables import Role
from daglock_evaluation.harness.numbers import NOTHING, listed, plural
from daglock_evaluation.harness.tables import Table

COIN = "a coin"
REPLICATED = "flop-20:replicates"
ROLES: dict[Role, str] = {"judge": "kept for judging", "fit": "developed on"}
MINE = (OURS, IDENTIFIED, CERTAIN, HINTS)
HALF = 0.5


def counts(records: Records, role: str) -> list[Count]:
    """Return how all methods did on the tables of a role, those least often wrong first."""
    found = [count(records, role, name) for name in methods(records, role)]
    return sorted(found, key=lambda one: (not one.stated, one.share, one.label))


def main_table(records: Records, role: Role) -> Table:
    """Return how often each method is wrong about the links that it finds."""
    head = ("method", "tables", "links", "stated", "coverage", "wrong", "share wrong")
    rows: list[tuple[str, ...]] = [
        (*head, "95 % by pairs", "95 % by tables", "less daglock's hints")
    ]
    found = counts(records, role)
    hints = next((one for one in found if one.method == HINTS), None)
    for one in found:
        cells = (one.label, str(one.tables), str(one.linked), str(one.stated))
        if one.stated:
            beside = "" if hints is None or one is hints else points(one.less(hints))
            shares = (percent(one.coverage), str(one.wrong), percent(one.share))
            rows.append((*cells, *shares, span(one.by_pairs), span(one.by_tables), beside))
        else:
            rows.append((*cells, *[NOTHING] * 6))
    ours = links_of_ours(records, role)
    coin = (COIN, str(len({t for t, _ in ours})), str(len(ours)), str(len(ours)), "100 %")
    rows.append((*coin, f"{len(ours) / 2:g}", "50 %", NOTHING, NOTHING, NOTHING))
    return Table(f"Tables {ROLES[role]}: {len(records.names(role))}", rows)


def same_links(records: Records) -> Table:
    """Return how methods do on the links of daglock's graphs alone."""
    parts = [f"{words}: {what}" for words in ROLES.values() for what in ("stated", "share wrong")]
    rows: list[tuple[str, ...]] = [("method", *parts)]
    ours = {role: links_of_ours(records, role) for role in ROLES}
    order = [one.method for one in counts(records, "judge")]
    for name in order:
        cells = []
        for role in ROLES:
            here = ours[role]
            one = count(records, role, name, here)
            of = sum(table in one.by_table for table, _ in here)
            if one.stated:
                share = f"{percent(one.share)} ({span(one.by_tables)})"
                cells += [f"{one.stated} of {of}, {percent(one.stated / of)}", share]
            else:
                cells += [f"0 of {of}", NOTHING]
        rows.append((LABELS[name], *cells))
    return Table("On the links of daglock's graphs", rows)


def probabilities(records: Records) -> Table:
    """Judge the probabilities of directions that methods give."""
    head = ("method", "tables", "links", "calibration error", "Brier", "at 0.9 or more", "right")
    rows: list[tuple[str, ...]] = [(*head, "the surest", "of these wrong")]
    for role, words in ROLES.items():
        hints = count(records, role, HINTS)
        for name, label in ((CONFIDENCE, "daglock, confidence"), (REPLICATED, "FLOP, replicates")):
            found = records.probabilities(role, name)
            said = np.array([p for pairs in found.values() for p in pairs.values()])
            if not len(said):
                continue
            verdict = judge(said, np.ones(len(said), dtype=np.bool_), two_sided=True)
            sure = round(verdict.directed[0] * verdict.n)
            right = f"{round(verdict.directed[1] * sure)} of {sure}" if sure else NOTHING
            figures = (f"{verdict.error:.3f}", f"{verdict.brier:.3f}", percent(verdict.directed[0]))
            cells = (f"{label}, {words}", str(len(found)), str(verdict.n))
            share, wrong = surest(said, hints.coverage)
            rows.append((*cells, *figures, right, percent(share), percent(wrong)))
    rows.append(("a coin, any", NOTHING, NOTHING, "0", "0.250", "0 %", *[NOTHING] * 3))
    return Table("Probabilities of directions", rows)


def surest(said: Array, share: float) -> tuple[float, float]:
    """Return how large a share the surest are, about as large as is asked for, and how many err.

    Of those that are equally sure all count, so that there may be a few more.

    Parameters
    ----------
    said : probabilities of what is true.

    Examples
    --------
    >>> surest(np.array([0.9, 0.2, 0.6, 0.5]), 0.5)
    (0.5, 0.5)
    """
    sure = np.maximum(said, 1 - said)
    least = np.sort(sure)[::-1][max(round(share * len(said)), 1) - 1]
    here = sure >= least
    wrong = np.where(said == HALF, HALF, said < HALF)
    return float(here.mean()), float(wrong[here].mean())


def pairs_table(records: Records) -> Table:
    """Return how methods do on the cause-effect pairs, with the weights of the collection."""
    rows = [("method", "pairs", "stated", "coverage", "accuracy", "95 % by sources")]
    every = records.names(PAIR)
    for label, verdicts in _on_pairs(records):
        weight = {name: 1 / len(group_of(_number(name))) for name in every}
        says = {name: sum(verdicts.get(name, {}).values()) for name in every}
        stated = [name for name in every if says[name]]
        total = sum(weight[name] for name in stated)
        if not stated:
            rows.append((label, str(len(every)), "0", "0 %", NOTHING, NOTHING))
            continue
        groups: dict[int, tuple[float, float]] = {}
        for name in stated:
            first = group_of(_number(name))[0]
            right, of = groups.get(first, (0.0, 0.0))
            groups[first] = right + weight[name] * (says[name] > 0), of + weight[name]
        accuracy = sum(right for right, _ in groups.values()) / total
        coverage = total / sum(weight.values())
        shares = (percent(coverage), percent(accuracy), span(by_groups([*groups.values()])))
        rows.append((label, str(len(every)), str(len(stated)), *shares))
    return Table("The Tübingen pairs", rows)


def _on_pairs(records: Records) -> Iterator[tuple[str, Mapping[str, Verdicts]]]:
    """Yield what is said of the pairs: daglock's claims, its opinions one by one, other methods."""
    for name, label in ((CERTAIN, LABELS[CERTAIN]), (HINTS, LABELS[HINTS])):
        yield label, records.verdicts(PAIR, name)
    likelier = records.probabilities(PAIR, CONFIDENCE)
    yield (
        "daglock, the likelier way",
        {
            name: {pair: float(np.sign(p - HALF)) for pair, p in said.items()}
            for name, said in likelier.items()
        },
    )
    names = dict.fromkeys(method for _, method in records.runs if method.startswith(OPINION))
    for name in names:
        yield f"daglock, {name.removeprefix(OPINION)} alone", records.verdicts(PAIR, name)
    for one in CONTENDERS:
        if PAIR in one.suites:
            yield one.label, records.verdicts(PAIR, one.name)


def losses(records: Records) -> Iterator[str]:
    """Yield sentences: where others do better than daglock."""
    for role, words in ROLES.items():
        found = {one.method: one for one in counts(records, role) if one.stated}
        rivals = [one for one in found.values() if one.method not in MINE]
        for mine in (found[name] for name in (HINTS, CERTAIN, IDENTIFIED, OURS) if name in found):
            better = [
                one for one in rivals if one.coverage >= mine.coverage and one.share < mine.share
            ]
            if better:
                those = "; ".join(f"{one.label} ({both(one)})" for one in better)
                yield (
                    f"Tables {words}: at least as large a share of the links stated as by "
                    f"{mine.label} ({both(mine)}), and less of that wrong: {those}."
                )
        hints = found.get(HINTS)
        if hints is not None:
            surer = [o for o in rivals if o.coverage < hints.coverage and o.share < hints.share]
            if surer:
                those = "; ".join(f"{one.label} ({both(one)})" for one in surer)
                yield (
                    f"Tables {words}: a smaller share of the links stated than by {hints.label} "
                    f"({both(hints)}), and less of that wrong: {those}."
                )


def gains(records: Records) -> Iterator[str]:
    """Yield sentences: what else the tables say."""
    for role, words in ROLES.items():
        found = [one for one in counts(records, role) if one.stated]
        below = [f"“{one.label}”" for one in found if one.by_tables[1] < HALF]
        rest = [f"“{one.label}”" for one in found if one.by_tables[1] >= HALF]
        yield (
            f"Tables {words}: better than a coin, with the interval by tables below one half: "
            f"{listed(below) or 'none'}. Not told from a coin: {listed(rest) or 'none'}."
        )
        certain = next((one for one in found if one.method == CERTAIN), None)
        if certain is not None:
            yield (
                f"Tables {words}: daglock calls {plural(certain.stated, 'direction')} of "
                f"{certain.linked} directed, {certain.wrong} of them wrongly."
            )
        hints = next((one for one in found if one.method == HINTS), None)
        if hints is not None:
            theirs = records.probabilities(role, REPLICATED)
            said = np.array([p for pairs in theirs.values() for p in pairs.values()])
            if len(said):
                yield (
                    f"Tables {words}: of their surest links, {percent(hints.coverage)} of all, "
                    f"daglock's are wrong in {percent(hints.share)}, those of FLOP's replicates in "
                    f"{percent(surest(said, hints.coverage)[1])}."
                )
            worse = [
                f"“{one.label}”"
                for one in found
                if one.method not in MINE and one.less(hints)[0] > 0
            ]
            if worse:
                yield (
                    f"Tables {words}: wrong more often than daglock's hints ({both(hints)}), with "
                    f"the interval of the difference above zero: {listed(worse)}."
                )


def both(one: Count) -> str:
    """Write coverage and share of wrong ones."""
    return f"{percent(one.coverage)} stated, {percent(one.share)} wrong"


def percent(share: float) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.384)
    '38 %'
    """
    return f"{100 * share:.0f} %"


def span(ends: Interval) -> str:
    """Write an interval of a share.

    Examples
    --------
    >>> span((0.281, 0.474))
    '28 to 47 %'
    """
    return f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


def points(ends: Interval) -> str:
    """Write an interval of a difference of shares.

    Examples
    --------
    >>> points((-0.02, 0.131))
    '−2 to +13'
    """
    return " to ".join(f"{round(100 * end):+d}".replace("-", "−") for end in ends)


def _number(name: str) -> int:
    """Return the number of a pair."""
    return int(name.split()[1])


def unfinished(records: Records) -> Sequence[str]:
    """Return a sentence for each method that did not come to an end on some tables."""
    result = []
    for one in CONTENDERS:
        runs = [run for role in (*ROLES, PAIR) for run in records.unfinished(role, one.name)]
        slow = [run["table"] for run in runs if run["status"] == "time limit"]
        if slow:
            result.append(f"{one.label}: > {runs[0]['seconds']:g} s on {listed(slow)}.")
        result += [
            f"{one.label} on {run['table']}: {run['message']}"
            for run in runs
            if run["status"] != "time limit"
        ]
    return result
