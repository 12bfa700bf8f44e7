"""One look for all figures: colour-blind safe, legible at the width of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito.
COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "grey": "#7F7F7F",
}
_SETTINGS: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "svg.hashsalt": "daglock",
    # The letters as shapes: a reader without our font sees the same figure.
    "svg.fonttype": "path",
}


@contextmanager
def look() -> Iterator[None]:
    """Draw in this look: what is added to a figure takes its sizes from where it is added."""
    try:
        import matplotlib
    except ImportError as missing:
        raise MissingExtraError("Figures need matplotlib: pip install 'daglock[plot]'") from missing
    with matplotlib.rc_context(_SETTINGS):
        yield


def panels(n: int = 1, rows: int = 1, *, height: float = 3.0) -> tuple[Figure, list[Any]]:
    """Return a figure of a page's width with its axes, row by row, n side by side."""
    with look():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, height), layout="constrained")
        axes = figure.subplots(rows, n, squeeze=False)
    return figure, list(axes.flat)


def legend(
    figure: Figure,
    axes: Sequence[Any],
    where: str,
    columns: int,
    extra: Mapping[str, Any] | None = None,
    size: float = 8,
) -> None:
    """Put one legend above all axes ("upper") or below them ("lower"), with each label once."""
    found: dict[str, Any] = {}
    for axis in axes:
        found |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    found |= extra or {}
    options: Any = {"loc": f"outside {where} center", "ncols": columns}
    figure.legend(list(found.values()), list(found), frameon=False, fontsize=size, **options)


def svg(figure: Figure) -> str:
    """Return a figure as SVG, with the same text for the same figure."""
    drawn = StringIO()
    with look():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as SVG and PNG, with the same bytes for the same figure."""
    folder.mkdir(parents=True, exist_ok=True)
    with look():
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        figure.savefig(folder / f"{name}.png", dpi=150)
