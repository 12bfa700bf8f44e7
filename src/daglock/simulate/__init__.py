"""Random graphs and data on them: linear equations, also under interventions, and categories."""

from daglock.simulate.graphs import erdos_renyi, near_cyclic, scale_free
from daglock.simulate.interventions import (
    Equations,
    RegimeData,
    batch_sem,
    interventional_sem,
)
from daglock.simulate.mixed import mixed_sem
from daglock.simulate.sem import (
    NOISES,
    linear_sem,
    population_covariance,
    population_mean,
    sample_noise,
)

__all__ = [
    "NOISES",
    "Equations",
    "RegimeData",
    "batch_sem",
    "erdos_renyi",
    "interventional_sem",
    "linear_sem",
    "mixed_sem",
    "near_cyclic",
    "population_covariance",
    "population_mean",
    "sample_noise",
    "scale_free",
]
