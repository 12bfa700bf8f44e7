"""What follows from a graph: total effects with their doubt, samples, interventions."""

from daglock.effects.adjustment import minimal_adjustment
from daglock.effects.draws import draw_effects
from daglock.effects.effect import Effect
from daglock.effects.leeway import open_neighbours, over_open_directions
from daglock.effects.levels import LevelEffects, effects_by_level
from daglock.effects.linear import Intervention, LinearModel, require_positive_variances, slope
from daglock.effects.plausible import PlausibleGraphs
from daglock.effects.tabular import TabularModel

__all__ = [
    "Effect",
    "Intervention",
    "LevelEffects",
    "LinearModel",
    "PlausibleGraphs",
    "TabularModel",
    "draw_effects",
    "effects_by_level",
    "minimal_adjustment",
    "open_neighbours",
    "over_open_directions",
    "require_positive_variances",
    "slope",
]
