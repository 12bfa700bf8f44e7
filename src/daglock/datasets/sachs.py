"""The protein-signalling data of Sachs et al. (2005), with the two acyclic truths in use."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidParameterError
from daglock.typing import Array

NAMES = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")

# The table stacks the experiments in this order, with so many rows each.
CONDITIONS = {
    "cd3_cd28": 853,
    "cd3_cd28+icam2": 902,
    "cd3_cd28+aktinhib": 911,
    "cd3_cd28+g0076": 723,
    "cd3_cd28+psitect": 810,
    "cd3_cd28+u0126": 799,
    "cd3_cd28+ly": 848,
    "pma": 913,
    "b2camp": 707,
}

# What a condition acts on, beside the general stimulation; the provenance says why.
TARGETS: dict[str, tuple[str, ...]] = {
    "cd3_cd28": (),
    "cd3_cd28+icam2": (),
    "cd3_cd28+aktinhib": ("Akt",),
    "cd3_cd28+g0076": ("PKC",),
    "cd3_cd28+psitect": ("PIP2",),
    "cd3_cd28+u0126": ("Mek",),
    "cd3_cd28+ly": ("PIP3",),
    "pma": ("PKC",),
    "b2camp": ("PKA",),
}

# Children by parent, as inferred in the article (the network "sachs" of the bnlearn repository).
CHILDREN_17 = {
    "PKC": ("PKA", "Raf", "Mek", "Jnk", "P38"),
    "PKA": ("Raf", "Mek", "Erk", "Akt", "Jnk", "P38"),
    "Raf": ("Mek",),
    "Mek": ("Erk",),
    "Erk": ("Akt",),
    "Plcg": ("PIP2", "PIP3"),
    "PIP3": ("PIP2",),
}

# The consensus graph: three edges that the inference missed, and PIP3 -> Plcg turned round.
CHILDREN_20 = {
    **CHILDREN_17,
    "Plcg": ("PIP2", "PKC"),
    "PIP3": ("PIP2", "Plcg", "Akt"),
    "PIP2": ("PKC",),
}


@dataclass(frozen=True)
class Sachs:
    """The Sachs data: 11 molecules measured in single cells.

    Attributes
    ----------
    names : of the 11 columns.
    data : (n, 11) raw intensities, positive, strongly skewed; most authors take logarithms or
        standardise.
    conditions : (n,) the experiment of each row.
    targets : the molecules that an experiment inhibits or activates, for each that has rows.
    truth_17, truth_20 : (11, 11) int8; ``W[i, j] = 1`` means i -> j.
    provenance : where each edge comes from, sources, how the file was made, licences.
    """

    names: tuple[str, ...]
    data: Array = field(repr=False)
    conditions: NDArray[np.str_] = field(repr=False)
    targets: dict[str, tuple[str, ...]] = field(repr=False)
    truth_17: NDArray[np.int8] = field(repr=False)
    truth_20: NDArray[np.int8] = field(repr=False)
    provenance: str = field(repr=False)


def load_sachs(variant: Literal["observational", "pooled"] = "observational") -> Sachs:
    """Load the Sachs data, which are shipped with the package.

    Parameters
    ----------
    variant : the 853 cells of the first experiment, or all 7466 cells of the nine. Always say which
        one a result is about: the pooled table mixes interventions.

    References
    ----------
    Sachs, Perez, Pe'er, Lauffenburger and Nolan (2005), "Causal protein-signaling networks
    derived from multiparameter single-cell data", Science 308.

    Examples
    --------
    >>> sachs = load_sachs("observational")
    >>> sachs.data.shape, int(sachs.truth_17.sum()), int(sachs.truth_20.sum())
    ((853, 11), 17, 20)
    >>> load_sachs("pooled").data.shape
    (7466, 11)
    >>> load_sachs("pooled").targets["cd3_cd28+u0126"]
    ('Mek',)
    """
    if variant not in ("observational", "pooled"):
        raise InvalidParameterError(
            f"variant must be 'observational' or 'pooled', not {variant!r}."
        )
    files = resources.files("daglock.datasets") / "data"
    text = gzip.decompress((files / "sachs.csv.gz").read_bytes()).decode("ascii")
    data = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)
    conditions = np.repeat(list(CONDITIONS), list(CONDITIONS.values()))
    n = CONDITIONS["cd3_cd28"] if variant == "observational" else len(data)
    return Sachs(
        names=NAMES,
        data=data[:n].copy(),
        conditions=conditions[:n].copy(),
        targets={name: TARGETS[name] for name in dict.fromkeys(conditions[:n].tolist())},
        truth_17=_adjacency(CHILDREN_17),
        truth_20=_adjacency(CHILDREN_20),
        provenance=(files / "sachs_provenance.txt").read_text(encoding="utf-8"),
    )


def _adjacency(children: dict[str, tuple[str, ...]]) -> NDArray[np.int8]:
    """Return the 0/1 matrix of a list of children."""
    W = np.zeros((len(NAMES), len(NAMES)), dtype=np.int8)
    for parent, targets in children.items():
        for child in targets:
            W[NAMES.index(parent), NAMES.index(child)] = 1
    return W
