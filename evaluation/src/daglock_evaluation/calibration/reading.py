"""Files of other people's packages, read as tables of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

ENOUGH_ROWS = 0.6  # of the rows are complete, or the column with most gaps goes
MISSING = ["*", "?", "", " ", ".", "NA"]


def read_file(path: Path) -> pd.DataFrame:
    """Read a file by its suffix; blanks in names become underscores."""
    if path.suffix == ".compress":
        frame = pd.DataFrame(pd.read_pickle(path, compression="xz"))
    elif path.suffix == ".dta":
        frame = pd.read_stata(path, convert_categoricals=False)
    elif path.suffix == ".arff":
        frame = read_arff(path)
    else:
        separator = "\t" if path.suffix == ".txt" else ","
        frame = pd.read_csv(path, sep=separator, na_values=MISSING, encoding="latin-1")
    frame.columns = pd.Index(["_".join(str(name).split()) for name in frame.columns])
    counters = [name for name in frame if name == "rownames" or str(name).startswith("Unnamed")]
    return frame.drop(columns=counters)


def read_arff(path: Path) -> pd.DataFrame:
    """Read a file of Weka, whose words SciPy leaves as bytes."""
    from scipy.io import arff

    frame = pd.DataFrame(arff.loadarff(path)[0])
    words = frame.select_dtypes("object").columns
    frame[words] = frame[words].apply(lambda column: column.str.decode("utf-8"))
    return frame


def numeric(frame: pd.DataFrame, levels: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Make numbers of a table: complete rows, no constant column.

    Words of two kinds become 0 and 1, words whose order is given in `levels` their place there;
    other words go. Where fewer than 60 % of the rows are complete, the columns with most gaps go.

    Examples
    --------
    >>> frame = pd.DataFrame({"sex": list("mfm"), "town": list("abc"), "dose": list("312")})
    >>> frame["pain"] = ["none", "much", "some"]
    >>> numeric(frame, {"pain": ["none", "some", "much"]})
       sex  dose  pain
    0  1.0   3.0   0.0
    1  0.0   1.0   2.0
    2  1.0   2.0   1.0
    """
    columns = {str(name): coded(frame[name], levels.get(str(name))) for name in frame}
    numbers = pd.DataFrame({name: column for name, column in columns.items() if column is not None})
    numbers = numbers.dropna(axis="columns", how="all")
    while len(numbers.dropna()) < ENOUGH_ROWS * len(numbers):
        numbers = numbers.drop(columns=numbers.isna().sum().idxmax())
    numbers = numbers.dropna().reset_index(drop=True)
    return numbers.loc[:, numbers.nunique() > 1]


def coded(column: pd.Series, levels: Sequence[str] | None) -> pd.Series | None:
    """Code a column as numbers; None where its words have no order."""
    if levels is None and pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    words = column.astype("string").replace(dict.fromkeys(MISSING, pd.NA))
    if levels is None:
        try:
            return words.astype("Float64").astype(float)
        except ValueError:
            levels = sorted(words.dropna().unique())
        if len(levels) > 2:
            return None
    elif unknown := sorted(set(words.dropna()) - set(levels)):
        raise ValueError(f"{column.name} has words without a place in its order: {unknown}.")
    places = {level: float(place) for place, level in enumerate(levels)}
    return words.map(places).astype(float)
