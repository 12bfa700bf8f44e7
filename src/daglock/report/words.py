"""The sentences of a report that hold for every graph: plain, exact, no promise beyond the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from daglock.confidence import words
from daglock.criteria import CRITERIA
from daglock.decisions import NoiseReason, PriceReason, StartReason
from daglock.knowledge.assumed import about_assumed
from daglock.table.kinds import not_regimes
from daglock.table.scores import scores_sentence
from daglock.wording import STRENGTH, about_read, listed, plural

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.confidence.replicates import Bootstrap
    from daglock.estimator import DAGLock

# Through so few rows every line goes.
FEW = 2


def facts(model: DAGLock) -> str:
    """Say what the graph was learned from."""
    moments, regimes = model.moments_, model.regimes_
    inside = "" if regimes is None else f" in {plural(len(regimes.regimes), 'regime')}"
    return f"{plural(moments.n_rows, 'row')}{inside}, {plural(moments.d, 'column')}"


def warnings(model: DAGLock) -> list[str]:
    """Say what a person must know before looking at the graph."""
    learned = model.learned_
    said = [] if learned.status.is_success else [learned.message]
    if learned.status.is_success:
        said += learned.cautions
    if model.scores_:
        said.append(scores_sentence(model.scores_))
    if model.assumed_:
        said.append(about_assumed([*model.assumed_]))
    if others := not_regimes(model.left_out_):
        gone = (f"{name} ({why})" for name, why in others.items())
        said.append(f"Left out, as no variables: {listed(gone)}.")
    if model.n_dropped_:
        left = plural(model.n_dropped_, "row")
        said.append(
            f"{left} with missing values {'was' if model.n_dropped_ == 1 else 'were'} left out."
        )
    return said


def summary(model: DAGLock) -> list[str]:
    """Say what was learned from what, what the model identifies, and how it ended."""
    learned = model.learned_
    sentences = [
        f"From {facts(model)} daglock learned a directed acyclic graph with "
        f"{plural(learned.dag.n_edges, 'edge')}."
    ]
    if model.source_ is not None:
        sentences.append(about_read(model.source_))
    curves = model.about_curves()
    sentences += [identified(model), noise(model), curves, price(model), learned.message]
    return [sentence for sentence in sentences if sentence]


def identified(model: DAGLock) -> str:
    """Say how many directions the model identifies, which is not how far to believe them."""
    learned = model.learned_
    total, free = learned.dag.n_edges, int((~learned.dag.oriented).sum())
    by = "The model" if model.knowledge is None else "The model, with your knowledge,"
    if not total:
        return "No column explains enough of another to pay for an edge."
    if not learned.status.is_success and free:
        return (
            f"{by} identifies {total - free} of their directions; whether it does the other {free} "
            "was not settled in time."
        )
    share = "all" if not free else f"{total - free}"
    kinds = Counter(edge.identified_by for edge in model.named_edges() if edge.identified_by)
    how = ", ".join(f"{count} by {kind}" for kind, count in kinds.items())
    rest = "" if not free else "; the others fit as well, or nearly so, the other way round"
    return f"{by} identifies {share} of their directions{f' ({how})' if how else ''}{rest}."


def following(claims: Sequence[str], because: Sequence[str], by: Sequence[str]) -> str:
    """Say how many of the reliable arrows follow from what was told.

    The same of arrows that follow from what columns are called.

    Parameters
    ----------
    claims, because : of each edge; arrows that were told or named themselves do not count.
    by : what identifies the direction of each.

    Examples
    --------
    >>> claims = ["directed", "directed", "open"]
    >>> following(claims, [""] * 3, ["knowledge", "class", ""])
    '1 of the 2 reliable arrows follows from what you told.'
    >>> following(claims, ["knowledge", "", ""], ["knowledge", "knowledge", ""])
    'The reliable arrow follows from what you told.'
    >>> following(claims, [""] * 3, ["class"] * 3)
    ''
    """
    edges = zip(claims, because, by, strict=True)
    reliable = [kind for claim, why, kind in edges if claim == "directed" and not why]
    total, said = len(reliable), []
    for kind, what in (("knowledge", "what you told"), ("name", "names of columns")):
        if known := reliable.count(kind):
            which = "All" if known == total else f"{known:,} of the"
            which = "The reliable arrow" if total == 1 else f"{which} {total:,} reliable arrows"
            said.append(f"{which} {'follows' if known == 1 else 'follow'} from {what}.")
    return " ".join(said)


def noise(model: DAGLock) -> str:
    """Say which noise model it is, and why."""
    decisions = model.decisions_
    chosen = f"The model has {CRITERIA[decisions.noise].described}"
    gap, reason = decisions.noise_gap, decisions.noise_reason
    if gap is not None:
        other = next(kind for name, kind in CRITERIA.items() if name != decisions.noise).in_short
        if reason is NoiseReason.SCALE:
            return (
                f"{chosen}: the BIC prefers {other} by {-gap:,.1f} points, but that does not "
                "explain why columns differ in scale, so directions must not rest on it."
            )
        strength = "clearly" if gap >= 10.0 else "only slightly"
        return f"{chosen}: the BIC prefers that {strength} to {other}, by {gap:,.1f} points."
    because = {
        NoiseReason.GIVEN: ", as was asked for.",
        NoiseReason.ONE_SCALE: ": all columns have the same variance, as after standardising, so "
        "their scale tells nothing.",
        NoiseReason.FEW: ": variances of so few columns could agree by chance, whatever their "
        "units; where they are known to be equal, say so (--noise equal, noise='equal').",
        NoiseReason.SCORES: ": columns that were learned by their ranks have no scale, so "
        "one variance for all was not tried.",
        NoiseReason.AGREE: ": the variances that this graph leaves unexplained agree.",
        NoiseReason.KINDS: ".",
        NoiseReason.LINES: ": curved effects were asked for, but smooth curves describe the table "
        "no better than lines do.",
        NoiseReason.TARGETS: ", because regimes act on some columns.",
    }
    return chosen + because.get(reason, "; no other was tried.")


def price(model: DAGLock) -> str:
    """Say that edges were made cheaper, where they were."""
    decisions = model.decisions_
    if decisions.price_reason is not PriceReason.LOWERED:
        return ""
    finished = model.learned_.status.is_success
    again = "the search was done again" if finished else "a second search was begun"
    return (
        "The first search left more unexplained than chance does, so edges were made cheaper and "
        f"{again} (γ = {decisions.gamma:.2f} instead of {decisions.first_gamma:.2f})."
    )


def scientific(x: float) -> str:
    """Return a small number with a real minus sign, at which no line is broken."""
    return f"{x:.1e}".replace("-", "\N{MINUS SIGN}")


def graph_text(model: DAGLock) -> str:
    """Say what the picture shows beyond its legend."""
    text = "Causes stand above their effects, as far as the directions are right."
    if len(model.learned_.aside):
        text += " Dashed boxes are columns that were set aside: others determine them."
    shown = "its causes, effects and total effects" if model.is_linear_ else "what it is linked to"
    return f"{text} Click on a variable to see {shown}."


def size_of_links(model: DAGLock) -> str:
    """Return what the width of a line is, for the slider that hides thin ones."""
    if model.is_linear_:
        return "|weight| in sd"
    return "strength" if model.strengths().all() else "size"


def heat_text(model: DAGLock) -> str:
    """Say what the colours of the matrix are."""
    unit = "standardised weight"
    if not model.is_linear_:
        all_of_them = model.strengths().all()
        unit = "strength" if all_of_them else f"{unit}; grey: strength, one end is a category"
    return f"{unit}; a dot: no reliable arrow"


def edges_text(model: DAGLock, assessed: bool) -> str:
    """Explain the columns of the table of edges."""
    strengths, text = model.strengths(), ""
    if not len(strengths) or not strengths.all():
        text = (
            "The weight is the effect of one unit of the source on the target with the target's "
            "other parents held fixed; the standardised weight is the same in standard deviations. "
            "Where the direction is wrong, the weight says how one predicts the other, not what it "
            "does to it. "
        )
    if strengths.any():
        text += (
            f"The strength tells {STRENGTH}. It has no sign. "
            if model.is_curved_
            else f"Where an end is a category the strength tells {STRENGTH}. It has no sign; "
            "daglock effect tells what each level does. "
        )
    if assessed:
        text += (
            "Link is the probability that the two are linked, direction that the source is the "
            "cause if they are, and arrow is both together: the product. "
        )
    return text + "Edges that are not listed are exactly zero: nothing was cut off by a threshold."


def trace_text(model: DAGLock) -> list[str]:
    """Say how the graph was found."""
    learned, decisions = model.learned_, model.decisions_
    criterion = CRITERIA[decisions.noise]
    trace, sentences = learned.trace, list[str]()
    settled_at = trace.identification_iteration
    optimal = decisions.exact
    if settled_at is None:
        if optimal:
            reason = "There was no continuous stage: nothing had to be begun anywhere."
        elif decisions.start is StartReason.ORDER and criterion.default_start == "order":
            reason = (
                "There was no continuous stage: with curves, as with categories, the order search "
                "begins from an order of the variables."
                if not model.is_linear_
                else "With equal noise variances the order of conditional variances is the "
                "better start, so there was no continuous stage: the order search began there."
            )
        else:
            reason = (
                "There was no continuous stage: the order search began from an order of the "
                "variables."
            )
        sentences.append(reason)
    else:
        settled = (
            f"from stage {settled_at + 1} on its set of non-zero weights did not change any more"
            if settled_at + 1 < len(trace.mu)
            else "its set of non-zero weights changed up to the last of them"
        )
        sentences.append(
            f"The continuous stage raised the price μ of a cycle in {len(trace.mu)} steps; "
            f"{settled}."
            + ("" if optimal else " The order that it gives is where the order search began.")
        )
    if decisions.price_reason is PriceReason.LOWERED and not optimal:
        sentences.append(
            "A second search, with edges cheaper, began from the order that the first one found; "
            "what follows is the second."
        )
    restarts = plural(trace.n_restarts, "restart")
    if optimal:
        sentences.append(
            f"With {learned.dag.d - len(learned.aside)} variables all graphs can be compared, "
            f"set by set: {learned.certificate.statement}."
        )
    elif len(trace.search_scores) > 1:
        sentences.append(
            f"The order search did {restarts}; the chart shows the best score after each batch, "
            f"{criterion.search_scale}."
        )
    else:
        sentences.append("The order search did no restarts: one descent, then a last full round.")
    return sentences


def bootstrap_text(bootstrap: Bootstrap) -> str:
    """Say what the frequencies are of."""
    drawn = (
        "drawn from the rows, with replacement"
        if bootstrap.drawn_from == "rows"
        else "drawn from what was kept of the rows: counts, or a Gaussian with the same moments"
    )
    agreed = plural(len(bootstrap.consensus_edges()[0]), "pair")
    return (
        f"The graph was learned again {plural(bootstrap.n, 'time')}, from tables {drawn}. A bar "
        "shows how often a pair was joined from left to right, without a direction, and from right "
        f"to left. The consensus is acyclic and has the {agreed} joined in at least half of the "
        "replicates."
    )


def about_fit(model: DAGLock, confidence: Confidence) -> str:
    """Say which links the model does not describe; empty where there is nothing to say."""
    return words.about_fit(
        confidence,
        np.isfinite(model.deviations()),
        curved=model.is_curved_,
        tried=model.decisions_.noise_reason is NoiseReason.LINES,
        unseen=_unseen(model),
    )


def _unseen(model: DAGLock) -> str:
    """Say why the links could not be looked at, where they could not."""
    looked, n = model.rows_looked_at(), model.moments_.n_rows
    if looked is not None or n <= FEW:
        return f"{plural(n if looked is None else len(looked), 'row')} cannot tell"
    if not model.moments_.missing:
        return "the rows were not there"
    if model._rows is not None:
        return "too few rows are without a gap"
    return "the rows were not there, or too few of them without a gap"
