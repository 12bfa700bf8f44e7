"""What `daglock learn` and `daglock demo` write of a fitted model, and read back.

graph.json holds everything for other programs, bootstrap.csv the frequencies of the replicates.
"""

from __future__ import annotations

import json
import platform
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock import __version__
from daglock._csv import csv_rows, csv_text
from daglock.cli.results import (
    BOOTSTRAP,
    EDGES,
    FORMAT,
    GRAPH,
    MODEL,
    PICTURE,
    REPORT,
    read_document,
)
from daglock.errors import InvalidDataError
from daglock.wording import Finding

if TYPE_CHECKING:
    from daglock.cli.claiming import Claim
    from daglock.confidence import Bootstrap, Confidence
    from daglock.confidence.edges import ClaimedEdge, Edge
    from daglock.estimator import DAGLock

VERSION = 2
_COLUMNS = ("first", "second", "forward", "backward", "undirected", "adjacent")


def make_document(
    model: DAGLock,
    *,
    confidence: Confidence | None = None,
    bootstrap: Bootstrap | None = None,
    arguments: Sequence[str] = (),
    file: str = "",
    title: str = "",
    notes: Sequence[str] = (),
    findings: Sequence[Finding] = (),
    complete: bool = True,
) -> dict[str, Any]:
    """Return everything about a fitted model that JSON can hold, except the covariance.

    Parameters
    ----------
    model : fitted.
    confidence : how sure everything is; without it nothing is said about that.
    bootstrap : the replicates that it rests on.
    arguments : of the command line that produced it.
    file : where the data came from.
    title : of the report.
    notes : what was assumed while reading it.
    findings : what detectors found in the table.
    complete : False where replicates are still to come.
    """
    import numpy as np

    from daglock.diagnostics.questions import about_questioned

    learned, names = model.learned_, model.names_
    edges = edge_list(model, confidence)
    certificate = learned.certificate
    # what is left of a category has no variance
    numbers = np.isfinite(model.deviations()).tolist()
    variances = {
        name: variance if number else None
        for name, variance, number in zip(
            names, learned.noise_variances.tolist(), numbers, strict=True
        )
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "complete": complete,
        "title": title,
        "nodes": list(names),
        "kinds": dict(model.kinds_),
        "levels": {
            name: list(found.levels)
            for name, found in zip(names, model._kinds, strict=True)
            if found.levels is not None
        },
        "left_out": dict(model.left_out_),
        "assumed": dict(model.assumed_),
        "edges": edges,
        "cpdag": _class(model),
        "order": [names[i] for i in learned.dag.order.tolist()],
        "status": learned.status.value,
        "message": learned.message,
        "cautions": list(learned.cautions),
        "set_aside": list(model.set_aside_),
        "scores": dict(model.scores_),
        "regimes": _regimes(model),
        "findings": [
            asdict(finding)
            for finding in (*findings, *about_questioned(model.diagnostics_.questioned))
        ],
        "confidence": None if confidence is None else _pairs(confidence),
        "opinions": None if confidence is None else _opinions(confidence),
        "opposed": []
        if confidence is None
        else [
            {"source": cause, "target": name, "arrow": arrow}
            for cause, name, arrow in confidence.opposed
        ],
        "noise": {
            "model": learned.noise,
            "variances": variances,
            "scores": dict(learned.scores),
        },
        "certificate": {
            "is_dag": certificate.is_dag,
            "locally_optimal": bool(certificate.locally_optimal),
            "window": int(certificate.window),
            "optimal": bool(certificate.optimal),
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap,
            "max_parents": int(certificate.max_parents),
            "score": float(certificate.score),
            "edge_cost": float(certificate.edge_cost),
            "kkt_residual": float(certificate.kkt_residual),
            "text": str(certificate),
        },
        "bootstrap": None
        if bootstrap is None
        else {
            "replicates": bootstrap.n,
            "usual": model.default_replicates,
            "stopped": bootstrap.stopped,
            "drawn_from": bootstrap.drawn_from,
        },
        "data": {
            "file": file,
            "rows": model.moments_.n_rows,
            "rows_left_out": model.n_dropped_,
            "missing_share": model.moments_.missing,
            "effective_rows": model.moments_.n,
            "columns": len(names),
            **({} if model.source_ is None else {"source": model.source_}),
            "hash": model.data_hash_,
            "notes": list(notes),
        },
        "settings": _settings(model),
        "command": command_line(arguments),
        "versions": _versions(),
    }


