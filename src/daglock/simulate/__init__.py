"""Random graphs and the data of linear structural equations on them."""

from daglock.simulate.graphs import erdos_renyi, near_cyclic, scale_free
from daglock.simulate.sem import NOISES, linear_sem, population_covariance, sample_noise

__all__ = [
    "NOISES",
    "erdos_renyi",
    "linear_sem",
    "near_cyclic",
    "population_covariance",
    "sample_noise",
    "scale_free",
]
