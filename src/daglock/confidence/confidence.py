"""Confidence: for each pair how sure a link is, how sure its direction, and what may be claimed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from daglock.confidence.calibration import SPEAKERS, Calibration, shipped
from daglock.confidence.evidence import Evidence
from daglock.confidence.opinions import OPINIONS
from daglock.graph import WeightedDAG
from daglock.table.frames import make_table
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural

# From these probabilities on, of an arrow that the graph has.
DIRECTED, LEANING = 0.9, 0.65
CLAIMS = ("open", "leaning", "directed")
# Why a claim is what it is: the direction was told, or a name says it; or it is known, and the link
# is not.
KNOWLEDGE, NAME, LINK = "knowledge", "name", "link"
# Where no direction that was learned is relied on none is surer than this.
NOT_RELIED_ON = 0.89
# Pairs that are not in the graph are listed from this probability of a link on.
LISTED = 0.1
# An opinion that says less than this is silent.
SILENT = 0.05
# Who speaks through the replicates.
_HAVE = {
    "class": "the equivalence class has",
    "regimes": "the experiments and the equivalence class have",
}


_HIDDEN = (
    "a common cause that is not in the table explains the link, or makes it unneeded, at a lower "
    "price than an arrow"
)


_DETERMINED = (
    "both are among columns that determine each other, as parts of a sum do: that alone may link "
    "them"
)


class EdgeClaims(NamedTuple):
    """What may be believed of each edge of a graph.

    Attributes
    ----------
    link : probability that the two are linked.
    direction : probability of source -> target, given that they are.
    claims : "directed", "leaning" or "open": by the arrow, link × direction.
    because : "knowledge" if the direction was told, "name" if the name of a column says it: then it
        is "directed" whatever the link; "link" if the direction has 0.9 and the arrow has not: if
        they are linked, source -> target.
    """

    link: Array
    direction: Array
    claims: tuple[str, ...]
    because: tuple[str, ...]

    @classmethod
    def of(
        cls, link: Array, direction: Array, told: BoolArray, named: BoolArray | None = None
    ) -> EdgeClaims:
        """Claim what the probabilities allow.

        Parameters
        ----------
        link, direction : probabilities.
        told : directions that knowledge has.
        named : those of them that a name alone says.
        """
        arrow = link * direction
        known = told & (direction > 0.5)
        level = np.where(known, 2, (arrow >= LEANING).astype(np.intp) + (arrow >= DIRECTED))
        weak = (level < 2) & (direction >= DIRECTED)
        source = KNOWLEDGE if named is None else np.where(named, NAME, KNOWLEDGE)
        because = np.where(known, source, np.where(weak, LINK, ""))
        claims = tuple(CLAIMS[k] for k in level.tolist())
        return cls(link, direction, claims, tuple(because.tolist()))

    @property
    def arrow(self) -> Array:
        """Probability of the arrow: that the two are linked, and source -> target."""
        return np.asarray(self.link * self.direction)

    @property
    def settled(self) -> BoolArray:
        """Whether the direction is claimed, if the two are linked."""
        pairs = zip(self.claims, self.because, strict=True)
        return np.array([claim == CLAIMS[2] or why == LINK for claim, why in pairs], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Confidence:
    """What may be believed of each pair.

    Attributes
    ----------
    names : of the columns.
    source, target : (m,) as the graph has them; of pairs that it does not link the likelier way.
    link : probability that the two are linked: that one acts on the other, not through others.
    direction : probability of source -> target, given that they are linked.
    in_graph : whether the graph links the two.
    misfit : how far the linear model is from explaining the pair, from 0 to 1.
    alone : (m, k) the probability of source -> target from each kind of evidence by itself.
    known : whether knowledge tells the direction.
    named : (m,) whether the name of a column alone tells it; None: nowhere.
    hidden : nats by which a cause that is not in the table explains the link better; 0 for none.
    identifies : what the replicates rest on: "class", "equal variances" or "regimes".
    n_replicates : how many there were.
    library : of the frames that are returned; None gives record arrays.
    dependent : whether directions are doubted because rows resemble their neighbours.
    smaller : share of the smaller of two groups that rows seem to be of, for which directions are
        doubted, too; 0 where none seem.
    determined : (m,) whether both are among columns that determine each other; None: nowhere.
    n_usual : replicates that a table of this size has by default.
    stopped : why there are fewer than were asked for: "time" or "interrupt"; else empty.
    opposed : arrows that the data would claim, and their probability, if the name of the column
        that they point to were not used.
    """

    names: tuple[str, ...]
    source: IntArray
    target: IntArray
    link: Array
    direction: Array
    in_graph: BoolArray
    misfit: Array
    alone: Array
    known: BoolArray
    hidden: Array
    identifies: str
    n_replicates: int
    library: str | None = None
    dependent: bool = False
    smaller: float = 0.0
    determined: BoolArray | None = None
    n_usual: int = 0
    stopped: str = ""
    named: BoolArray | None = None
    opposed: tuple[tuple[str, str, float], ...] = ()

    @classmethod
    def weigh(
        cls,
        evidence: Evidence,
        names: tuple[str, ...],
        identifies: str,
        n_replicates: int,
        library: str | None = None,
        calibration: Calibration | None = None,
    ) -> Confidence:
        """Turn evidence into probabilities; directions that contradict each other are not known.

        Pairs are turned as the graph has them, others as is likelier.
        """
        calibration = shipped() if calibration is None else calibration
        link = np.where(evidence.required, 1.0, calibration.links(evidence))
        forward = calibration.directions(evidence)
        if evidence.unreliable:
            bounded = np.clip(forward, 1.0 - NOT_RELIED_ON, NOT_RELIED_ON)
            forward = np.where(evidence.known == 0, bounded, forward)
        ahead = np.where(evidence.in_graph, evidence.arrow > 0, forward >= 0.5)
        source = np.where(ahead, evidence.first, evidence.second)
        target = np.where(ahead, evidence.second, evidence.first)
        alone = calibration.alone(evidence)
        kept = np.flatnonzero(evidence.in_graph | (link >= LISTED))
        kept = kept[np.lexsort((evidence.second[kept], evidence.first[kept], -link[kept].round(9)))]
        direction = np.where(ahead, forward, 1 - forward)
        direction = _without_cycles(source[kept], target[kept], direction[kept], len(names))
        return cls(
            names,
            source[kept],
            target[kept],
            link[kept],
            direction,
            evidence.in_graph[kept],
            evidence.misfit[kept],
            np.where(ahead[:, None], alone, 1 - alone)[kept],
            (evidence.known != 0)[kept],
            evidence.hidden[kept],
            identifies,
            n_replicates,
            library,
            evidence.dependent,
            evidence.smaller,
            None if evidence.determined is None else evidence.determined[kept],
            named=None if evidence.named is None else evidence.named[kept],
        )

    def __repr__(self) -> str:
        """One line for a person."""
        told = Counter(
            claim for claim, here in zip(self.claims.claims, self.in_graph, strict=True) if here
        )
        counts = ", ".join(f"{told[claim]} {claim}" for claim in reversed(CLAIMS))
        return (
            f"<Confidence: {plural(len(self.link), 'pair')}, {self.in_graph.sum()} of them in the "
            f"graph: {counts}; {plural(self.n_replicates, 'replicate')}>"
        )

    @property
    def claims(self) -> EdgeClaims:
        """What is claimed of each pair.

        Nothing is claimed of pairs that the graph does not link, nor against its arrows.
        """
        direction = np.where(self.in_graph, self.direction, 0.5)
        return EdgeClaims.of(self.link, direction, self.known, self.named)

    def table(self) -> Any:
        """One row for each pair: source, target, link, direction, arrow, claim, because, in_graph.

        Each is the likelier way round, the likeliest arrow first; nothing is claimed where the
        graph has it the other way.
        """
        pairs, claims = self.likelier(), self.claims
        ends = np.array(self.names, dtype=object) if self.library else np.arange(len(self.names))
        text = object if self.library else np.str_
        arrow = pairs.link * pairs.direction
        columns = {
            "source": ends[pairs.source],
            "target": ends[pairs.target],
            "link": pairs.link,
            "direction": pairs.direction,
            "arrow": arrow,
            "claim": np.array(claims.claims, dtype=text),
            "because": np.array(claims.because, dtype=text),
            "in_graph": self.in_graph,
        }
        likeliest = np.argsort(-arrow.round(9), kind="stable")
        return make_table(self.library, {name: c[likeliest] for name, c in columns.items()})

    def opinions(self) -> Any:
        """One row for each pair and kind of evidence that is not silent.

        Columns: source, target, evidence, direction (the probability of source -> target from
        this evidence alone) and words.
        """
        pairs = self.likelier()
        ends = np.array(self.names, dtype=object) if self.library else np.arange(len(self.names))
        rows = [
            (ends[pairs.source[k]], ends[pairs.target[k]], name, probability, words)
            for k in range(len(pairs.source))
            for name, probability, words in pairs.said(k)
        ]
        fields = ("source", "target", "evidence", "direction", "words")
        text = object if self.library else np.str_
        columns = {
            field: np.array([row[c] for row in rows], dtype=float if c == 3 else text)
            if c >= 2 or self.library
            else np.array([row[c] for row in rows], dtype=np.intp)
            for c, field in enumerate(fields)
        }
        return make_table(self.library, columns)

    def likelier(self) -> Confidence:
        """Return the same with each pair the likelier way round, not as the graph has it."""
        back = self.direction < 0.5
        return replace(
            self,
            source=np.where(back, self.target, self.source),
            target=np.where(back, self.source, self.target),
            direction=np.where(back, 1.0 - self.direction, self.direction),
            alone=np.where(back[:, None], 1.0 - self.alone, self.alone),
        )

    def said(self, k: int) -> list[tuple[str, float, str]]:
        """Return what each kind of evidence says of pair k: name, probability, words."""
        source, target = self.names[self.source[k]], self.names[self.target[k]]
        if self.named is not None and self.named[k]:
            return [(NAME, 1.0, f"{target} is no cause of {source}, as the name {source} says")]
        if self.known[k]:
            return [("knowledge", 1.0, f"{target} is no cause of {source}, as you said")]
        result = []
        if self.hidden[k] > 0:
            result.append(("hidden cause", 0.5, f"{source} — {target}: {_HIDDEN}"))
        if self.determined is not None and self.determined[k]:
            result.append(("determined", 0.5, f"{source} — {target}: {_DETERMINED}"))
        for name, value in zip(SPEAKERS, self.alone[k].tolist(), strict=True):
            if abs(value - 0.5) < SILENT:
                continue
            cause, effect = (source, target) if value > 0.5 else (target, source)
            words = _because(name, self.identifies).format(source=cause, target=effect)
            shown = self.identifies if name == "replicates" else name
            result.append((shown, value, f"{cause} → {effect}: {words}"))
        return result

    def of_edges(self, dag: WeightedDAG) -> EdgeClaims:
        """Return what may be believed of each edge, in the direction that the graph has.

        An edge whose other direction is the likelier one is claimed in neither: it is "open".
        """
        own, asked = (
            np.minimum(pairs.source, pairs.target) * dag.d + np.maximum(pairs.source, pairs.target)
            for pairs in (self, dag)
        )
        by_key = np.argsort(own)
        k = by_key[np.searchsorted(own[by_key], asked)]
        agrees = self.source[k] == dag.source
        direction = np.where(agrees, self.direction[k], 1 - self.direction[k])
        named = None if self.named is None else self.named[k]
        return EdgeClaims.of(self.link[k], direction, self.known[k], named)


def _because(speaker: str, identifies: str) -> str:
    """Return what a kind of evidence saw, in words."""
    if speaker == "replicates":
        has = _HAVE.get(identifies, f"{identifies} have")
        return f"so {has} it when the rows are drawn again"
    if speaker == "margin":
        return "turning the edge makes the fit worse by more than chance does"
    if speaker == "shape inside the class":
        return "of the graphs that fit as well, those with this edge have the less Gaussian noise"
    if speaker == "mechanisms in regimes":
        return "the other way round more would have to change between regimes"
    return next(opinion.because for opinion in OPINIONS if opinion.name == speaker)


def _without_cycles(source: IntArray, target: IntArray, direction: Array, d: int) -> Array:
    """Return the probabilities, 1/2 for a claim that closes a cycle with surer ones."""
    from networkx import DiGraph, has_path

    result = direction.copy()
    graph: DiGraph[int] = DiGraph()
    graph.add_nodes_from(range(d))
    claimed = np.flatnonzero(direction >= LEANING)
    for k in claimed[np.argsort(-direction[claimed], kind="stable")].tolist():
        i, j = int(source[k]), int(target[k])
        if has_path(graph, j, i):
            result[k] = 0.5
        else:
            graph.add_edge(i, j)
    return result