def _class(model: DAGLock) -> dict[str, list[list[str]]]:
    """Return the completed class of the graph: what is directed, and what is undirected."""
    marks, names = model.learned_.cpdag().tocoo(), model.names_
    edges = list(zip(*(part.tolist() for part in (marks.row, marks.col, marks.data)), strict=True))
    return {
        "directed": [[names[i], names[j]] for i, j, mark in edges if mark == 1],
        "undirected": [[names[i], names[j]] for i, j, mark in edges if mark == 2 and i < j],
    }


def edge_list(model: DAGLock, confidence: Confidence | None = None) -> list[dict[str, Any]]:
    """Return the edges, the boldest claims first, or without a confidence the strongest.

    ``strength`` is whether the weight is a strength, from 0 to 1, as it is where an end is a
    category. With a confidence they have the fields of `ClaimedEdge`.
    """
    from daglock.confidence.edges import boldest_first, claimed_edges

    edges: Sequence[Edge | ClaimedEdge] = sorted(
        model.named_edges(), key=lambda edge: -abs(edge.standardised_weight)
    )
    if confidence is not None:
        sure = confidence.of_edges(model.learned_.dag)
        edges = boldest_first(claimed_edges(model.named_edges(), sure))
    strong = model.strong_pairs()
    return [edge._asdict() | {"strength": edge[:2] in strong} for edge in edges]


def _regimes(model: DAGLock) -> dict[str, Any] | None:
    """Return what there is to know of regimes, with the changes where these were found."""
    summary = model.regimes_
    if summary is None:
        return None
    changes = model.found_changes() if summary.found else {}
    cells = zip(*(column.tolist() for column in changes.values()), strict=True)
    rows = [dict(zip(changes, row, strict=True)) for row in cells]
    return {**summary.to_dict(), "changes": rows}


def _pairs(confidence: Confidence) -> list[dict[str, Any]]:
    """Return how sure each pair is, also those that are not in the graph."""
    names, parts = confidence.names, ("link", "direction", "in_graph", "misfit", "hidden")
    pairs, claims = confidence.likelier(), confidence.claims
    determined = [False] * len(pairs.link) if pairs.determined is None else pairs.determined
    arrow = pairs.link * pairs.direction
    return [
        {"source": names[pairs.source[k]], "target": names[pairs.target[k]]}
        | {"claim": claims.claims[k], "because": claims.because[k], "arrow": float(arrow[k])}
        | {part: getattr(pairs, part)[k].item() for part in parts}
        | {"determined": bool(determined[k])}
        for k in (-arrow.round(9)).argsort(kind="stable").tolist()
    ]


def _opinions(confidence: Confidence) -> list[dict[str, Any]]:
    """Return what each kind of evidence says of each pair."""
    confidence, names = confidence.likelier(), confidence.names
    return [
        {
            "source": names[confidence.source[k]],
            "target": names[confidence.target[k]],
            "evidence": evidence,
            "direction": direction,
            "words": words,
        }
        for k in range(len(confidence.source))
        for evidence, direction, words in confidence.said(k)
    ]


