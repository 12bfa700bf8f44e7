"""The cases: a table, and what is done with it by command or in Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from daglock import DAGLock, Knowledge, Moments
from tests.golden.tables import (
    categorical,
    clinic,
    columns_of,
    in_regimes,
    levels,
    mixed,
    named,
    with_gaps,
)
from tests.table.workbooks import workbook


@dataclass(frozen=True)
class Case:
    """A table in a folder, and a command (``arguments``) or a fit in Python (``fit``)."""

    name: str
    write: Callable[[], None]
    arguments: tuple[str, ...] = ()
    fit: Callable[[], DAGLock] | None = None


def csv(frame: pd.DataFrame, **how: Any) -> Callable[[], None]:
    """Return what writes a frame as data.csv."""
    return lambda: frame.to_csv("data.csv", index=False, **how)


def text(content: str, file: str = "data.csv", encoding: str = "utf-8") -> Callable[[], None]:
    """Return what writes a file."""
    return binary(content.encode(encoding), file)


def binary(content: bytes, file: str) -> Callable[[], None]:
    """Return what writes a file of bytes."""

    def write() -> None:
        Path(file).write_bytes(content)

    return write


def learn(name: str, write: Callable[[], None], *arguments: str, data: str = "data.csv") -> Case:
    """Return a case of ``daglock learn``."""
    return Case(name, write, ("learn", data, *arguments))


def python(name: str, X: Any, model: DAGLock | None = None, **how: Any) -> Case:
    """Return a case of a fit; ``X`` may be a function that makes it."""
    made = model or DAGLock(random_state=0)
    return Case(name, lambda: None, fit=lambda: made.fit(X() if callable(X) else X, **how))


def numbers() -> Iterator[Case]:
    """Numbers alone."""
    for k, (d, n, edges) in enumerate([(3, 200, 2), (5, 300, 5), (8, 500, 10), (12, 400, 18)]):
        yield learn(f"gaussian {d}", csv(named(columns_of(k, d, n, edges))))
        yield learn(f"equal variances {d}", csv(named(columns_of(k, d, n, edges, equal=True))))
    for noise in ("uniform", "skewed", "heavy"):
        yield learn(f"{noise} noise", csv(named(columns_of(9, 7, 600, 9, noise=noise))))
        yield python(f"{noise} noise, array", columns_of(10, 6, 400, 8, noise=noise))
    for k in range(4):
        weak = columns_of(20 + k, 22, (150, 300, 600, 900)[k], 40, weights=(0.05, 0.5))
        yield learn(f"weak edges {k}", csv(named(weak)))
        few = columns_of(30 + k, 14, (12, 20, 40, 60)[k], 16)
        yield learn(f"few rows {k}", csv(named(few)))
    for d in (20, 25, 30):
        yield learn(f"searched {d}", csv(named(columns_of(40, d, 500, 2 * d))))
        yield python(
            f"searched {d}, equal", columns_of(41, d, 400, 2 * d, equal=True), DAGLock("equal")
        )
    X = columns_of(50, 6, 400, 8)
    yield learn("unequal asked for", csv(named(X)), "--noise", "unequal")
    yield learn("price asked for", csv(named(X)), "--ebic-gamma", "0.2")
    yield learn("no replicates", csv(named(X)), "--bootstrap", "0")
    yield learn("few replicates", csv(named(X)), "--bootstrap", "10")
    yield learn("another seed", csv(named(X)), "--seed", "7")
    yield learn("proof", csv(named(columns_of(51, 20, 300, 25))), "--prove", "60")
    yield learn("normal scores", csv(named(np.exp(X).round(6))), "--scores", "normal")
    yield learn("tails", csv(named(np.exp(1.5 * X).round(6))))
    yield learn("one column", csv(named(X[:, :1])))
    yield learn("two columns", csv(named(X[:, :2])))
    for start in ("continuous", "order"):
        model = DAGLock("unequal", start=start, random_state=1)
        yield python(f"start: {start}", columns_of(52, 21, 300, 40), model)
    outlier = X.copy()
    outlier[17] = 80.0
    yield learn("one row far away", csv(named(outlier)))
    yield learn("rounded", csv(named(X.round(0))))
    yield learn("copies", csv(named(np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]]).round(6))))
    both = named(np.column_stack([X, X[:, 0] + X[:, 3]]).round(6))
    yield learn("a sum, kept", csv(both), "--determined", "keep")
    yield learn("a column that does not vary", csv(named(X).assign(same=3.0)))
    near = np.column_stack([X, X[:, 0] + 1e-2 * columns_of(53, 2, 400, 0)[:, 0]])
    yield learn("near copies", csv(named(near.round(6))))
    yield learn("far from zero", csv(named((X + 1e6).round(4))))
    yield learn("scales", csv(named((X * np.array([1e-3, 1, 1e3, 1, 1e6, 1])).round(9))))
    walk = np.cumsum(columns_of(54, 4, 300, 2), axis=0).round(4)
    yield learn("a walk", csv(named(walk)))
    groups = columns_of(55, 5, 600, 4)
    groups[:200] += np.array([2.5, -2.5, 2.0, 0.0, 2.0])
    yield learn("two groups", csv(named(groups.round(6))))
    hidden = columns_of(56, 6, 2000, 6)
    common = columns_of(57, 2, 2000, 0)[:, 0]
    hidden[:, [1, 4]] += 1.5 * common[:, None]
    yield learn("a hidden cause", csv(named(hidden.round(6))))
    moments = Moments.from_data(X, names=list("abcdef"))
    yield Case("moments", lambda: None, fit=lambda: DAGLock(random_state=0).fit_moments(moments))
    yield learn("blocks of rows", csv(named(walk)), "--blocks", "10")
    yield learn("groups of rows", csv(named(X).assign(who=np.arange(400) // 4)), "--groups", "who")
    yield Case("check", csv(named(outlier)), ("check", "data.csv"))


def told() -> Iterator[Case]:
    """What is known."""
    X = named(columns_of(60, 7, 400, 9))
    yield learn("tiers", csv(X), "--tiers", "a,b < c < d,e,f,g")
    yield learn("first and last", csv(X), "--tiers", "a < * < g")
    known = {"required": [["a", "b"]], "forbidden": [["c", "*"]], "leaves": ["g"]}
    files = json.dumps(known)

    def write() -> None:
        csv(X)()
        Path("known.json").write_text(files)

    yield learn("a file of knowledge", write, "--knowledge", "known.json")
    known_python = Knowledge(tiers=[["a", "c"], ["e"]], roots=["b"])
    yield python("knowledge in Python", X, DAGLock(knowledge=known_python, random_state=0))
    many = named(columns_of(61, 22, 400, 40))
    yield learn("tiers, searched", csv(many), "--tiers", "a,b,c < d,e,f < *")
    weak = named(columns_of(62, 5, 150, 6, weights=(0.05, 0.3)))
    yield learn("weak links that are told", csv(weak), "--tiers", "a < b < c < d < e")
    yield learn("tiers beside categories", csv(mixed(63, 6, 400, 8)), "--tiers", "a < *")


def kinds() -> Iterator[Case]:
    """Categories, alone and beside numbers, and gaps."""
    for k, (d, n, edges) in enumerate([(3, 300, 2), (5, 500, 5), (8, 800, 9), (13, 600, 14)]):
        yield learn(f"categories {d}", csv(categorical(70 + k, d, n, edges)))
    for k, (d, n, edges) in enumerate([(4, 300, 4), (6, 400, 7), (9, 500, 12), (16, 400, 22)]):
        yield learn(f"mixed {d}", csv(mixed(80 + k, d, n, edges)))
    yield learn("mixed, thirds", csv(mixed(84, 9, 500, 12, every=3)))
    rare = categorical(71, 5, 500, 5)
    rare.loc[:3, "q0"] = "seldom"
    yield learn("a rare level", csv(rare))
    X = columns_of(72, 5, 400, 6)
    grades = named(X)
    grades["grade"] = levels(X[:, 0], [0.3, 0.7], ["low", "mid", "high"])
    order = {"grade": ["low", "mid", "high"]}
    yield python("grades", grades, DAGLock(columns=order, random_state=0))
    yield python("codes", named(X.round(0)), DAGLock(columns={"a": "categorical"}, random_state=0))
    yes = named((X > 0).astype(int))
    yield learn("yes and no", csv(yes))
    yield learn(
        "yes and no beside numbers", csv(pd.concat([named(X), yes.add_prefix("is_")], axis=1))
    )
    frame = named(columns_of(73, 7, 400, 9))
    for share in (0.02, 0.1, 0.3):
        gone = with_gaps(frame, 7, share)
        yield learn(f"gaps {share:g}", csv(gone))
    yield learn("gaps, rows dropped", csv(with_gaps(frame, 8, 0.05)), "--missing", "drop")
    yield learn("gaps refused", csv(with_gaps(frame, 8, 0.05)), "--missing", "refuse")
    yield learn("gaps and categories", csv(with_gaps(mixed(85, 7, 400, 9), 9, 0.05)))
    yield learn("gaps among categories", csv(with_gaps(categorical(74, 5, 600, 6), 9, 0.05)))
    twenty = with_gaps(named(columns_of(74, 20, 500, 30)), 10, 0.05)
    yield learn("gaps, searched", csv(twenty))
    patients = clinic(75, 400)
    yield learn("patients", csv(patients))
    yield learn("patients with gaps", csv(with_gaps(patients, 11, 0.04)), "--tiers", "age,sex < *")
    yield Case("check patients", csv(patients), ("check", "data.csv"))


def regimes() -> Iterator[Case]:
    """Batches, environments, experiments."""
    for kind in ("perfect", "imperfect", "shift"):
        frame = in_regimes(90, 6, 150, 8, [1, 3, 4], kind)
        targets = {f"on {frame.columns[t]}": [frame.columns[t]] for t in (1, 3, 4)}
        Xy = frame.drop(columns="batch")
        model = DAGLock(interventions=kind, random_state=0)
        yield python(f"targets, {kind}", Xy, model, regimes="regime", targets=targets)
        yield learn(f"regimes told, {kind}", csv(Xy), "--regime", "regime")
        yield python(f"targets found, {kind}", Xy, regimes="regime", targets="find")
    shifted = in_regimes(91, 6, 120, 7, [0, 2, 5], "none", shifts=2.0)
    yield learn("batches", csv(shifted.drop(columns="regime")), "--regime", "batch")
    yield learn("batches, not told", csv(shifted.drop(columns="regime")))
    frame = in_regimes(92, 8, 120, 12, [1, 2, 6]).drop(columns="batch")

    def write() -> None:
        csv(frame)()
        targets = "".join(f"on {frame.columns[t]}: {frame.columns[t]}\n" for t in (1, 2, 6))
        Path("targets.yaml").write_text(targets + "plain:\n")

    yield learn("targets in a file", write, "--regime", "regime", "--targets", "targets.yaml")
    wrong = {"on b": ["a"], "on c": ["c"], "on g": ["d"]}
    yield python("wrong targets", frame, regimes="regime", targets=wrong)
    big = in_regimes(93, 21, 100, 35, [3, 9]).drop(columns="batch")
    yield learn("regimes, searched", csv(big), "--regime", "regime")
    gone = with_gaps(frame.drop(columns="regime"), 12, 0.05).assign(regime=frame.regime)
    yield learn("regimes and gaps", csv(gone), "--regime", "regime")
    words = mixed(94, 5, 400, 6).assign(batch=np.repeat(["x", "y"], 200))
    yield learn("regimes and categories", csv(words), "--regime", "batch")


def curves() -> Iterator[Case]:
    """Effects that may be curves."""
    for k, (d, n, edges) in enumerate([(3, 150, 2), (4, 300, 4), (6, 300, 7)]):
        bent = named(columns_of(100 + k, d, n, edges, bend=0.8))
        yield learn(f"curves {d}", csv(bent), "--curved")
    yield learn("curves asked for of lines", csv(named(columns_of(103, 5, 300, 5))), "--curved")
    many = named(columns_of(104, 17, 250, 20, bend=0.7))
    yield python("curves, searched", many, DAGLock(curved=True, random_state=0))
    yield learn("curves, not asked for", csv(named(columns_of(105, 5, 500, 6, bend=0.8))))
    known = ("--curved", "--tiers", "a < *")
    yield learn("curves and tiers", csv(named(columns_of(106, 4, 250, 5, bend=0.8))), *known)


def sources() -> Iterator[Case]:
    """Data that are read in parts."""

    def folder(frame: pd.DataFrame, ending: str) -> Callable[[], None]:
        def write() -> None:
            Path("parts").mkdir()
            for k, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
                rows, file = frame.iloc[part], f"parts/{k}.{ending}"
                rows.to_parquet(file) if ending == "parquet" else rows.to_csv(file, index=False)

        return write

    plain = named(columns_of(110, 7, 900, 9))
    for ending in ("parquet", "csv"):
        yield learn(f"a folder of {ending}", folder(plain, ending), data="parts")
        yield learn(f"categories in {ending}", folder(mixed(111, 6, 600, 8), ending), data="parts")
        gone = with_gaps(plain, 13, 0.05)
        yield learn(f"gaps in {ending}", folder(gone, ending), data="parts")
    frame = in_regimes(112, 6, 200, 8, [1, 3]).drop(columns="batch")
    yield learn("regimes in parts", folder(frame, "parquet"), "--regime", "regime", data="parts")
    tiers = ("--tiers", "a < *")
    yield learn("tiers in parts", folder(plain, "parquet"), *tiers, data="parts/*.parquet")
    twenty = columns_of(113, 20, 900, 30)
    yield python("batches of arrays", lambda: iter(np.array_split(twenty, 4)))


def files() -> Iterator[Case]:
    """Files as they come."""
    frame = named(columns_of(120, 5, 300, 6), ["dose", "age", "pulse", "pain", "sleep"])
    body = frame.to_csv(index=False)
    yield learn("semicolons, decimal commas", csv(frame, sep=";", decimal=","))
    yield learn("tabs", csv(frame, sep="\t"))
    yield learn("no header", csv(frame, header=False))
    yield learn("an index column", lambda: frame.to_csv("data.csv"))
    yield learn("a byte order mark", text("\ufeff" + body))
    yield learn("latin letters", text(body.replace("age", "Größe"), encoding="latin-1"))
    yield learn("UTF-16", text(body, encoding="utf-16"))
    yield learn("comments above", text("# made by hand\n# twice\n" + body))
    yield learn("a line of units", text(body.replace("\n", "\nmg,years,1/min,0-10,h\n", 1)))
    yield learn("totals below", text(body + "\nTotal,,,,\n"))
    yield learn("blank lines", text(body.replace("\n", "\n\n", 40)))
    yield learn("quotes and spaces", csv(frame.rename(columns=lambda name: f' "{name}" x')))
    yield learn("Windows line ends", csv(frame, lineterminator="\r\n"))
    codes = frame.round(2)
    codes.loc[::17, "pain"] = -999
    yield learn("a missing code", csv(codes), "--na", "-999")
    yield learn("a missing code, not told", csv(codes))
    words = frame.round(3).astype(str)
    words.loc[::23, "sleep"] = "n/a"
    yield learn("words for gaps", csv(words))
    bounds = frame.abs().round(2).astype(str)
    bounds.loc[::11, "dose"] = "<0.1"
    yield learn("bounds", csv(bounds))
    yield learn("bounds as values", csv(bounds), "--censored", "bound")
    yield learn("a ragged line", text(body.replace("\n", "\n1,2,3\n", 1)))
    thousands = (frame * 1000).round(0).map(lambda x: f"{x:,.0f}".replace(",", "."))
    yield learn("thousands with points", csv(thousands, sep=";"))
    yield learn("the same name twice", text(body.replace("pulse", "dose", 1)))
    yield learn("some columns", csv(frame.assign(note="x")), "--columns", "dose,age,pain")
    yield learn("an ignored column", csv(frame), "--drop", "sleep")
    yield learn("packed", lambda: frame.to_csv("data.csv.gz", index=False), data="data.csv.gz")
    rows = [[*frame.columns], *frame.to_numpy().tolist()]
    yield learn("a sheet", binary(workbook({"answers": rows}), "data.xlsx"), data="data.xlsx")
    yield learn("Parquet", lambda: frame.to_parquet("data.parquet"), data="data.parquet")
    yield learn("Arrow", lambda: frame.to_feather("data.arrow"), data="data.arrow")
    yield learn("Stata", lambda: frame.to_stata("data.dta"), data="data.dta")

    def spss() -> None:
        import pyreadstat

        coded = frame.assign(sex=np.arange(len(frame)) % 2 + 1.0)
        labels = {"sex": {1.0: "female", 2.0: "male"}}
        pyreadstat.write_sav(coded, "data.sav", variable_value_labels=labels)

    yield learn("SPSS", spss, data="data.sav")

    def tetrad() -> None:
        S = np.cov(frame.to_numpy().T).round(8)
        lines = ["/Covariance", "300", " ".join(frame.columns)]
        lines += [" ".join(map(str, S[i, : i + 1].tolist())) for i in range(5)]
        Path("data.cov").write_text("\n".join(lines) + "\n")

    yield learn("a covariance", tetrad, data="data.cov")
    yield learn("no file", lambda: None, data="nowhere.csv")
    yield learn("an empty file", text(""))


def cases() -> list[Case]:
    """Return all cases; their names differ."""
    parts = (numbers, told, kinds, regimes, curves, sources, files)
    found = [case for part in parts for case in part()]
    assert len({case.name for case in found}) == len(found)
    return found
