"""What a table can tell before any graph is learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from daglock.criteria import default_gamma, edge_cost
from daglock.criteria.equal import has_one_scale
from daglock.dependence import find_determined, relations
from daglock.diagnostics.assumptions import Stability, stability_threshold
from daglock.moments import Moments
from daglock.typing import Array, IntArray
from daglock.wording import Finding, listed, percent, plural, short

# Above this many columns eigenvalues and inverses cost more than they tell.
MAX_DENSE = 2000
# With fewer rows for each column than this, weights are rough.
FEW_ROWS = 10
# Condition indices of 10 and 30, the roots of these, are where Belsley, Kuh and Welsch (1980) see
# weak and strong dependence. Here they are multiples of what chance gives, see `chance_condition`.
OVERLAP = 100.0
STRONG_OVERLAP = 900.0


@dataclass(frozen=True)
class TableDiagnosis:
    """Rows, columns and scales of a table, as far as they matter for a graph."""

    n: int
    d: int
    condition_number: float | None  # of the correlation; None where infinite, or not `checked`
    checked: bool  # whether dependence among columns was looked for: up to 2000 columns it is
    # Columns that determine each other linearly, exactly or up to rounding; with no more rows than
    # columns, where that holds for all, copies of another column.
    determined: tuple[str, ...]
    overlapping: tuple[str, ...]  # nearly repeat each other, where the condition number is large
    smallest_deviation: tuple[str, float]  # a column and its standard deviation
    largest_deviation: tuple[str, float]
    one_scale: bool  # whether all columns have the same variance, as after standardising
    detectable: float  # share of what is left of a column that an edge must explain to be drawn
    stability: Stability  # the paper's threshold
    aside: tuple[str, ...] = ()  # the determined columns that are not searched unless all are kept
    relations: tuple[str, ...] = ()  # which columns determine which, in sentences
    n_rows: int = 0  # rows of the table, where some have gaps: more than the n that they count as

    @property
    def rows_per_column(self) -> float:
        """Number of rows over number of columns."""
        return self.n / self.d

    def sentences(self) -> list[Finding]:
        """List what a person should know who has no graph yet."""
        return [self.about_rows(), self.about_overlap(), self.about_scale()]

    def _least_share(self) -> str:
        """Say how much of a variation an edge must explain."""
        if self.detectable < 0.001:
            return "0.1% or even less"
        return f"at least about {percent(self.detectable)}"

    def about_rows(self) -> Finding:
        """Rows against columns, and how weak an effect can be seen."""
        title = f"{plural(max(self.n, self.n_rows), 'row')}, {plural(self.d, 'column')}"
        if self.n < self.n_rows:
            title += f", with gaps as good as {plural(self.n, 'complete row')}"
        seen = (
            f"an edge is drawn when it explains {self._least_share()} of the "
            "variation that the other causes leave open; weaker effects are not told from chance."
        )
        if self.n <= self.d:
            text = (
                f"There are not more rows than columns, so only a graph with few, strong edges can "
                f"be told from noise: {seen}"
            )
            return Finding("warning", title, text)
        ratio = self.rows_per_column
        per_column = f"{ratio:,.0f}" if ratio >= 9.5 else f"{ratio:.2g}"
        if ratio < FEW_ROWS:
            return Finding("note", title, f"Only {per_column} rows for each column: {seen}")
        return Finding("good", title, f"With {per_column} rows for each column, {seen}")

    def about_overlap(self) -> Finding:
        """Columns that repeat others."""
        if self.determined:
            them, nodes = ("it", "a node") if len(self.aside) == 1 else ("them", "nodes")
            text = (
                f"{' '.join(self.relations)} Which of them is a cause cannot be told: learn sets "
                f"{listed(self.aside)} aside, {nodes} without edges, unless it is told to keep "
                f'{them} (determined="keep", --determined keep). To choose yourself, leave out '
                "what repeats."
            )
            return Finding("warning", "Columns that repeat others", text)
        if self.n <= self.d:
            text = "With so few rows every column is a combination of others, by chance alone."
            return Finding("note", "Overlap between columns unknown", text)
        if not self.checked:
            text = f"With more than {MAX_DENSE:,} columns this is not computed: it takes too long."
            return Finding("note", "Overlap between columns not checked", text)
        number = np.inf if self.condition_number is None else self.condition_number
        chance = chance_condition(self.n, self.d)
        text = (
            "The condition number of the correlations, which tells how far columns repeat each "
            f"other, is {short(number)}; unrelated columns would have about {short(chance)} with "
            "so many rows."
        )
        if not self.overlapping:
            return Finding("good", "No column repeats the others", text)
        text += (
            f" It comes from {listed(self.overlapping)}, which overlap: edges among them and "
            "their weights are less certain than the rest."
        )
        if number > STRONG_OVERLAP * chance:
            return Finding("warning", "Columns that nearly repeat others", text)
        return Finding("note", "Columns that overlap", text)

    def about_scale(self) -> Finding:
        """Whether the scale can mean something."""
        if self.one_scale:
            text = (
                "All columns have the same variance, as after standardising. With one noise "
                'variance for all (noise="equal") effects vary more than columns without a cause, '
                'and that is gone here: leave noise at "auto" or "unequal".'
            )
            return Finding("note", "Columns are standardised", text)
        (low, smallest), (high, largest) = self.smallest_deviation, self.largest_deviation
        text = (
            f"Standard deviations go from {short(smallest)} ({low}) to {short(largest)} "
            f'({high}). noise="equal" takes these scales for information about directions, which '
            'makes sense only if all columns are measured in one unit; noise="unequal" gives the '
            "same graph in any units."
        )
        return Finding("note", "Columns differ in scale", text)

    def about_stability(self) -> Finding:
        """Give the paper's threshold, for those who know its method."""
        s = self.stability
        first, second = s.standardised_pair
        text = (
            f"The strongest correlation is {s.standardised:.2f}, between {first} and {second}. "
            f"The method of the SPG-AHOC paper returns the empty graph when its penalty λ is at "
            f"least that on standardised columns, or {short(s.raw)} on these "
            f"({' and '.join(s.raw_pair)}). daglock has no λ."
        )
        return Finding("note", "The paper's stability threshold", text)


