"""graph.json: what was learned, for other programs."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from daglock import __version__
from daglock.cli.results import FORMAT

if TYPE_CHECKING:
    from daglock.bootstrap import Bootstrap
    from daglock.estimator import DAGLock

VERSION = 1


def make_document(
    model: DAGLock,
    *,
    bootstrap: Bootstrap | None = None,
    arguments: Sequence[str] = (),
    file: str = "",
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return everything about a fitted model that JSON can hold, except the covariance.

    Parameters
    ----------
    model : fitted.
    bootstrap : adds frequencies to the edges.
    arguments : of the command line that produced it.
    file : where the data came from.
    notes : what was assumed while reading it.
    """
    learned, names = model.learned_, model.names_
    edges = edge_list(model, bootstrap)
    certificate = learned.certificate
    return {
        "format": FORMAT,
        "version": VERSION,
        "nodes": list(names),
        "edges": edges,
        "cpdag": {
            "directed": [[e["source"], e["target"]] for e in edges if e["oriented"]],
            "undirected": [[e["source"], e["target"]] for e in edges if not e["oriented"]],
        },
        "order": [names[i] for i in learned.dag.order.tolist()],
        "status": learned.status.value,
        "message": learned.message,
        "cautions": list(learned.cautions),
        "set_aside": list(model.set_aside_),
        "noise": {
            "model": learned.noise,
            "variances": dict(zip(names, learned.noise_variances.tolist(), strict=True)),
            "scores": dict(learned.scores),
        },
        "certificate": {
            "is_dag": certificate.is_dag,
            "locally_optimal": bool(certificate.locally_optimal),
            "optimal": bool(certificate.optimal),
            "max_parents": int(certificate.max_parents),
            "score": float(certificate.score),
            "edge_cost": float(certificate.edge_cost),
            "kkt_residual": float(certificate.kkt_residual),
            "text": str(certificate),
        },
        "bootstrap": None
        if bootstrap is None
        else {"replicates": bootstrap.n, "drawn_from": bootstrap.drawn_from},
        "data": {
            "file": file,
            "rows": model.moments_.n,
            "rows_left_out": model.n_dropped_,
            "columns": len(names),
            "notes": list(notes),
        },
        "settings": settings(model),
        "command": command_line(arguments),
        "versions": versions(),
    }


def edge_list(model: DAGLock, bootstrap: Bootstrap | None = None) -> list[dict[str, Any]]:
    """Return the edges, those with the largest standardised weight first.

    With a bootstrap, ``frequency`` is how often the edge was found as it is (in this direction if
    it is oriented, else in any) and ``frequency_of_any`` how often the two were joined at all.
    """
    learned, names = model.learned_, model.names_
    edges: list[dict[str, Any]] = [
        {
            "source": names[i],
            "target": names[j],
            "weight": weight,
            "standardised_weight": standardised,
            "oriented": oriented,
        }
        for i, j, weight, standardised, oriented in zip(
            learned.dag.source.tolist(),
            learned.dag.target.tolist(),
            learned.dag.weight.tolist(),
            model.standardised_weights().tolist(),
            learned.dag.oriented.tolist(),
            strict=True,
        )
    ]
    if bootstrap is not None:
        directed, joined = bootstrap.frequencies(learned.dag.source, learned.dag.target)
        for edge, here, either in zip(edges, directed.tolist(), joined.tolist(), strict=True):
            edge["frequency"] = here if edge["oriented"] else either
            edge["frequency_of_any"] = either
    return sorted(edges, key=lambda edge: -abs(edge["standardised_weight"]))


def settings(model: DAGLock) -> dict[str, Any]:
    """Return the parameters of the estimator that say something about the result."""
    shown = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if name not in ("verbose", "n_jobs", "knowledge", "start")
    }
    known = model.knowledge
    to_dict = getattr(known, "to_dict", None)
    return {**shown, "knowledge": to_dict() if to_dict is not None else None}


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, so that it can be typed again."""
    return shlex.join(["daglock", *arguments]) if arguments else ""


def versions() -> dict[str, str]:
    """Return what the result was made with."""
    found = {"daglock": __version__, "python": platform.python_version()}
    for package in ("numpy", "scipy", "numba", "scikit-learn", "pyarrow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
