"""The experiments by name, in the order of the paper."""

from __future__ import annotations

from importlib import import_module

from daglock_evaluation.experiments.experiment import Experiment
from daglock_evaluation.methods import look_up

# Each module has an EXPERIMENT of this name.
NAMES: tuple[str, ...] = (
    "axioms",  # Table 1, and the figure of the two instabilities
    "cycles",  # Exp 1: gradient against spectral radius
    "origin",  # Exp 2a, 2b: gradient against weight magnitude
    "incompatibility",  # the theorem on the H family
    "smoothing",  # approximation bound, L_δ ∝ 1/δ, η ∝ δ
    "sparse",  # Exp 3, table "best SHD"
    "scalability",  # table and figure
    "sachs",
    "near_cyclic",  # Exp 4
    "delta",  # sensitivity to δ
    "stabiliser",  # Exp 7: trajectories of ‖W‖_F against λ₁
    "limits",  # d = 500
    "identification",  # finite-time identification and its assumptions
    "proof",  # the steps of the proof behind it
    "beyond",  # d ≥ 1000
)


def get(name: str) -> Experiment:
    """Return an experiment by its name."""
    look_up(dict.fromkeys(NAMES), name, "experiment")
    experiment: Experiment = import_module(f"daglock_evaluation.experiments.{name}").EXPERIMENT
    return experiment
