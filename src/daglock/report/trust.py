"""The section on how far to trust it: plain words first, then why, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.confidence import words
from daglock.confidence.evidence import MOST_ROWS
from daglock.confidence.pair import pairs_of
from daglock.drawing.layered import shortened
from daglock.report.words import about_fit
from daglock.typing import Array, IntArray
from daglock.wording import Finding, percent, plural

if TYPE_CHECKING:
    from daglock.confidence import Bootstrap, Confidence
    from daglock.confidence.confidence import EdgeClaims
    from daglock.estimator import DAGLock

# Pairs that are not in the graph but linked with this probability are named.
MISSED = 0.3
# Names in a list, columns to look at first, pictures of links that are not straight, dots in one.
_LISTED, _COLUMNS, _PICTURES, _DOTS = 12, 5, 2, 400
# A column of so many values is not worth a picture.
_CODES = 10
_HEADINGS = {
    "directed": "Reliable arrows",
    "leaning": "Leaning",
    "open": "Open",
}
# width, height and margin of a picture, and how many standard deviations it shows each way
_WIDTH, _HEIGHT, _MARGIN, _REACH = 340.0, 240.0, 34.0, (1.5, 4.0)


def text(value: object) -> str:
    """Return text that is safe anywhere in HTML, and that UTF-8 can hold."""
    return escape(str(value), quote=True).encode("utf-8", "replace").decode("utf-8")


def trust_section(
    model: DAGLock,
    confidence: Confidence | None,
    bootstrap: Bootstrap | None,
    findings: Sequence[Finding] = (),
) -> str:
    """Return the section; the table of what the evidence says is filled by the script."""
    grounds = ""
    if confidence is not None:
        grounds = _grounds(confidence, bootstrap, model)
    if confidence is None:
        body = f'<p class="box warning">{text(words.NOT_ASSESSED)}</p>'
    elif not model.learned_.dag.n_edges:
        body = f"<p>{text(grounds)}</p>{_missed(confidence)}"
    else:
        sure = confidence.of_edges(model.learned_.dag)
        body = "".join(
            [
                _groups(model, sure),
                _missed(confidence),
                _help(model, sure),
                _fit(model, confidence),
                _evidence(grounds),
            ]
        )
    return (
        '<section id="trust" aria-labelledby="trust-title">'
        f'<h2 id="trust-title">How far to trust it</h2>{body}{_table(findings)}</section>'
    )


def _table(findings: Sequence[Finding]) -> str:
    """Return what may be wrong with the table, the worst first, each with its way out."""
    if not findings:
        return ""
    items = "".join(
        f"<li><strong>{text(finding.title)}.</strong> {text(finding.text)}"
        + (f" <code>{text(finding.fix)}</code>" if finding.fix else "")
        + "</li>"
        for finding in findings
    )
    return f"<h3>What may be wrong with the table</h3><ul>{items}</ul>"


def _groups(model: DAGLock, sure: EdgeClaims) -> str:
    """Return the links by what is claimed of them, the likeliest arrow first."""
    dag, names = model.learned_.dag, model.names_
    size = np.abs(model.standardised_weights())
    likeliest = np.lexsort((-size, -sure.arrow.round(9))).tolist()
    boxes = []
    for claim, sign in words.SIGNS.items():
        edges = [e for e in likeliest if sure.claims[e] == claim]
        if not edges:
            continue
        pairs = [
            f"{_name(names[dag.source[e]])} {sign} {_name(names[dag.target[e]])}"
            for e in edges[:_LISTED]
        ]
        more = f"and {len(edges) - _LISTED:,} more" if len(edges) > _LISTED else ""
        items = "".join(f"<li>{pair}</li>" for pair in pairs)
        boxes.append(
            f'<div class="claim {claim}"><h3>{_HEADINGS[claim]} '
            f'<span class="count">{len(edges):,}</span></h3>'
            f'<p class="soft">{text(words.MEANING[claim])}</p><ul>{items}</ul>'
            + (f'<p class="soft">{more}</p>' if more else "")
            + "</div>"
        )
    return f'<div class="claims">{"".join(boxes)}</div>'


def _missed(confidence: Confidence) -> str:
    """Name pairs that the graph does not link and that may be linked all the same."""
    outside = np.flatnonzero(~confidence.in_graph & (confidence.link >= MISSED)).tolist()
    if not outside:
        return ""
    named = [f"{_pair(confidence, k)} ({percent(confidence.link[k])})" for k in outside[:_LISTED]]
    more = f" and {len(outside) - _LISTED:,} more" if len(outside) > _LISTED else ""
    return (
        "<p>Not in the graph, but perhaps linked all the same (in brackets how sure that is): "
        f"{', '.join(named)}{more}.</p>"
    )


def _help(model: DAGLock, sure: EdgeClaims) -> str:
    """Return what would settle more directions."""
    dag, targets = model.learned_.dag, model.targeted()
    lines = words.what_would_help(dag, sure.settled, model.names_, _COLUMNS, targets)
    if not lines:
        return ""
    return (
        "<h3>What would settle more directions</h3>"
        "<p>An experiment that sets one of these columns, or knowing what comes before it in time "
        "and what after (give that as knowledge). The most useful first, if the links are "
        "right:</p>"
        f"<ol>{_items(lines)}</ol>"
    )


def _fit(model: DAGLock, confidence: Confidence) -> str:
    """Say where straight lines do not fit, with a picture of the worst where there are rows."""
    said = about_fit(model, confidence)
    if not said:
        return ""
    bad = words.misfits(confidence, np.isfinite(model.deviations()))
    rows = model.rows_looked_at()
    pictures = ""
    # a line through what categories leave of a column would need more than their codes
    if bad is not None and rows is not None and model.is_linear_:
        # two codes against each other are no picture
        ends = confidence.source[bad], confidence.target[bad]
        many = [
            min(len(np.unique(rows[:, v])) for v in pair) > _CODES
            for pair in zip(*ends, strict=True)
        ]
        pictures = "".join(_pictures(model, rows, confidence, bad[many][:_PICTURES]))
    title = "Do the curves fit?" if model.is_curved_ else "Does the linear model fit?"
    return f"<h3>{title}</h3><p>{text(said)}</p>" + (
        f'<div class="charts">{pictures}</div>' if pictures else ""
    )


def _grounds(confidence: Confidence, bootstrap: Bootstrap | None, model: DAGLock) -> str:
    """Say what the numbers rest on."""
    drawn = "its rows"
    if model.regimes_ is not None:
        drawn = "its rows, each regime by itself,"
    if bootstrap is not None and bootstrap.drawn_from != "rows":
        drawn = "what was kept of it, its counts or a Gaussian with its moments,"
    fits, how = "linear model fits", ""
    if model.is_curved_:
        fits, how = "curves fit", ", by linear models"
    return (
        f"The table was drawn again from {drawn} {plural(confidence.n_replicates, 'time')}, and "
        "the graph learned each time. How often a link and its direction came back is weighed with "
        "what else speaks for a direction: the shape of the noise, curved effects, regression "
        f"errors, and how well the {fits}. How much each of these counts was fitted on other "
        f"tables whose causes are known{how}; the percentages are right as far as this table is "
        "like those. A hidden common cause can link two columns of which neither acts on the other."
    )


def _evidence(grounds: str) -> str:
    """Return the frame of the table that the script fills."""
    return (
        "<h3>What the evidence says, link by link</h3>"
        f"<p>{text(grounds)}</p>"
        '<div class="toolbar"><div class="field search">'
        '<label for="said-search">Search links</label>'
        '<input id="said-search" type="search" autocomplete="off" spellcheck="false" '
        'placeholder="name or part of it">'
        '<span id="said-count" class="count" role="status"></span></div></div>'
        '<div class="scroll" tabindex="0" role="region" aria-label="What the evidence says">'
        '<table id="said-table"><thead><tr><th scope="col">Link</th>'
        '<th scope="col" class="number">linked</th><th scope="col" class="number">this way</th>'
        '<th scope="col" class="number">arrow</th>'
        '<th scope="col">What speaks for a direction</th></tr></thead><tbody></tbody></table></div>'
        '<button type="button" class="more" id="said-more" hidden></button>'
    )


def _pictures(
    model: DAGLock, rows: NDArray[Any], confidence: Confidence, pairs: IntArray
) -> Iterable[str]:
    """Draw one column against another, cleared of their other causes, with line and curve."""
    rng = np.random.default_rng(0)
    if len(rows) > MOST_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]
    first, second = confidence.source[pairs], confidence.target[pairs]
    for k, pair in zip(pairs, pairs_of(rows, model.learned_.dag, first, second), strict=True):
        x, y = pair.first, pair.second
        slope = float(np.mean(x * y))
        order = np.argsort(x, kind="stable")
        order = order[np.linspace(0, len(x) - 1, 80).astype(np.intp)]
        fitted = (y - pair.forward.curved)[order]
        shown = np.sort(rng.choice(len(x), min(_DOTS, len(x)), replace=False))
        yield _scatter(
            np.column_stack([x, y])[shown],
            slope,
            np.column_stack([x[order], fitted]),
            *(confidence.names[ends[k]] for ends in (confidence.source, confidence.target)),
        )


def _scatter(dots: Array, slope: float, curve: Array, across: str, up: str) -> str:
    """Return a figure; everything in standard deviations."""
    reach = np.clip(1.1 * np.abs(dots).max(axis=0), *_REACH)
    scale = np.array([_WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN]) / (2 * reach)
    edge = min(reach[0], reach[1] / max(abs(slope), 1e-9))
    line = np.array([[-edge, -slope * edge], [edge, slope * edge]])

    def place(points: Array) -> Array:
        inside: Array = np.clip(points, -reach, reach) * scale
        return np.asarray(inside * [1.0, -1.0] + [_WIDTH / 2, _HEIGHT / 2])

    def path(points: Array) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in place(points).tolist())

    circles = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.6"/>' for x, y in place(dots).tolist()
    )
    label = f"{across} and {up}: the straight line of the model, and a curve through the rows"
    return (
        f'<figure><svg class="chart fit" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" '
        f'aria-label="{text(label)}"><rect class="frame" x="{_MARGIN}" y="{_MARGIN}" '
        f'width="{_WIDTH - 2 * _MARGIN:g}" height="{_HEIGHT - 2 * _MARGIN:g}"/>'
        f'<g class="dots">{circles}</g><polyline class="straight" points="{path(line)}"/>'
        f'<polyline class="curve" points="{path(curve)}"/>'
        f'<text x="{_WIDTH / 2:g}" y="{_HEIGHT - 12:g}" text-anchor="middle">'
        f"{text(shortened(across))}</text>"
        f'<text transform="translate(20 {_HEIGHT / 2:g}) rotate(-90)" text-anchor="middle">'
        f"{text(shortened(up))}</text></svg><figcaption>{_name(up)} against {_name(across)}, each "
        "without what its other causes explain. Dashed: the line of the model; solid: a curve "
        "through the rows.</figcaption></figure>"
    )


def _pair(confidence: Confidence, k: int) -> str:
    """Return the two ends of a pair."""
    return " – ".join(
        _name(confidence.names[ends[k]]) for ends in (confidence.source, confidence.target)
    )


def _name(name: str) -> str:
    """Return a name whose marks of writing direction stay inside it."""
    return f'<bdi class="name">{text(name.strip() or "(no name)")}</bdi>'


def _items(lines: Iterable[str]) -> str:
    """Return the items of a list."""
    return "".join(f"<li>{text(line)}</li>" for line in lines)