def _settings(model: DAGLock) -> dict[str, Any]:
    """Return the parameters of the estimator that say something about the result."""
    shown = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in ("verbose", "n_jobs", "knowledge", "start")
    }
    to_dict = getattr(model.knowledge_, "to_dict", None)
    return {**shown, "knowledge": to_dict() if to_dict is not None else None}


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, so that it can be typed again."""
    return shlex.join(["daglock", *arguments]) if arguments else ""


def _versions() -> dict[str, str]:
    """Return what the result was made with."""
    found = {"daglock": __version__, "python": platform.python_version()}
    packages = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow")
    return found | {package: version(package) for package in packages}


def write_results(
    claim: Claim,
    model: DAGLock,
    document: dict[str, Any],
    *,
    confidence: Confidence | None = None,
    bootstrap: Bootstrap | None = None,
    more: dict[str, str] | None = None,
    keep_rows: bool = False,
) -> None:
    """Write a claimed folder, whole or not at all; ``more`` is text by the name of its file."""
    from daglock.report.html import write_report

    texts = {
        GRAPH: json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        EDGES: _edges_csv(model, confidence is not None),
        PICTURE: _picture(model, confidence),
        **(more or {}),
    }
    if bootstrap is not None:
        texts[BOOTSTRAP] = _frequencies(bootstrap)
    with claim.writing() as temporary:
        for name, text in texts.items():
            (temporary / name).write_bytes(text.encode())
        model.save(temporary / MODEL, keep_rows=keep_rows, assess=confidence is not None)
        write_report(
            model,
            temporary / REPORT,
            bootstrap=bootstrap,
            command=document["command"] or None,
            title=document["title"] or None,
            assess=confidence is not None,
            findings=read_findings(document),
        )


def read_findings(document: dict[str, Any]) -> list[Finding]:
    """Return the findings of a document."""
    return [
        Finding(**{**finding, "columns": tuple(finding["columns"])})
        for finding in document.get("findings", [])
    ]


def _edges_csv(model: DAGLock, assessed: bool) -> str:
    """Write a row for each edge; without confidence there are no columns about it."""
    from daglock.estimator import Edge
    from daglock.interop import convert
    from daglock.interop.tables import with_kinds

    if assessed:
        return convert(model, "csv")
    return csv_text(with_kinds(model, Edge._fields, model.named_edges()))


def _picture(model: DAGLock, confidence: Confidence | None) -> str:
    """Draw the graph with what is claimed of it."""
    from daglock.drawing.svg import svg_graph

    dag = model.learned_.dag
    sure = None if confidence is None else confidence.of_edges(dag)
    return svg_graph(
        model.standardised(),
        model.names_,
        None if sure is None else sure.claims,
        None if sure is None else sure.link,
        categories=model.categories(),
        unsigned=model.strengths(),
    )


def _frequencies(bootstrap: Bootstrap) -> str:
    """Write one row for each pair that was ever joined, the most frequent first."""
    rows: list[Sequence[object]] = [_COLUMNS]
    for k in sorted(range(len(bootstrap.first)), key=lambda k: -bootstrap.adjacent[k]):
        forward, backward = float(bootstrap.forward[k]), float(bootstrap.backward[k])
        adjacent = float(bootstrap.adjacent[k])
        # a difference of frequencies has digits that mean nothing
        undirected = round(adjacent - forward - backward, 12)
        ends = bootstrap.names[bootstrap.first[k]], bootstrap.names[bootstrap.second[k]]
        rows.append([*ends, forward, backward, undirected, adjacent])
    return csv_text(rows)


def read_bootstrap(folder: Path, model: DAGLock) -> Bootstrap | None:
    """Read the bootstrap that is in a folder of results, if there is one."""
    if not (folder / BOOTSTRAP).exists():
        return None
    import numpy as np

    from daglock.confidence.replicates import Bootstrap

    try:
        about = read_document(folder)["bootstrap"]
        head, *body = csv_rows((folder / BOOTSTRAP).read_bytes().decode())
        rows = [dict(zip(head, cells, strict=True)) for cells in body]
        place = {name: i for i, name in enumerate(model.names_)}
        first = np.array([place[row["first"]] for row in rows], dtype=np.intp)
        second = np.array([place[row["second"]] for row in rows], dtype=np.intp)
        by_pair = np.lexsort((second, first))
        shares = {
            part: np.array([float(row[part]) for row in rows])[by_pair]
            for part in ("forward", "backward", "adjacent")
        }
        return Bootstrap(
            n=int(about["replicates"]),
            names=model.names_,
            first=first[by_pair],
            second=second[by_pair],
            forward=shares["forward"],
            backward=shares["backward"],
            adjacent=shares["adjacent"],
            order=model.learned_.dag.order,
            library=None,
            drawn_from=str(about["drawn_from"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidDataError(
            f"The bootstrap in {str(folder)!r} does not belong to its graph: learn it again."
        ) from error