def diagnose_table(moments: Moments, price: float | None = None) -> TableDiagnosis:
    """Look at a table before a graph is learned from it.

    ``price`` is that of one edge, per row; by default the one that the engine would use.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> X = linear_sem(erdos_renyi(5, 5, rng=0), 1000, rng=1)
    >>> for finding in diagnose_table(Moments.from_data(X)).sentences():
    ...     print(finding.level, "-", finding.title)
    good - 1,000 rows, 5 columns
    good - No column repeats the others
    note - Columns differ in scale
    """
    n, d, names = moments.n, moments.d, moments.labels
    if price is None:
        price = edge_cost(n, d, default_gamma(n, d))
    variance = np.diag(moments.cov)
    low, high = int(variance.argmin()), int(variance.argmax())
    checked = d <= MAX_DENSE
    found = find_determined(moments)
    repeated = sorted(int(j) for group in found.groups for j in group)
    overlapping = np.empty(0, dtype=np.intp)
    condition = np.inf
    if checked and n > d and not found:
        condition, overlapping = _condition(moments.standardised().cov, n)
    return TableDiagnosis(
        n=n,
        d=d,
        condition_number=condition if np.isfinite(condition) else None,
        checked=checked,
        determined=tuple(names[i] for i in repeated),
        overlapping=tuple(names[i] for i in overlapping),
        smallest_deviation=(names[low], float(np.sqrt(variance[low]))),
        largest_deviation=(names[high], float(np.sqrt(variance[high]))),
        one_scale=has_one_scale(variance),
        detectable=float(-np.expm1(-price)),
        stability=stability_threshold(moments),
        aside=tuple(names[j] for j in found.aside),
        relations=tuple(relations(found, names)),
        n_rows=moments.n_rows,
    )


def chance_condition(n: int, d: int) -> float:
    """Condition number of the correlations of unrelated columns, for large n and d.

    ``((1 + √(d/n)) / (1 − √(d/n)))²``, the ends of the spectrum of Marchenko and Pastur (1967).

    Examples
    --------
    >>> round(chance_condition(n=4000, d=1000), 6), round(chance_condition(n=10**6, d=2), 2)
    (9.0, 1.01)
    """
    root = float(np.sqrt(d / n))
    return ((1.0 + root) / (1.0 - root)) ** 2 if n > d else float("inf")


def _condition(R: Array, n: int) -> tuple[float, IntArray]:
    """Condition number, and the columns that make it large where it is.

    They are the large entries of the eigenvector of the smallest eigenvalue: the combination of
    columns that hardly varies.
    """
    values = scipy.linalg.eigvalsh(R, check_finite=False)
    condition = float(values[-1] / values[0]) if values[0] > 0.0 else np.inf
    if condition <= OVERLAP * chance_condition(n, len(R)):
        return condition, np.empty(0, dtype=np.intp)
    _, vector = scipy.linalg.eigh(R, subset_by_index=[0, 0], check_finite=False)
    share = np.abs(vector[:, 0])
    return condition, np.flatnonzero(share > 0.3 * share.max())
