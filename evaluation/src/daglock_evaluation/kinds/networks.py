"""Discrete Bayesian networks that others published, and rows drawn from them.

The files are inside the package pgmpy (from the repository of the R package bnlearn); they are
read, pgmpy is not imported, and the rows do not depend on its sampler.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from daglock.errors import InvalidDataError
from daglock.graph import topological_order
from daglock.typing import Array, IntArray
from daglock_evaluation.methods.tetrad import folder_of

# The networks of the comparison, small ones first.
NETWORKS = ("asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2")
_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{.*?\{(.*?)\}\s*;", re.DOTALL)
_PROBABILITY = re.compile(
    r"probability\s*\(\s*([^|)\s]+)\s*(?:\|([^)]*))?\)\s*\{(.*?)\}", re.DOTALL
)
_ROW = re.compile(r"(?:table|\(([^)]*)\))\s*([^;]*);")


@dataclass(frozen=True, eq=False)
class Network:
    """A discrete Bayesian network.

    Attributes
    ----------
    levels : of each variable, by its name.
    parents : names of each variable's parents.
    tables : of each variable P(level | parents): one axis for each parent, the last for the level.
    """

    levels: Mapping[str, Sequence[str]]
    parents: Mapping[str, Sequence[str]]
    tables: Mapping[str, Array]

    @property
    def graph(self) -> Array:
        """The DAG; 1 where i -> j."""
        names = list(self.levels)
        graph = np.zeros((len(names), len(names)))
        for name, parents in self.parents.items():
            for parent in parents:
                graph[names.index(parent), names.index(name)] = 1.0
        return graph

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n rows of codes: numbers of levels."""
        names = list(self.levels)
        codes = np.zeros((n, len(names)), dtype=np.int64)
        for j in topological_order(self.graph):
            where = [names.index(parent) for parent in self.parents[names[j]]]
            rows = self.tables[names[j]][tuple(codes[:, i] for i in where)]
            bounds = np.cumsum(np.broadcast_to(rows, (n, rows.shape[-1])), axis=1)[:, :-1]
            codes[:, j] = (rng.random(n)[:, None] >= bounds).sum(axis=1)
        return codes


def read_bif(text: str) -> Network:
    """Read a network in the Bayesian interchange format.

    Examples
    --------
    >>> network = read_bif('''
    ... variable a { type discrete [ 2 ] { yes, no }; }
    ... variable b { type discrete [ 2 ] { low, high }; }
    ... probability ( a ) { table 0.2, 0.8; }
    ... probability ( b | a ) { (yes) 0.5, 0.5; (no) 0.0, 1.0; }''')
    >>> network.tables["b"].tolist(), network.graph.tolist()
    ([[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]])
    """
    levels = {name: _words(found) for name, found in _VARIABLE.findall(text)}
    parents, tables = {}, {}
    for name, given, body in _PROBABILITY.findall(text):
        parents[name] = _words(given)
        shape = [len(levels[parent]) for parent in (*parents[name], name)]
        table = np.full(shape, np.nan)
        for configuration, numbers in _ROW.findall(body):
            where = zip(parents[name], _words(configuration), strict=True)
            cell = tuple(levels[parent].index(level) for parent, level in where)
            table[cell] = [float(number) for number in _words(numbers)]
        sums = table.sum(axis=-1, keepdims=True)
        if not np.allclose(sums, 1.0, atol=1e-3):
            raise InvalidDataError(f"The probabilities of {name} do not add up to one.")
        tables[name] = table / sums
    return Network(levels, parents, tables)


def _words(text: str) -> list[str]:
    """Return what stands between commas."""
    return [word.strip().strip('"') for word in text.split(",") if word.strip()]


@cache
def load(name: str) -> Network:
    """Return a network by its name."""
    folder = folder_of("pgmpy") / "utils" / "example_models"
    with gzip.open(folder / f"{name}.bif.gz", "rt", encoding="utf-8") as file:
        return read_bif(file.read())
