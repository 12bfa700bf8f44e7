"""The section on regimes: which, what shifts between them, what they target and orient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from daglock.drawing.layered import label_widths, shortened
from daglock.report.trust import text
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.diagnostics.regimes import RegimeSummary

# Regimes and columns in the picture, those that shift most; more would be dust.
MOST_REGIMES, MOST_COLUMNS = 60, 60
# Side of a cell, letters, room for a number of rows.
_CELL, _LETTERS, _ROOM = 22.0, 12.0, 64.0


def regimes_section(summary: RegimeSummary | None) -> str:
    """Return the section; nothing where there are no regimes."""
    if summary is None:
        return ""
    before = summary.about_rows(), summary.about_edges()
    after = summary.about_shifts(), summary.about_targets()
    return (
        '<section id="regimes" aria-labelledby="regimes-title">'
        f'<h2 id="regimes-title">Regimes</h2>{_said(before)}{_picture(summary)}{_said(after)}'
        "</section>"
    )


def _said(sentences: Iterable[str]) -> str:
    """Return a paragraph for each sentence that is not empty."""
    return "".join(f"<p>{text(sentence)}</p>" for sentence in sentences if sentence)


def link_to_regimes(summary: RegimeSummary | None) -> str:
    """Return the entry of the section in the contents."""
    return "" if summary is None else '<a href="#regimes">Regimes</a>'


def _picture(summary: RegimeSummary) -> str:
    """Return the heat map of shifts, with its legend."""
    if not summary.columns:
        return (
            '<p class="soft">How far means shift is not shown: values are missing, so that there '
            "are no means of a regime by itself.</p>"
        )
    targets = _targets(summary)
    size = np.abs(summary.shifts)
    rows = _foremost(size.max(axis=1), np.any(targets, axis=1), MOST_REGIMES)
    columns = _foremost(size.max(axis=0), np.any(targets, axis=0), MOST_COLUMNS)
    most = float(size.max()) or 1.0
    left = [
        f"{plural(gone, what)} that {'shifts' if gone == 1 else 'shift'} less"
        for gone, what in (
            (len(summary.regimes) - len(rows), "regime"),
            (len(summary.columns) - len(columns), "column"),
        )
        if gone
    ]
    unit = "mean in the regime less the median of all regimes, in standard deviations within them"
    what = "found to change there" if summary.found else "a target of the regime"
    ring = f"; a ring: {what}" if targets.any() else ""
    rest = f" Not shown: {' and '.join(left)}." if left else ""
    return (
        '<div class="scroll shifts" tabindex="0" role="region" aria-label="Shifts between regimes">'
        f"{_heat(summary, rows, columns, targets, most)}</div>"
        f'<div class="scale"><span>\N{MINUS SIGN}{most:.2g}</span><span class="ramp"></span>'
        f"<span>+{most:.2g}</span></div>"
        f'<p class="soft">Colour: {unit}{ring}.{rest}</p>'
    )


def _targets(summary: RegimeSummary) -> BoolArray:
    """Tell for each regime and column whether it is a target there."""
    told = summary.targets or ((),) * len(summary.regimes)
    return np.array([[name in own for name in summary.columns] for own in told], dtype=np.bool_)


def _foremost(size: Array, is_target: BoolArray, most: int) -> IntArray:
    """Return the first of many in their order: targets, then what shifts most."""
    order = np.lexsort((-size, ~is_target))
    return np.sort(order[:most])


def _heat(
    summary: RegimeSummary, rows: IntArray, columns: IntArray, targets: BoolArray, most: float
) -> str:
    """Return the picture: a row a regime, a column a variable."""
    labels = [shortened(summary.regimes[g]) for g in rows.tolist()]
    names = [shortened(summary.columns[j]) for j in columns.tolist()]
    left, top = (float(label_widths(words).max()) for words in (labels, names))
    width, height = left + _CELL * len(names) + _ROOM, top + _CELL * len(labels) + 4.0
    parts = []
    for k, name in enumerate(names):
        x = left + _CELL * (k + 0.5) + 0.35 * _LETTERS
        parts.append(
            f'<text class="name" transform="translate({x:.1f} {top - 6:.1f}) rotate(-90)">'
            f"{text(name)}</text>"
        )
    for r, (g, label) in enumerate(zip(rows.tolist(), labels, strict=True)):
        y = top + _CELL * r
        middle = y + _CELL / 2 + 0.35 * _LETTERS
        parts.append(
            f'<text class="name" x="{left - 8:.1f}" y="{middle:.1f}" text-anchor="end">'
            f"{text(label)}</text>"
            f'<text x="{left + _CELL * len(names) + 8:.1f}" y="{middle:.1f}">'
            f"{summary.rows[g]:,}</text>"
        )
        for k, j in enumerate(columns.tolist()):
            shift, x = float(summary.shifts[g, j]), left + _CELL * k
            parts.append(_cell(summary, g, j, x, y, shift / most, is_target=bool(targets[g, j])))
    described = (
        f"Shifts of {plural(len(names), 'column')} in {plural(len(labels), 'regime')}; the rows of "
        "a regime stand at its right"
    )
    return (
        f'<svg class="chart" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'style="width:{width:.0f}px" role="img" aria-label="{text(described)}">'
        f"{''.join(parts)}</svg>"
    )


def _cell(
    summary: RegimeSummary, g: int, j: int, x: float, y: float, share: float, *, is_target: bool
) -> str:
    """Return a square, with a ring where it is a target, and what it is when pointed at."""
    sign = "positive" if share >= 0 else "negative"
    side = _CELL - 1.0
    tip = f"{summary.columns[j]} in {summary.regimes[g]}: {summary.shifts[g, j]:+.2f} sd"
    ring = ""
    if is_target:
        tip += ", found to change" if summary.found else ", a target"
        ring = f'<circle cx="{x + side / 2:.1f}" cy="{y + side / 2:.1f}" r="{side / 3.4:.1f}"/>'
    return (
        f'<g><title>{text(tip)}</title><rect class="cell" x="{x:.1f}" y="{y:.1f}" '
        f'width="{side:.0f}" height="{side:.0f}"/><rect class="{sign}" x="{x:.1f}" y="{y:.1f}" '
        f'width="{side:.0f}" height="{side:.0f}" fill-opacity="{np.sqrt(abs(share)):.2f}"/>{ring}'
        "</g>"
    )
