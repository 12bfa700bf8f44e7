"""How methods and constraints are drawn: each keeps its colour and its marker in every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from daglock_evaluation.harness.figures import COLOURS, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# For figures, where Unicode has no such index.
NORM, TRUE_NORM = r"$\Vert W\Vert_F$", r"$\Vert W^*\Vert_F$"
THRESHOLD = r"$\Vert\nabla L(0)\Vert_\infty$"

_MARKS: tuple[tuple[str, str, str], ...] = (
    # label, colour, marker
    ("Exp", "vermilion", "s"),
    ("LogDet", "orange", "D"),
    ("AAC", "purple", "^"),
    ("AHOC", "sky", "v"),
    ("S-AHOC", "blue", "o"),
    ("smoothed AHOC", "green", "P"),
    ("smoothed S-AHOC", "black", "X"),
    ("SPG-AHOC", "blue", "o"),
    ("EXP [Adam]", "vermilion", "s"),
    ("AAC [Prox-LS]", "purple", "^"),
    ("AHOC [Prox-LS]", "sky", "v"),
    ("DAGMA", "orange", "D"),
    ("dagma package", "yellow", "d"),
    ("FLOP", "green", "P"),
    ("sortnregress", "grey", "x"),
    ("empty graph", "grey", "_"),
    ("daglock", "black", "*"),
)
MARKS: dict[str, dict[str, Any]] = {
    label: {"color": COLOURS[colour], "marker": marker, "label": label}
    for label, colour, marker in _MARKS
}
MARKS["dagma package"]["markeredgecolor"] = COLOURS["black"]  # yellow alone is faint on white


def legend_above(
    figure: Figure, axes: Sequence[Any], *, columns: int, extra: Mapping[str, Any] | None = None
) -> None:
    """Put one legend above all panels, with each label once."""
    legend(figure, axes, "upper", columns, extra)
