"""Each detector finds its fault in a table that has it, and none in tables that do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from daglock.diagnostics.detectors import DETECTORS, View, inspect_table
from daglock.simulate import erdos_renyi, linear_sem
from daglock.simulate.sem import Noise
from daglock.table import Table
from daglock.table.deciding import decide
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array
from daglock.wording import Finding
from tests.diagnostics.detectors.tables import CLEAN, gaussian, table_of

# Tables that have a fault although nothing is wrong with them: few values are worth a note there.
HAVE = {("columns of few values", name) for name in ("mixed", "counts", "rounded")}


def found(what: str, table: Table) -> Finding:
    (finding,) = DETECTORS[what](View(table))
    return finding


@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.parametrize("what", DETECTORS)
def test_no_false_alarm(what: str, name: str) -> None:
    if (what, name) in HAVE:
        return
    for seed in (1, 2):
        assert DETECTORS[what](View(table_of(CLEAN[name](seed)))) == []


def test_the_data_are_left_alone() -> None:
    data = np.exp(gaussian(0) / 20.0)
    data[3, 2] = np.nan
    before = data.copy()
    inspect_table(table_of(data))
    assert np.array_equal(data, before, equal_nan=True)


# --- identifiers and groups


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("patient", lambda rng: rng.permutation(600) + 1000.0),
        ("ID", lambda rng: rng.permutation(10**6)[:600].astype(float)),
        ("x", lambda rng: np.cumsum(rng.integers(1, 50, 600)).astype(float)),
    ],
)
def test_an_identifier(name: str, make: Callable[[np.random.Generator], Array]) -> None:
    column = make(np.random.default_rng(0))
    finding = found("identifiers", table_of(np.column_stack([column, gaussian(0)]), name))
    assert (finding.level, finding.columns) == ("warning", (name,))
    assert finding.fix == f"--drop {name}"
    assert finding.title == f"{name} seems to number the rows"


def test_amounts_are_no_identifier() -> None:
    amounts = np.random.default_rng(0).permutation(10**6)[:600].astype(float)
    table = table_of(np.column_stack([amounts, gaussian(0)]), "income")
    assert DETECTORS["identifiers"](View(table)) == []


def test_groups_of_rows() -> None:
    rng = np.random.default_rng(0)
    family = np.sort(rng.integers(1, 200, 600)).astype(float)
    family = np.unique(family, return_inverse=True)[1] + 1.0
    finding = found(
        "columns that number groups of rows",
        table_of(np.column_stack([family, gaussian(0)]), "family"),
    )
    assert finding.columns == ("family",)
    assert "groups=table['family']" in finding.text
    assert finding.fix == "--groups family"


# --- time


def test_the_calendar() -> None:
    rng = np.random.default_rng(0)
    when = np.column_stack([rng.integers(1990, 2020, 600), rng.integers(1, 13, 600)])
    table = table_of(np.column_stack([when, gaussian(0)]), "modelYear", "month")
    finding = found("columns that tell the time", table)
    assert finding.columns == ("modelYear", "month")
    assert "roots: [modelYear, month]" in finding.text
    assert "the ends of month" in finding.text


@pytest.mark.parametrize("name", ["years", "Year", "daylight"])
def test_a_number_of_years_is_no_time(name: str) -> None:
    years = np.random.default_rng(0).integers(0, 25, 600)
    table = table_of(np.column_stack([years, gaussian(0)]), name)
    assert DETECTORS["columns that tell the time"](View(table)) == []


def test_rows_that_follow_each_other() -> None:
    data = gaussian(0)
    walk = np.cumsum(np.random.default_rng(0).normal(size=(600, 3)), axis=0)
    data[:, :3] += 50.0 * walk
    finding = found("rows that depend on each other", table_of(data))
    assert set(finding.columns) >= {"v1", "v2", "v3"}
    mixed = data[np.random.default_rng(1).permutation(600)]
    assert DETECTORS["rows that depend on each other"](View(table_of(mixed))) == []


# --- codes


def test_sentinels() -> None:
    data = gaussian(0)
    data[::50, 1] = -999.0
    finding = found("codes for missing values", table_of(data, "a", "b"))
    assert finding.columns == ("b",)
    assert finding.fix == "--na b=-999"
    assert "b holds -999 in 12 rows" in finding.text


def test_zeros_that_were_not_measured() -> None:
    data = gaussian(0)
    pressure = np.random.default_rng(0).normal(72.0, 12.0, 600).round()
    pressure[::20] = 0.0
    table = table_of(np.column_stack([pressure, data]), "bp")
    finding = found("zeros that were not measured", table)
    assert finding.columns == ("bp",)
    assert finding.fix == "--na bp=0"
    assert "5% zeros" in finding.text or "5.0% zeros" in finding.text


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: np.where(rng.random(600) < 0.3, 0.0, rng.exponential(50.0, 600)),
        lambda rng: np.where(rng.random(600) < 0.8, 0.0, rng.normal(500.0, 50.0, 600)),
        lambda rng: rng.poisson(2.0, 600).astype(float),
    ],
)
def test_zeros_that_are_amounts(make: Callable[[np.random.Generator], Array]) -> None:
    table = table_of(np.column_stack([make(np.random.default_rng(0)), gaussian(0)]))
    assert DETECTORS["zeros that were not measured"](View(table)) == []


def test_few_values() -> None:
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(1, 5, 600), rng.integers(0, 2, 600)])
    table = table_of(np.column_stack([codes, gaussian(0)]), "grade", "sex")
    few, two = DETECTORS["columns of few values"](View(table))
    assert (few.columns, two.columns) == (("grade",), ("sex",))
    # what the user said is not questioned
    said = tuple(ColumnKind(Kind.ORDINAL, given=True) for _ in range(table.data.shape[1]))
    assert DETECTORS["columns of few values"](View(replace(table, kinds=said))) == []


# --- functions and copies


@pytest.mark.parametrize(
    ("words", "make"),
    [
        ("the square of a", lambda a, b: a**2),
        ("the cube of a", lambda a, b: a**3),
        ("the logarithm of a", lambda a, b: np.log(a)),
        ("the logarithm of a", lambda a, b: np.log(a).round(2)),
        ("the inverse of a", lambda a, b: 3.0 / a),
        ("a over b", lambda a, b: a / b),
        ("a over b to the power 2", lambda a, b: (1e4 * a / b**2).round(1)),
        ("a times b", lambda a, b: a * b),
    ],
)
def test_functions_of_others(words: str, make: Callable[[Array, Array], Array]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(40.0, 120.0, 600), rng.normal(170.0, 15.0, 600)
    data = np.column_stack([a, b, make(a, b), gaussian(0)])
    finding = found("functions of other columns", table_of(data, *"abc"))
    named = ("a", "b", "c") if "b" in words.split() else ("a", "c")
    assert finding.columns == named
    assert finding.title == f"{', '.join(named)} are functions of each other"
    assert f"c is {words}," in finding.text
    assert f"keep {'two' if len(named) > 2 else 'one'} of {', '.join(named)}." in finding.text
    assert finding.fix == ""


def test_which_of_some_functions_was_computed_is_not_claimed() -> None:
    a = np.random.default_rng(0).normal(3.0, 1.0, 600).clip(0.1)
    data = np.column_stack([a, a**2, np.exp(a), gaussian(0)])
    finding = found("functions of other columns", table_of(data, "a", "square", "power"))
    assert finding.columns == ("a", "square", "power")
    assert finding.title == "a, square, power are functions of each other"
    assert "the table does not tell" in finding.text
    assert finding.text.endswith("keep one of a, square, power.")
    assert finding.fix == ""  # the one that was measured is not to be dropped
    assert finding.brief == "keep one of a, square, power."


def test_a_square_that_forgets_signs_can_go() -> None:
    a = np.random.default_rng(0).normal(size=600)
    data = np.column_stack([a**2, a, a**4, gaussian(0)])
    finding = found("functions of other columns", table_of(data[:, [0, 1, 3, 4]], *"ba"))
    assert finding.title == "b is a function of a"
    assert "does not tell" not in finding.text
    assert (finding.columns, finding.fix, finding.brief) == (("b", "a"), "--drop b", "")
    finding = found("functions of other columns", table_of(data, *"bac"))
    assert (finding.columns, finding.fix) == (("b", "a", "c"), "--drop b,c")
    positive = np.exp(data[:, 3] / 50.0)
    more = table_of(np.column_stack([data, positive, np.log(positive)]))
    finding = found("functions of other columns", more)
    assert finding.title == "Columns that are functions of others"
    assert "keep one of " in finding.text
    assert "; leave out v1, v3, from which" in finding.text


def test_a_product_of_columns_of_any_sign() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 600))
    data = np.column_stack([a, b, 2.0 - 3.0 * a * b, gaussian(0)])
    assert "c is a times b," in found("functions of other columns", table_of(data, *"abc")).text


def test_a_noisy_function_is_a_relation() -> None:
    rng = np.random.default_rng(0)
    a = rng.uniform(40.0, 120.0, 600)
    data = np.column_stack([a, np.log(a) + 0.005 * rng.normal(size=600), gaussian(0)])
    assert DETECTORS["functions of other columns"](View(table_of(data))) == []


def test_near_copies_by_group() -> None:
    rng = np.random.default_rng(0)
    data = gaussian(0)
    length, width = data[:, 0], data[:, 1]
    noise = 0.05 * rng.normal(size=(600, 3))
    copies = [length + length.std() * noise[:, 0], -length + length.std() * noise[:, 1]]
    copies.append(width + width.std() * noise[:, 2])
    table = table_of(np.column_stack([data, *copies]))
    finding = found("near copies", table)
    assert finding.columns == ("v1", "v9", "v10", "v2", "v11")
    assert finding.fix == "--drop v9,v10,v11"
    # one row makes no copy
    far = gaussian(0)
    far[7, :2] = 1e7
    assert np.min(np.corrcoef(far[:, :2].T)) > 0.99
    assert DETECTORS["near copies"](View(table_of(far))) == []
    # exact copies are found elsewhere
    exact = table_of(np.column_stack([data, 2.0 * length]))
    assert DETECTORS["near copies"](View(exact)) == []


# --- shapes


def test_curved_relations() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    data = np.column_stack([x, x**2 + 0.5 * rng.normal(size=600), rng.normal(size=600)])
    finding = found("curved relations", table_of(data, "x", "y"))
    assert set(finding.columns) == {"x", "y"}
    assert "y with x (" in finding.text


@pytest.mark.parametrize("noise", ["gaussian", "laplace", "uniform", "gumbel"])
def test_lines_with_other_noise_are_lines(noise: Noise) -> None:
    for seed in range(5):
        X = linear_sem(erdos_renyi(10, 15, rng=seed), 1000, noise, rng=seed)
        assert DETECTORS["curved relations"](View(table_of(X))) == []


def test_one_row_that_carries_a_correlation() -> None:
    data = np.random.default_rng(0).normal(size=(100, 4))
    data[16, :2] = 30.0
    finding = found("rows that carry a correlation", table_of(data, "a", "b"))
    assert finding.columns == ("a", "b")
    assert "Row 17 makes the correlation of a and b 0." in finding.text
    r = float(np.corrcoef(np.delete(data, 16, axis=0)[:, :2].T).ravel()[1])
    assert f"which is {r:.2f} without it" in finding.text


def test_rows_are_numbered_as_in_the_source() -> None:
    data = np.random.default_rng(0).normal(size=(100, 4))
    data[16, :2] = 30.0
    table = table_of(data).without(np.arange(100) < 5, "with missing values")
    assert "Row 17 makes" in found("rows that carry a correlation", table).text


def test_very_long_tails() -> None:
    data = gaussian(0)
    data[:, 3] = np.random.default_rng(0).standard_cauchy(600)
    finding = found("very long tails", table_of(data))
    assert finding.columns == ("v4",)
    assert finding.fix == "--scores normal"
    assert "The tails of v4 fall so slowly that more rows would not settle" in finding.text


def test_tails_that_are_long_and_end() -> None:
    data = gaussian(0)
    data[5, 3] = 1e6
    finding = found("very long tails", table_of(data))
    assert finding.columns == ("v4",)
    assert "fall so slowly" not in finding.text


# --- batches and repeats


def in_batches() -> tuple[Array, Array]:
    """Numbers of batches in blocks, and columns of which one batch shifts all means."""
    data = gaussian(0)
    batch = np.repeat([2.0, 0.0, 1.0], 200)
    return batch, data + 2.0 * data.std(axis=0) * (batch == 0.0)[:, None]


def test_batches() -> None:
    batch, data = in_batches()
    finding = found(
        "columns that tell batches", table_of(np.column_stack([batch, data]), "plate no")
    )
    assert (finding.level, finding.columns) == ("warning", ("plate no",))
    assert finding.fix == "--regime 'plate no'"
    assert "means of 8 other columns differ between its values" in finding.text
    assert "the rows come in blocks" in finding.text
    # a cause by which the table was sorted looks the same
    assert (
        found("columns that tell batches", table_of(np.column_stack([batch, data]), "dose")).level
        == "note"
    )
    # a cause in any order of the rows is no batch, unless its name says so
    mixed = np.column_stack([batch, data])[np.random.default_rng(0).permutation(600)]
    assert DETECTORS["columns that tell batches"](View(table_of(mixed, "sex"))) == []
    finding = found("columns that tell batches", table_of(mixed, "batch"))
    assert finding.level == "warning"
    assert "in blocks" not in finding.text


def test_batches_in_words() -> None:
    batch, data = in_batches()
    words = ColumnKind(Kind.CATEGORICAL, ("control", "drug", "heat"))
    table = table_of(np.column_stack([data, batch]), *"abcdefgh", "condition")
    table = replace(table, kinds=(*[CONTINUOUS] * 8, words))
    assert found("columns that tell batches", table).fix == "--regime condition"
    # what the blocks explain is not said again
    assert DETECTORS["rows that depend on each other"](View(table)) == []
    called = replace(table, names=(*"abcdefgh", "group"))
    assert DETECTORS["rows that depend on each other"](View(called)) != []


@pytest.mark.parametrize("name", CLEAN)
def test_a_batch_between_which_nothing_shifts(name: str) -> None:
    for seed in (1, 2):
        data = CLEAN[name](seed)
        batch = np.random.default_rng(seed + 100).integers(0, 3, len(data))
        table = table_of(np.column_stack([batch, data]), "batch")
        assert DETECTORS["columns that tell batches"](View(table)) == []


# --- regimes that are known


def shifted(where: Array, by: float) -> Array:
    """Independent columns, some rows of which are shifted in all of them."""
    data = np.random.default_rng(3).normal(size=(600, 6))
    return np.asarray(data + by * where[:, None])


@pytest.mark.parametrize(
    ("what", "where", "by"),
    [
        ("rows that depend on each other", np.repeat([1.0, 0.0, 2.0], 200), 3.0),
        ("near copies", np.arange(600.0) % 2, 60.0),
        ("very long tails", (np.arange(600) % 150 == 0).astype(float), 300.0),
        ("rows that carry a correlation", (np.arange(600) == 77).astype(float), 90.0),
        ("curved relations", np.arange(600.0) % 3, 8.0),
    ],
)
def test_shifts_between_regimes_are_no_fault(what: str, where: Array, by: float) -> None:
    data = shifted(where, by)
    if what == "curved relations":
        data[:, 1] += 30.0 * (where == 1.0)
    table = table_of(data)
    assert DETECTORS[what](View(table)) != []
    labels = where.astype(int).astype(str)
    assert DETECTORS[what](View(table, labels)) == []
    assert inspect_table(table, labels) == []


def test_faults_within_regimes_are_found() -> None:
    where = np.repeat([1.0, 0.0, 2.0], 200)
    data = shifted(where, 3.0)
    data[:, 1] = data[:, 0] + 0.01 * np.random.default_rng(0).normal(size=600)
    labels = where.astype(int).astype(str)
    (finding,) = inspect_table(table_of(data, "a", "b"), labels)
    assert finding.title == "a, b are near copies"


def test_a_column_of_regimes_is_not_questioned() -> None:
    batch, data = in_batches()
    table = table_of(np.column_stack([batch, data]), "plate")
    assert inspect_table(table)[0].fix == "--regime plate"
    told = decide(table, {"plate": "regime"}, find=True)
    assert inspect_table(told) == []


def test_repeated_rows() -> None:
    data = gaussian(0)
    data[500:] = data[:100]
    finding = found("repeated rows", table_of(data))
    assert "100 rows of 600 (17%)" in finding.text
    assert finding.level == "note"


@pytest.mark.parametrize("times", [2, 20, 80])
@pytest.mark.parametrize("decimals", [1, 15])
def test_most_rows_are_copies(times: int, decimals: int) -> None:
    """As after a join gone wrong; measured to a decimal, too, and with categories and gaps."""
    rng = np.random.default_rng(0)
    data = np.column_stack([gaussian(0)[:60].round(decimals), rng.integers(0, 3, 60)])
    data[::9, 1] = np.nan
    data = np.repeat(data, times, axis=0)[rng.permutation(60 * times)]
    finding = found("repeated rows", table_of(data))
    assert finding.level == "warning"
    assert f"Only 60 of {60 * times:,} rows are different" in finding.text
    assert f"only 60 of {60 * times:,} are different" in finding.brief


@pytest.mark.parametrize("sort", ["grid", "close", "ages", "grades"])
def test_few_values_repeat_by_themselves(sort: str) -> None:
    rng = np.random.default_rng(0)
    n = 4000
    x = rng.integers(0, 12, n)
    tables = {
        "grid": np.column_stack([x, rng.integers(0, 12, n), rng.poisson(5, n)]),
        "close": np.column_stack([x, x + (rng.random(n) < 0.1), x - (rng.random(n) < 0.1)]),
        "ages": np.column_stack([rng.integers(18, 80, n), x // 4, rng.integers(0, 2, n), x // 6]),
        "grades": rng.integers(1, 6, (n, 4)),
    }
    data = tables[sort].astype(np.float64)
    assert len(np.unique(data, axis=0)) < n / 2
    assert DETECTORS["repeated rows"](View(table_of(data))) == []


# --- all together


def test_the_worst_comes_first() -> None:
    rng = np.random.default_rng(0)
    data = np.column_stack([rng.integers(0, 2, 600), np.arange(600.0), gaussian(0)])
    levels = [finding.level for finding in inspect_table(table_of(data, "sex", "id"))]
    assert levels == ["warning", "note"]


def test_gaps_and_labels_are_no_trouble() -> None:
    data = gaussian(0)
    data[::7, 0] = np.nan
    data[:, 1] = np.arange(600.0)  # numbers of labels
    labels = ColumnKind(Kind.CATEGORICAL, tuple(map(str, range(600))))
    kinds = tuple(labels if j == 1 else CONTINUOUS for j in range(8))
    assert inspect_table(Table(data, kinds=kinds)) == []


def test_small_and_empty_tables() -> None:
    for shape in ((2, 2), (1, 5), (5, 1), (3, 0), (0, 3)):
        assert inspect_table(Table(np.ones(shape))) == []
    still = gaussian(0)
    still[:, 2] = 5.0
    still[:, 3] = np.nan
    assert inspect_table(table_of(still)) == []
