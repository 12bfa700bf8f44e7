"""Confidence in plain words: what can be relied on, what cannot, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from daglock.confidence.confidence import DIRECTED, KNOWLEDGE, LEANING, NAME, Confidence
from daglock.confidence.evidence import is_crowded
from daglock.confidence.opinions import OPINIONS
from daglock.confidence.settling import what_settles
from daglock.graph import WeightedDAG
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import listed, plural

SIGNS = {"directed": "→", "leaning": "⇢", "open": "—"}
MEANING = {
    "directed": f"a reliable arrow: {DIRECTED:.0%} or surer, or a direction from you or a name",
    "leaning": f"a leaning one: {LEANING:.0%} to {DIRECTED:.0%}",
    "open": "an open one: neither way is likely enough",
}
_AGAIN = "a target already: more rows of that experiment, or its place in time"
# From here on the linear model counts as more wrong than right.
MISFIT = 0.5
NOT_ASSESSED = (
    "How far to trust it was not computed: nothing can be said about which of these links and "
    "directions hold. The directions are those of the graph that fits best."
)


def verdict(claims: Sequence[str], because: Sequence[str], assumed: Sequence[str] = ()) -> str:
    """Say in a line how many links there are, and how many arrows can be relied on.

    Arrows that were told, or that names of columns say, are counted apart from those that the data
    show; ``assumed`` are these columns.

    Examples
    --------
    >>> verdict(["directed"] * 3 + ["leaning"] * 4 + ["open"] * 7, [""] * 14)
    '14 links: 3 reliable arrows, 4 leaning, 7 open.'
    >>> verdict(["directed", "directed", "open"], ["", "knowledge", ""])
    '3 links: 1 reliable arrow, 1 arrow that you told, 1 open.'
    >>> verdict(["leaning", "open"], ["", "link"]), verdict([], [])
    ('2 links: no reliable arrow, 1 leaning, 1 open.', 'No links.')
    >>> verdict(["directed"] * 3, ["name", "name", ""], ["age", "sex"])
    '3 links: 1 reliable arrow, 2 arrows because age, sex come first.'
    """
    if not claims:
        return "No links."
    count = Counter(claims)
    told, named = (list(because).count(why) for why in (KNOWLEDGE, NAME))
    reliable = count["directed"] - told - named
    parts = [plural(reliable, "reliable arrow")] if reliable else []
    parts += [f"{plural(told, 'arrow')} that you told"] if told else []
    first = f"{listed(assumed, 3)} {'comes' if len(assumed) == 1 else 'come'} first"
    parts += [f"{plural(named, 'arrow')} because {first}"] if named else []
    parts = parts or ["no reliable arrow"]
    parts += [f"{count[claim]:,} {claim}" for claim in ("leaning", "open") if count[claim]]
    return f"{plural(len(claims), 'link')}: {', '.join(parts)}."


def share(probability: float) -> str:
    """Return a probability in percent, never rounded up: what is below a bound stays below it.

    Examples
    --------
    >>> share(0.899), share(0.9), share(1.0)
    ('89%', '90%', '100%')
    """
    return f"{int(100 * probability + 1e-9)}%"


def about_links(link: Array) -> str:
    """Say how many links are themselves less likely than not.

    Examples
    --------
    >>> about_links(np.array([0.9, 0.3])), about_links(np.array([0.9, 0.8]))
    ('1 of the links is itself doubtful.', '')
    """
    few = int((link < 0.5).sum())
    if not few:
        return ""
    are = "is itself" if few == 1 else "are themselves"
    return f"{few:,} of the links {are} doubtful."


def what_would_help(
    dag: WeightedDAG,
    settled: Sequence[bool] | BoolArray,
    names: Sequence[str],
    most: int = 3,
    targets: Collection[int] = (),
) -> list[str]:
    r"""Name the columns whose place would settle most directions, the best first, one by line.

    Columns that are targets of experiments already come last.

    Examples
    --------
    >>> dag = WeightedDAG(
    ...     np.arange(3), np.array([0, 0]), np.array([1, 2]), np.ones(2), np.zeros(2, dtype=bool)
    ... )
    >>> print(*what_would_help(dag, [False, False], ["dose", "pulse", "pain"]), sep="\n")
    dose settles both: dose – pulse, dose – pain
    pulse settles 1 of 2: dose – pulse
    pain settles 1 of 2: dose – pain
    """
    doubtful = sum(not known for known in settled)
    lines = []
    for settling in what_settles(dag, settled, targets)[:most]:
        ends = [(dag.source[e], dag.target[e]) for e in settling.settles]
        ends.sort(key=lambda pair: settling.column not in pair)  # its own links first
        pairs = (f"{names[i]} – {names[j]}" for i, j in ends)
        number = len(ends)
        share = f"{number} of {doubtful}"
        if number == doubtful:
            share = {1: "it", 2: "both"}.get(number, f"all {number}")
        again = f" ({_AGAIN})" if settling.column in targets else ""
        lines.append(f"{names[settling.column]}{again} settles {share}: {listed(pairs, most=4)}")
    return lines


def misfits(confidence: Confidence, numbers: BoolArray | None = None) -> IntArray | None:
    """Return the linked pairs that the linear model does not describe, the worst first.

    None where nobody could look: without rows, or with too few. With ``numbers``, which tells
    columns of numbers from categories, only pairs of numbers: lines are for these.
    """
    misfit, opinions = confidence.misfit, confidence.alone[:, -len(OPINIONS) :]
    if len(misfit) and (misfit >= 1).all() and (opinions == 0.5).all():
        return None
    worst = np.argsort(-misfit, kind="stable")
    return np.asarray(worst[(misfit[worst] > MISFIT) & _lines(confidence, numbers)[worst]])


def _lines(confidence: Confidence, numbers: BoolArray | None) -> BoolArray:
    """Tell which pairs are linked, and both ends numbers."""
    if numbers is None:
        return confidence.in_graph
    both = numbers[confidence.source] & numbers[confidence.target]
    return np.asarray(confidence.in_graph & both)


def about_fit(
    confidence: Confidence,
    numbers: BoolArray | None = None,
    *,
    curved: bool = False,
    tried: bool = False,
    unseen: str = "the rows were not there",
) -> str:
    """Say which links the linear model, or that of curves, does not describe, and why else.

    Rows may depend on each other or be of groups, nearly all columns be linked, or links be due to
    causes that are not in the table. Of categories it does not speak. ``tried`` tells that curves
    were, and describe the table no better than lines; ``unseen`` why nobody could look, where
    nobody could.
    """
    said = [_about_lines(confidence, numbers, curved, tried, unseen)]
    said.append(about_rows(confidence))
    said += [] if curved else [_about_crowds(confidence), _about_hidden(confidence)]
    said.append(_about_determined(confidence))
    return " ".join(filter(None, said))


def about_replicates(confidence: Confidence) -> str:
    """Say that there are fewer replicates than usual, which costs claims; empty if there are not.

    Examples
    --------
    >>> from daglock import DAGLock
    >>> model = DAGLock().fit(np.random.default_rng(0).normal(size=(50, 3)))
    >>> about_replicates(model.assess(10)), about_replicates(model.assess(100))
    ('10 replicates (100 by default): fewer replicates allow fewer claims.', '')
    """
    n, usual = confidence.n_replicates, confidence.n_usual
    if n >= usual:
        return ""
    made = f"{plural(n, 'replicate')} ({usual} by default)"
    if confidence.stopped:
        by = {"time": "the time limit", "interrupt": "Ctrl-C"}[confidence.stopped]
        return f"Cut short by {by} after {made}: fewer replicates allow fewer claims."
    return f"{made}: fewer replicates allow fewer claims."


def about_opposed(confidence: Confidence) -> str:
    """Say which arrows the data would claim into columns that come first by their names.

    Empty if there are none.
    """
    if not confidence.opposed:
        return ""
    arrows = (f"{cause} → {name} ({share(p)})" for cause, name, p in confidence.opposed)
    names = list(dict.fromkeys(name for _, name, _ in confidence.opposed))
    is_it = "Is it" if len(names) == 1 else "Are they"
    what = "its name says" if len(names) == 1 else "their names say"
    return (
        f"The data contradict the name of {listed(names)}: without it they would show "
        f"{listed(arrows, 3)} as reliable. {is_it} what {what}? If not, give the right ones with "
        "--names, or --no-names; in Python names=[...] or names=False."
    )


def about_doubt(confidence: Confidence) -> str:
    """Say why directions are open whatever replicates say; empty where nothing is known of it."""
    said = (about_rows(confidence), _about_hidden(confidence), _about_determined(confidence))
    return " ".join(filter(None, said))


def about_rows(confidence: Confidence) -> str:
    """Say where rows are not what they are taken for; empty where they seem to be."""
    said = [_DEPENDENT] if confidence.dependent else []
    said += [_GROUPS.format(confidence.smaller)] if confidence.smaller else []
    return " ".join(said)


_DEPENDENT = (
    "Rows resemble their neighbours, so that replicates of single rows take links for surer than "
    "they are, and no direction that was learned is relied on: draw rows together (--groups "
    "COLUMN, --blocks ROWS; in Python model.assess(groups=...))."
)


_GROUPS = (
    "Rows look like those of two groups, about {:.0%} in the smaller, that differ in several "
    "columns at once: sexes or batches that nobody recorded, or some rows with large values in "
    "many columns. Either can link columns and turn arrows round, so no direction that was learned "
    "is relied on: add the column that tells them, if you have it."
)


def _about_hidden(confidence: Confidence) -> str:
    """Say which links a cause that is not in the table explains better."""
    found = np.flatnonzero((confidence.hidden > 0) & confidence.in_graph)
    if not len(found):
        return ""
    worst = found[np.argsort(-confidence.hidden[found], kind="stable")]
    total = plural(int(confidence.in_graph.sum()), "link")
    return (
        f"Common causes that are not in the table would explain {len(found):,} of {total}, or make "
        f"them unneeded, at a lower price than arrows: {listed(_pairs(confidence, worst))}. Which "
        "way they go is open, and there may be no direct effect at all."
    )


def _about_determined(confidence: Confidence) -> str:
    """Say which links are among columns that determine each other."""
    if confidence.determined is None or not (confidence.determined & confidence.in_graph).any():
        return ""
    found = np.flatnonzero(confidence.determined & confidence.in_graph)
    one = len(found) == 1
    return (
        f"{listed(_pairs(confidence, found))} {'is a link' if one else 'are links'} among columns "
        f"that determine each other, as parts of a sum do: that alone may link them, and which way "
        f"{'it goes' if one else 'they go'} is open. If some were computed from the others, leave "
        'these out (--drop; in Python columns={...: "ignore"}) to have the rest looked at.'
    )


def _pairs(confidence: Confidence, which: IntArray) -> list[str]:
    """Name pairs of columns."""
    names = confidence.names
    return [
        f"{names[confidence.source[k]]} – {names[confidence.target[k]]}" for k in which.tolist()
    ]


def _about_crowds(confidence: Confidence) -> str:
    """Say where nearly everything is linked with everything."""
    ends = confidence.source[confidence.in_graph], confidence.target[confidence.in_graph]
    if not is_crowded(*ends):
        return ""
    each = 2 * len(ends[0]) / len(np.unique(np.concatenate(ends)))
    return (
        f"Columns have {each:.1f} links on average, as where a common cause of many was not "
        "measured. Links that cancel are then missed and turn others round, so directions are "
        "doubted as if the model did not hold."
    )


def _about_lines(
    confidence: Confidence, numbers: BoolArray | None, curved: bool, tried: bool, unseen: str
) -> str:
    """Say which links lines, or curves, do not describe."""
    model = "model of curves" if curved else "linear model"
    bad, lines = misfits(confidence, numbers), _lines(confidence, numbers)
    total = int(lines.sum())
    apart = int(confidence.in_graph.sum()) > total
    if apart and not total:
        return ""
    if bad is None:
        return (
            f"Whether the {model} describes the links could not be looked at, because {unseen}; "
            "so directions are doubted as if it did not."
        )
    if not len(bad):
        which = "all the links between numbers or yes/no columns" if apart else "all the links"
        return f"The {model} describes {which}." if total else ""
    links = f"{plural(total, 'link')}{' between numbers or yes/no columns' if apart else ''}"
    bent = "" if curved else "because the effect is curved, "
    why, also = (
        f", {bent}because the spread changes along it, or because a column has few values",
        "",
    )
    if tried:
        why = ""
        also = (
            " Smooth curves were tried and describe the table no better, so the likely reason is "
            "that the spread changes along the effect, or that a column has few values."
        )
    return (
        f"The {model} does not describe {len(bad):,} of {links}{why}: "
        f"{listed(_pairs(confidence, bad))}.{also} Its word about directions counts for less"
        f"{'' if curved else ', and weights are averages'}."
    )
