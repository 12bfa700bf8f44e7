"""What a person sees of a fitted model: text for a terminal, HTML for a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from daglock.confidence.confidence import KNOWLEDGE, NAME
from daglock.confidence.edges import ClaimedEdge, boldest_first
from daglock.confidence.words import (
    SIGNS,
    about_doubt,
    about_opposed,
    about_replicates,
    share,
    verdict,
)
from daglock.criteria import CRITERIA
from daglock.drawing.layered import shortened
from daglock.drawing.picture import legend
from daglock.drawing.svg import svg_graph
from daglock.knowledge.assumed import about_assumed
from daglock.report.words import following
from daglock.table.kinds import not_regimes
from daglock.table.scores import in_short
from daglock.wording import STRENGTH, listed, percent, plural

if TYPE_CHECKING:
    from daglock.estimator.assessing import Assessed

# Links that are listed, the boldest claims first.
MOST = 20
_HEAD = ("pair", "claim", "link", "direction", "arrow")
# Beyond so many columns a notebook is not kept waiting for replicates.
MOST_ASSESSED = 200


def summary(model: Assessed) -> str:
    """Return a few lines and a table: what was learned from what, and how far to believe it."""
    edges = boldest_first(model.claimed_edges())
    data, *more = facts(model)
    sure = model._assessed()
    doubts = about_opposed(sure), about_replicates(sure), about_doubt(sure)
    lines = [data, _verdict(model, edges), *filter(None, doubts), *more]
    if edges:
        table = rows_of(model, edges[:MOST])
        width = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines.append("")
        for link, claim, *numbers in table:
            row = [link.ljust(width[0]), claim.ljust(width[1])]
            row += [text.rjust(w) for text, w in zip(numbers, width[2:], strict=True)]
            lines.append("  ".join(row).rstrip())
    if len(edges) > MOST:
        others = plural(len(edges) - MOST, "other link")
        lines.append(f"... and {others}: see edges_ and confidence_")
    lines += meaning(model)
    return "\n".join(lines)


def notebook(model: Assessed) -> str:
    """Return the picture and the table as HTML that needs nothing and changes nothing around it.

    Names stay text, whatever they are: a column can be called anything.
    """
    learned = model.learned_
    assessed = model._confidence is not None or len(model.names_) <= MOST_ASSESSED
    if assessed:
        edges = boldest_first(model.claimed_edges())
        sure = model._assessed().of_edges(learned.dag)
        link, claims = sure.link, sure.claims
        whole = model._assessed()
        doubts = about_opposed(whole), about_replicates(whole), about_doubt(whole)
        said = " ".join(filter(None, [_verdict(model, edges), *doubts]))
    else:
        edges, link, claims = [], np.empty(0), ()
        said = (
            f"{plural(learned.dag.n_edges, 'link')}. How far to believe them was not computed, "
            "because it takes its time with so many columns: call assess()."
        )
    picture = svg_graph(
        model.standardised(),
        model.names_,
        claims or None,
        link if assessed else None,
        categories=model.categories(),
        unsigned=model.strengths(),
    )
    parts = [
        f"<p><b>{escape(said)}</b><br>{'<br>'.join(map(_text, facts(model)))}</p>",
        '<div style="overflow:auto;max-height:560px;border:1px solid #d5dae1;background:#fff">'
        f"{_fitted_to_the_page(picture)}</div>",
    ]
    if claims:
        parts.append(
            f'<p style="font-size:90%">{escape(legend(claims, link, model.categories()))}</p>'
        )
    if edges:
        parts.append(_table(rows_of(model, edges[:MOST])))
        parts += [f'<p style="font-size:90%">{escape(said)}</p>' for said in meaning(model)]
    if len(edges) > MOST:
        parts.append(f"<p>and {plural(len(edges) - MOST, 'other link')}</p>")
    return f'<div style="max-width:1100px">{"".join(parts)}</div>'


def facts(model: Assessed) -> list[str]:
    """Return what was learned from what, by which noise model, and what the certificate says."""
    learned, moments = model.learned_, model.moments_
    rows = plural(moments.n_rows, "row")
    if model.n_dropped_:
        rows += f" ({plural(model.n_dropped_, 'other')} with missing values left out)"
    if moments.missing:
        rows += (
            f" ({percent(moments.missing)} of the cells missing: as good as {moments.n:,} "
            "complete rows)"
        )
    certificate = learned.certificate
    proof = "acyclic by its order" if certificate.is_dag else "NOT acyclic"
    lines = [
        f"{rows}, {plural(moments.d, 'column')}; {CRITERIA[learned.noise].described}",
        f"Certificate: {proof}; {certificate.statement}",
    ]
    if model.set_aside_:
        names = listed(map(plain, model.set_aside_))
        lines.append(f"Set aside, because others determine them: {names}")
    if model.regimes_ is not None:
        lines += map(printable, model.regimes_.sentences())
    if others := not_regimes(model.left_out_):
        gone = (f"{plain(name)} ({why})" for name, why in others.items())
        lines.append(f"Left out, as no variables: {listed(gone)}")
    if bent := model.about_curves():
        lines.append(printable(bent))
    if model.assumed_:
        lines.append(about_assumed(list(map(plain, model.assumed_))))
    if model.scores_:
        names = listed(in_short({plain(name): why for name, why in model.scores_.items()}))
        lines.append(f"By ranks (normal scores) instead of values: {names}")
    return lines


def _verdict(model: Assessed, edges: Sequence[ClaimedEdge]) -> str:
    """Say how many arrows can be relied on, and how many of these follow from what was told."""
    claims, because = [edge.claim for edge in edges], [edge.because for edge in edges]
    known = following(claims, because, [edge.identified_by for edge in edges])
    return " ".join(filter(None, [verdict(claims, because, [*model.assumed_]), known]))


def rows_of(model: Assessed, edges: Sequence[ClaimedEdge]) -> list[Sequence[str]]:
    """Return the table of links with its head, whose last word is what the numbers are."""
    strong = model.strong_pairs()
    every = len(strong) == model.learned_.dag.n_edges
    head = "effect in sd" if not strong else "strength" if every else "size"
    return [(*_HEAD, head), *(cells(edge, strength=edge[:2] in strong) for edge in edges)]


def meaning(model: Assessed) -> list[str]:
    """Say what the last column of the table is, where an end of a link is a category."""
    strong = model.strong_pairs()
    if not strong:
        return []
    if len(strong) == model.learned_.dag.n_edges:
        return [f"strength: {STRENGTH}"]
    return [
        "size: with a sign, the effect in standard deviations; without, where one end is a "
        f"category, {STRENGTH}"
    ]


def cells(edge: ClaimedEdge, *, strength: bool = False) -> Sequence[str]:
    """Return a link, its claim, how sure both are, and its effect or strength, as text.

    Examples
    --------
    >>> edge = ClaimedEdge("dose", "pain", -2.0, -0.41, "class", 0.98, 0.93, 0.91, "directed", "")
    >>> cells(edge)
    ('dose → pain', 'directed', '98%', '93%', '91%', '-0.41')
    >>> cells(edge._replace(direction=0.31, arrow=0.3, claim="open"))
    ('dose — pain', 'open', '98%', '', '', '-0.41')
    >>> cells(edge._replace(link=0.3, direction=1.0, arrow=0.3, because="knowledge"))
    ('dose → pain', 'directed, told', '30%', '100%', '30%', '-0.41')
    """
    ends = (plain(edge.source), plain(edge.target))
    # the direction of an open link is that of no arrow: a number would suggest one
    shown = edge.claim != "open" or edge.is_settled
    sure = [share(value) if shown else "" for value in (edge.direction, edge.arrow)]
    link = f" {SIGNS[edge.claim]} ".join(ends)
    claim = edge.claim + {KNOWLEDGE: ", told", NAME: ", by name"}.get(edge.because, "")
    size = f"{edge.standardised_weight:{'' if strength else '+'}.2f}"
    return link, claim, share(edge.link), *sure, size


def plain(name: str) -> str:
    r"""Return a name as one short line that can be printed: it cannot move a terminal's cursor.

    Examples
    --------
    >>> plain("line\nbreak"), plain("\x1b[2J")
    ('line break', '�[2J')
    """
    return printable(shortened(name))


def printable(line: str) -> str:
    """Return a line in which nothing moves a terminal's cursor."""
    shown = (c.isprintable() or c == "\N{ZERO WIDTH JOINER}" for c in line)
    return "".join(c if is_shown else "�" for c, is_shown in zip(line, shown, strict=True))


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return the links as a table."""

    def row(texts: Sequence[str], tag: str) -> str:
        aligned = ["left", "left", *["right"] * (len(texts) - 2)]
        return "".join(
            f'<{tag} style="text-align:{side};padding:2px 12px 2px 0">{_text(text)}</{tag}>'
            for side, text in zip(aligned, texts, strict=True)
        )

    head, *links = rows
    body = "".join(f"<tr>{row(link, 'td')}</tr>" for link in links)
    return (
        '<table style="border-collapse:collapse"><thead><tr>'
        f"{row(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"
    )


def _fitted_to_the_page(picture: str) -> str:
    """Let a picture shrink to the width of the page, but not until its names cannot be read."""
    width = float(re.findall(r' width="([\d.]+)"', picture)[0])
    style = f"display:block;margin:auto;width:100%;max-width:{width:.0f}px;height:auto"
    smallest = min(width, np.clip(0.6 * width, 0.0, 2400.0))
    return picture.replace("<svg ", f'<svg style="{style};min-width:{smallest:.0f}px" ', 1)


def _text(name: str) -> str:
    """Return text that stays text in HTML, whichever way it is written."""
    return f"<bdi>{escape(name)}</bdi>"
