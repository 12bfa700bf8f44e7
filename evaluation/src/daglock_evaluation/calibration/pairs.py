"""The Tübingen cause-effect pairs, from inside the wheel of `cdt`.

J. M. Mooij, J. Peters, D. Janzing, J. Zscheischler, B. Schölkopf: Distinguishing cause from effect
using observational data: methods and benchmarks. JMLR 17(32), 2016. The wheel has the 99 pairs of
two numbers each up to number 104 and leaves out those of several columns (52 to 55, 71, 105); it
numbers them anew and puts every cause first. The package itself is not imported: it needs PyTorch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from daglock_evaluation.calibration.tables import place

FILES = "data/resources"
OF_SEVERAL_COLUMNS = (52, 53, 54, 55, 71, 105)

# Pairs of one source share the weight 1: the `pairmeta.txt` of the collection, which rounds them.
GROUPS = (
    (1, 2, 3, 4, 20, 21),  # weather stations of the DWD
    (5, 6, 7, 8, 9, 10, 11),  # abalone
    (12, 17),  # census income
    (13, 14, 15, 16),  # auto-mpg
    (22, 23, 24),  # arrhythmia
    (25, 26, 27, 28, 29, 30, 31, 32),  # concrete
    (33, 34, 35, 36, 37),  # liver disorders
    (38, 39, 40, 41),  # Pima diabetes
    (42, 77),  # weather at Furtwangen
    (43, 44, 45, 46),  # reanalysis of the weather
    (49, 50, 51),  # ozone in Switzerland
    (56, 57, 58, 59, 60, 61, 62, 63, 64, 73, 74, 75),  # countries, United Nations
    (65, 66, 67),  # stocks
    (78, 79, 80),  # light and carbon exchange
    (81, 82, 83),  # temperature and carbon flux
    (89, 90, 91, 92),  # roots and soils
    (94, 95, 96),  # hours, temperature, electricity
    (97, 98, 102, 103, 104),  # a ball on a track
    (101, 105),  # grey values
)

# Tables of `tables` that are the same data: whoever leaves out the one leaves out the other.
SAME_DATA = {
    5: "abalone",
    13: "auto-mpg",
    25: "concrete",
    38: "pima",
    99: "bdf",
    100: "cpus",
}


@dataclass(frozen=True)
class Pair:
    """Two columns, of which one causes the other.

    Attributes
    ----------
    number : int
        In the collection, not in the wheel.
    x, y : array
        The columns, in the order of the collection's number: every even pair is swapped, so that to
        take the first for the cause is no better than a coin.
    label : {1, -1}
        1 where x causes y, -1 where y causes x.
    weight : float
        One over the number of pairs of its source.
    group : int
        The first pair of the same source.
    table : str or None
        The name of the real table that is the same data.
    """

    number: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    label: int
    weight: float
    group: int
    table: str | None


def group_of(number: int) -> tuple[int, ...]:
    """Return the pairs that share a source with this one, itself included.

    Examples
    --------
    >>> group_of(17), group_of(18)
    ((12, 17), (18,))
    """
    return next((group for group in GROUPS if number in group), (number,))


def cause_effect_pairs(folder: str | os.PathLike[str] | None = None) -> list[Pair]:
    """Read the pairs; none where neither the folder nor the package `cdt` is there.

    Parameters
    ----------
    folder : path, optional
        Where `Tuebingen_pairs.csv` and `Tuebingen_targets.csv` are; else inside the package.
    """
    if folder is None:
        package = place("cdt")
        if package is None:
            return []
        folder = package / FILES
    texts = pd.read_csv(Path(folder) / "Tuebingen_pairs.csv")
    targets = pd.read_csv(Path(folder) / "Tuebingen_targets.csv")
    numbers = (number for number in count(1) if number not in OF_SEVERAL_COLUMNS)
    rows = zip(texts["A"], texts["B"], targets["Target"], strict=True)
    return [read_pair(next(numbers), first, second, int(label)) for first, second, label in rows]


def read_pair(number: int, first: str, second: str, label: int) -> Pair:
    """Make a pair of a line of the file."""
    x, y = (np.array(text.split(), dtype=float) for text in (first, second))
    if number % 2 == 0:
        x, y, label = y, x, -label
    group = group_of(number)
    return Pair(number, x, y, label, 1 / len(group), group[0], SAME_DATA.get(group[0]))
