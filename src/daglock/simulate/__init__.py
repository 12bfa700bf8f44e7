"""Random graphs and data on them: linear structural equations, and tables with categories."""

from daglock.simulate.graphs import erdos_renyi, near_cyclic, scale_free
from daglock.simulate.mixed import mixed_sem
from daglock.simulate.sem import NOISES, linear_sem, population_covariance, sample_noise

__all__ = [
    "NOISES",
    "erdos_renyi",
    "linear_sem",
    "mixed_sem",
    "near_cyclic",
    "population_covariance",
    "sample_noise",
    "scale_free",
]
