"""What a case gave: values in three sections, graphs, claims and texts."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import daglock
from daglock import DAGLock
from daglock.cli import main
from tests.golden.cases import Case

SECTIONS = ("graphs", "claims", "texts")
# Numbers of these many digits are kept.
DIGITS = 12
_OUT = "out"
# What differs from machine to machine: versions of packages.
_VERSIONS = re.compile(r'(?<="versions": \{)[^}]*(?=\})|(?<=Versions: )[^<]*')
# What is zero up to rounding.
_ROUNDING = re.compile(r"(KKT\s+residual\s+|kkt_residual\": )\d+(?:\.\d+)?(?:e[-+−]\d+)?")
_LONG = re.compile(r"-?\d+\.\d{7,}(?:e[-+]?\d+)?|-?\d(?:\.\d+)?e[-+]?\d+")

Values = dict[str, Any]


def record(case: Case) -> dict[str, Values]:
    """Run a case in a folder of its own; return its values by section."""
    with _in_a_folder():
        case.write()
        return _python(case) if case.fit is not None else _command(case)


def _command(case: Case) -> dict[str, Values]:
    """Run a command; what it learned is read back."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        arguments = [*case.arguments]
        if arguments[0] == "learn":
            arguments += ["--out", _OUT]
        try:
            code = int(main(arguments))
        except SystemExit as end:  # argparse
            code = int(end.code or 0)
    texts = {"ended": str(code), "out": out.getvalue(), "err": err.getvalue()}
    if not Path(_OUT).exists():
        return {"texts": {name: _plain(text) for name, text in texts.items()}}
    for name in ("graph.json", "report.html", "edges.csv", "graph.svg"):
        texts[name] = Path(_OUT, name).read_text(encoding="utf-8")
    model = daglock.load(_OUT)
    has_claims = json.loads(texts["graph.json"])["confidence"] is not None
    return _values(model, texts, has_claims=has_claims)


def _python(case: Case) -> dict[str, Values]:
    """Fit a model; its warnings are texts too."""
    assert case.fit is not None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = case.fit()
    texts = {"warnings": "\n".join(str(one.message) for one in caught)}
    texts["summary"] = model.summary()
    texts["report.html"] = model.report("report.html").read_text(encoding="utf-8")
    return _values(model, texts, has_claims=True)


def _values(model: DAGLock, texts: dict[str, str], *, has_claims: bool) -> dict[str, Values]:
    """Return the values of a model."""
    found: dict[str, Values] = {"graphs": _graph(model)}
    if has_claims:
        found["claims"] = _claims(model)
    found["texts"] = {name: _plain(text) for name, text in texts.items()}
    return found


def _graph(model: DAGLock) -> Values:
    """Return what was learned."""
    edges, decisions, certificate = model.named_edges(), model.decisions_, model.certificate_
    marks = np.asarray(model.cpdag_)
    i, j = np.nonzero(marks)
    names = model.names_
    return {
        "edges": {f"{e.source} -> {e.target}": e.identified_by for e in edges},
        "weights": [_number(e.weight) for e in edges],
        "class": [f"{names[a]} {names[b]} {marks[a, b]}" for a, b in zip(i, j, strict=True)],
        "order": [names[v] for v in model.learned_.dag.order.tolist()],
        "noise": decisions.noise,
        "noise variances": [_number(v) for v in model.noise_variances_.tolist()],
        "gamma": _number(decisions.gamma),
        "penalty": _number(decisions.price),
        "score": _number(certificate.score),
        "status": model.status_.value,
        "kinds": dict(model.kinds_),
        "left out": dict(model.left_out_),
        "set aside": list(model.set_aside_),
        "by ranks": dict(model.scores_),
    }


def _claims(model: DAGLock) -> Values:
    """Return what may be believed of each pair."""
    sure = model._assessed()
    pairs, names, claims = sure.likelier(), sure.names, sure.claims
    return {
        f"{names[pairs.source[k]]} - {names[pairs.target[k]]}": [
            claims.claims[k],
            claims.because[k],
            bool(sure.in_graph[k]),
            _number(pairs.link[k], 9),
            _number(pairs.direction[k], 9),
        ]
        for k in range(len(pairs.link))
    }


def _number(value: float, digits: int = DIGITS) -> float | None:
    """Return a number with a few digits; None for one that is not finite."""
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def _plain(text: str) -> list[str]:
    """Return the lines of a text, without versions, long numbers with a few digits."""
    text = _ROUNDING.sub(r"\g<1>0", _VERSIONS.sub("", text))
    text = _LONG.sub(lambda found: repr(float(f"{float(found[0]):.9g}")), text)
    return text.split("\n")


@contextlib.contextmanager
def _in_a_folder() -> Iterator[None]:
    """Work in an empty folder, on a terminal of 80 columns."""
    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["COLUMNS"] = "80"
        try:
            yield
        finally:
            os.chdir(before)
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns
