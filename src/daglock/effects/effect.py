"""Effect: by how much one column changes when another is set higher, and how sure that is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from daglock._parameters import require_number
from daglock.effects.adjustment import minimal_adjustment, reach, turned_round
from daglock.effects.draws import CovarianceDraws, draw_effects
from daglock.effects.leeway import open_neighbours, over_open_directions
from daglock.effects.linear import slope
from daglock.effects.plausible import PlausibleGraphs
from daglock.graph import WeightedDAG
from daglock.typing import Seed
from daglock.wording import listed, percent, plural, short

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.knowledge import Masks


@dataclass(frozen=True, repr=False)
class Effect:
    """The total effect of one column on another: along all paths, other causes as they are.

    Attributes
    ----------
    cause, effect : names.
    value : by how much the effect changes when the cause is set one unit higher, in the graph that
        was found: the coefficient of the cause in a regression beside `adjustment`.
    low, high : an interval that has the doubt about rows, links and directions in it, and what
        there may be along links that are too weak to be found.
    level : how much of the draws lies in it.
    over_class : the least and the largest effect that the directions allow which are not claimed;
        None where the cause has too many such neighbours.
    n_open : neighbours of the cause whose direction is not claimed.
    adjustment : what to adjust for, with nothing that could be spared: a regression on the cause
        and these shows the effect. Empty where nothing is needed, None where the effect does not
        follow from the cause.
    probability_zero : share of the plausible graphs in which no path leads from the cause to the
        effect.
    n_draws : of rows and graphs.
    drawn_from : "rows", or "moments" if no covariances of resampled rows were kept: then rows are
        drawn as Gaussian.
    instead : where the cause is a category, the level that it is set to, and the one that it is
        compared with.
    of_level : where the effect is a category, the level whose share changes.
    scored : those of the two whose ranks (normal scores) stand for their values: their unit is a
        standard deviation of these.
    regimes : where the targets of regimes are known, how many regimes leave the effect and what
        lies between the two alone, and how many there are: the effect is that in the former.
    hidden : links on the way, "a – b", that causes outside the table would explain.

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
    instead: tuple[str, str] | None = None
    of_level: str | None = None
    scored: tuple[str, ...] = ()
    regimes: tuple[int, int] | None = None
    hidden: tuple[str, ...] = ()

    @classmethod
    def estimate(
        cls,
        cause: int,
        effect: int,
        dag: WeightedDAG,
        confidence: Confidence,
        knowledge: Masks,
        covariances: CovarianceDraws,
        *,
        level: float = 0.9,
        n: int = 200,
        rng: Seed = None,
        progress: bool | None = False,
    ) -> Effect:
        """Work it out for two columns of a graph that was found: see `DAGLock.effect`."""
        require_number("level", level, above=0, below=1)
        moments = covariances.moments
        graphs = PlausibleGraphs(confidence, knowledge, dag.order)
        draws = draw_effects(graphs, covariances, cause, effect, n=n, rng=rng, progress=progress)
        given = minimal_adjustment([P.tolist() for P in dag.parents], cause, effect)
        value = 0.0 if given is None else slope(moments.cov, cause, effect, given)
        claimed = confidence.of_edges(dag).settled
        low, high = draws.interval(level)
        names = moments.labels
        return cls(
            cause=names[cause],
            effect=names[effect],
            value=value,
            low=low,
            high=high,
            level=level,
            over_class=over_open_directions(dag, claimed, moments.cov, cause, effect, value),
            n_open=len(open_neighbours(dag, claimed, cause)),
            adjustment=None if given is None else tuple(names[k] for k in given),
            probability_zero=draws.probability_zero,
            n_draws=len(draws.values),
            drawn_from=covariances.drawn_from,
            hidden=_explained(dag, confidence, cause, effect),
        )

    def in_words(
        self,
        scored: tuple[str, ...],
        cause: tuple[str, ...] | None,
        effect: tuple[str, ...] | None,
    ) -> Effect:
        """Return the same with the units that are ranks, and the names of two values."""
        instead = self.instead if cause is None else (cause[1], cause[0])
        of_level = self.of_level if effect is None else effect[1]
        return replace(self, scored=scored, instead=instead, of_level=of_level)

    def __str__(self) -> str:
        return " ".join(self.sentences())

    def __repr__(self) -> str:
        """One line for a person."""
        return (
            f"<Effect of {self.cause} on {self.effect}: {short(self.value)}, {self._interval()}, "
            f"none in {percent(self.probability_zero)} of the plausible graphs>"
        )

    def sentences(self) -> list[str]:
        """Return what there is to know, in plain words."""
        found = self._no_effect() if self.adjustment is None else self._effect(self.adjustment)
        more = self._leeway(), self._drawn(), self._hidden(), self._regimes(), self._units()
        return [*found, *chain.from_iterable(more)]

    def _effect(self, adjustment: tuple[str, ...]) -> list[str]:
        """Tell of the effect that the graph has."""
        down, doubt = self.value < 0, self._doubt()
        change = f"{'raising' if doubt else 'Raising'} {self.cause} by 1"
        if self.instead is not None:
            change = f"{self.cause} {self.instead[0]} instead of {self.instead[1]}"
        what = self.effect
        if self.of_level is not None:
            what = f"the share of {self.effect} {self.of_level}"
        said = [
            f"{'In the graph that was found ' if doubt else ''}{change} "
            f"{'lowers' if down else 'raises'} {what} by {short(abs(self.value))}{doubt} "
            f"({self._interval(' of the change' if down else '')}).",
            f"Adjust for: {', '.join(adjustment)}."
            if adjustment
            else "There is nothing to adjust for.",
        ]
        if self.probability_zero > 0:
            said.append(
                f"In {percent(self.probability_zero)} of the plausible graphs {self.effect} is not "
                f"an effect of {self.cause}."
            )
        return said

    def _doubt(self) -> str:
        """Return why the effect of the graph is not to be believed; nothing where it may be."""
        if self.probability_zero > 0.5:
            return ", but most plausible graphs have no such effect"
        if not self.low <= self.value <= self.high:
            return ", which is outside of what plausible graphs have"
        return ""

    def _no_effect(self) -> list[str]:
        """Tell that the graph has no such effect."""
        none = f"{self.effect} is not an effect of {self.cause}"
        if self.probability_zero == 1:
            said = f"{none}, neither in the graph that was found nor in any other that is plausible"
            if self.low == self.high == 0:
                return [f"{said}."]
            return [f"{said}.", *self._missed()]
        share = percent(1 - self.probability_zero)
        return [
            f"In the graph that was found, {none}.",
            f"In {share} of the plausible graphs it is ({self._interval(' over all of them')}).",
        ]

    def _missed(self) -> list[str]:
        """Say how large an effect may be along links that no graph has."""
        if self.low == self.high == 0:
            return []
        by = "" if self.instead is None else f" for {' instead of '.join(self.instead)}"
        on = "" if self.of_level is None else f" on the share of {self.effect} {self.of_level}"
        return [
            f"Links that are too weak to be found leave room for one of {short(self.low)} to "
            f"{short(self.high)}{by}{on} ({percent(self.level)} interval of a regression beside "
            f"the causes of {self.cause})."
        ]

    def _interval(self, of_what: str = "") -> str:
        """Write the interval."""
        return f"{percent(self.level)} interval{of_what} {short(self.low)} to {short(self.high)}"

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

    def _drawn(self) -> list[str]:
        """Say what the interval is where no rows were there to draw from."""
        shown = self.adjustment is not None or self.low != self.high or self.probability_zero < 1
        if self.drawn_from == "rows" or not shown:
            return []
        return [
            "The interval is drawn from the fitted model, a Gaussian with the covariance of the "
            "table, and may be far too narrow if the rows are not like that: give the table "
            "(--data; in Python X=) for that of its own rows."
        ]

    def _hidden(self) -> list[str]:
        """Say what may be behind links on the way."""
        if not self.hidden:
            return []
        return [
            f"Causes that are not in the table would explain {listed(self.hidden)} at a lower "
            "price: then this is no effect, or another one, whatever is adjusted for."
        ]

    def _regimes(self) -> list[str]:
        """Say which rows the effect is from, where some were experiments on it."""
        if self.regimes is None or self.regimes[0] == self.regimes[1]:
            return []
        alone, total = self.regimes
        if not alone:
            return [
                f"Every regime acts on {self.effect} or on what lies between: the effect is an "
                "average over them."
            ]
        leave = "leaves" if alone == 1 else "leave"
        return [
            f"From the rows of {alone} of {total} regimes, which {leave} {self.effect} and what "
            "lies between alone."
        ]

    def _units(self) -> list[str]:
        """Say where a unit is not that of the values."""
        if not self.scored:
            return []
        which = " and ".join(self.scored)
        return [f"Ranks stand for the values of {which}: 1 is a standard deviation of them."]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def _explained(
    dag: WeightedDAG, confidence: Confidence, cause: int, effect: int
) -> tuple[str, ...]:
    """Return links between the two, along the graph, that a hidden cause explains."""
    parents = [P.tolist() for P in dag.parents]
    between = reach([cause], turned_round(parents)) & reach([effect], parents)
    return tuple(
        f"{confidence.names[i]} – {confidence.names[j]}"
        for i, j, gain in zip(
            *(part.tolist() for part in (confidence.source, confidence.target, confidence.hidden)),
            strict=True,
        )
        if gain > 0 and {i, j} <= between
    )
