"""Effect: by how much one column changes when another is set higher, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from daglock.wording import listed, percent, plural, short


@dataclass(frozen=True)
class Effect:
    """The total effect of one column on another: along all paths, other causes as they are.

    Attributes
    ----------
    cause, effect : names.
    value : by how much the effect changes when the cause is set one unit higher, in the graph that
        was found: the coefficient of the cause in a regression beside `adjustment`.
    low, high : an interval that has the doubt about rows, links and directions in it.
    level : how much of the draws lies in it.
    over_class : the least and the largest effect that the directions allow which are not claimed;
        None where the cause has too many such neighbours.
    n_open : neighbours of the cause whose direction is not claimed.
    adjustment : what to adjust for, with nothing that could be spared: a regression on the cause
        and these shows the effect. Empty where nothing is needed, None where the effect does not
        follow from the cause.
    probability_zero : share of the plausible graphs in which the effect is no effect of the cause.
    n_draws : of rows and graphs.
    drawn_from : "rows", or "moments" where these were gone: then rows are drawn as Gaussian.

    Examples
    --------
    >>> print(Effect("dose", "recovery", 0.42, 0.31, 0.55, over_class=(0.42, 0.42),
    ...              adjustment=("age",), probability_zero=0.02))
    Raising dose by 1 raises recovery by 0.42 (90% interval 0.31 to 0.55). Adjust for: age. In 2.0%
    of the plausible graphs recovery is not an effect of dose.
    """

    cause: str
    effect: str
    value: float
    low: float
    high: float
    level: float = 0.9
    over_class: tuple[float, float] | None = None
    n_open: int = 0
    adjustment: tuple[str, ...] | None = None
    probability_zero: float = 0.0
    n_draws: int = 200
    drawn_from: str = "rows"

    def __str__(self) -> str:
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return what there is to know, in plain words."""
        interval = f"{percent(self.level)} interval"
        ends = f"{short(self.low)} to {short(self.high)}"
        said = []
        if self.adjustment is None:
            said.append(
                f"In the graph that was found, {self.effect} is not an effect of {self.cause} "
                f"({interval} of the effect {ends})."
            )
            if self.probability_zero < 1:
                share = percent(1 - self.probability_zero)
                said.append(f"In {share} of the plausible graphs it is.")
        else:
            raises = "lowers" if self.value < 0 else "raises"
            of_what = " of the change" if self.value < 0 else ""
            said.append(
                f"Raising {self.cause} by 1 {raises} {self.effect} by {short(abs(self.value))} "
                f"({interval}{of_what} {ends})."
            )
            needed = listed(self.adjustment, most=len(self.adjustment))
            said.append(f"Adjust for: {needed}." if needed else "There is nothing to adjust for.")
            if self.probability_zero > 0:
                said.append(
                    f"In {percent(self.probability_zero)} of the plausible graphs {self.effect} is "
                    f"not an effect of {self.cause}."
                )
        return [*said, *self._leeway()]

    def _leeway(self) -> list[str]:
        """Return what the open directions around the cause allow."""
        if self.over_class is None:
            return [
                f"{self.cause} has {plural(self.n_open, 'neighbour')} whose direction is open: too "
                "many to go through what that allows."
            ]
        low, high = self.over_class
        if low == high:
            return []
        return [f"Directions that are open allow {short(low)} to {short(high)}."]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
