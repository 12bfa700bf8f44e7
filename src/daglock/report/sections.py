"""The parts of the page that need no script. Everything that comes from outside is escaped."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import scipy

from daglock import __version__
from daglock.report.words import scientific

if TYPE_CHECKING:
    from daglock.diagnostics.baselines import Baseline
    from daglock.engine.certificate import Certificate
    from daglock.estimator import DAGLock
    from daglock.wording import Finding

_BASELINES = {
    "learned": "the learned graph",
    "empty": "empty graph",
    "variance": "sorted by variance, then regressed",
    "r2": "sorted by R², then regressed",
}
# Whom to cite: the content of CITATION.cff, which an installed package does not carry.
TITLE = (
    "Smooth, Sparse, and Stable: Finite-Time Exact Skeleton Recovery via Smoothed Proximal "
    "Gradients"
)
AUTHORS = (("Rui", "Wu"), ("Yongjun", "Li"))
_VERIFY = """\
from daglock import Moments, load
model = load("results")  # the folder of `daglock learn`, or a file that model.save wrote
print(model.certificate_.verify(Moments.from_data(X)))  # X is the table; True when all agrees"""


def text(value: object) -> str:
    """Return text that is safe anywhere in HTML, and that UTF-8 can hold."""
    return escape(str(value), quote=True).encode("utf-8", "replace").decode("utf-8")


def paragraphs(sentences: Iterable[str]) -> str:
    """Return sentences as paragraphs."""
    return "".join(f"<p>{text(sentence)}</p>" for sentence in sentences)


def tiles(model: DAGLock) -> str:
    """Return the figures at the top."""
    learned, moments = model.learned_, model.moments_
    oriented = int(learned.dag.oriented.sum())
    figures = [
        ("rows", f"{moments.n:,}"),
        ("columns", f"{moments.d:,}"),
        ("edges", f"{learned.dag.n_edges:,}"),
        ("oriented", f"{oriented:,} of {learned.dag.n_edges:,}"),
        ("noise variances", learned.noise),
        ("status", learned.status.value.replace("_", " ")),
    ]
    return "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in figures
    )


def diagnostics(findings: Sequence[Finding], baselines: Sequence[Baseline], n: int) -> str:
    """Return the diagnosis in words, what needs thought first, and the simple graphs beside it."""
    rank = {"warning": 0, "note": 1, "good": 2}
    labels = {"warning": "Think about it", "note": "Good to know", "good": "Fine"}
    boxes = "".join(
        f'<li class="box {text(finding.level)}"><h3><span class="hidden">'
        f"{labels[finding.level]}: </span>{text(finding.title)}</h3>"
        f"<p>{text(finding.text)}</p></li>"
        for finding in sorted(findings, key=lambda finding: rank[finding.level])
    )
    return (
        '<section id="diagnostics" aria-labelledby="diagnostics-title">'
        '<h2 id="diagnostics-title">How far to trust it</h2>'
        f'<ul class="findings">{boxes}</ul>{_baseline_table(baselines, n)}</section>'
    )


def _baseline_table(baselines: Sequence[Baseline], n: int) -> str:
    """Return the learned graph beside those that need no search."""
    if not baselines:
        return ""
    best = baselines[0].score
    rows = "".join(
        f"<tr><td>{text(_BASELINES.get(graph.name, graph.name))}</td>"
        f'<td class="number">{graph.n_edges:,}</td>'
        f'<td class="number">{"–" if k == 0 else f"{n * (graph.score - best):+,.1f}"}</td>'
        f'<td class="number">{graph.log_likelihood:,.3f}</td>'
        f'<td class="number">{"–" if k == 0 else f"{graph.adjacencies:,}"}</td>'
        f'<td class="number">{"–" if k == 0 else f"{graph.directions:,}"}</td></tr>'
        for k, graph in enumerate(baselines)
    )
    heads = (
        "edges",
        "BIC points behind the learned graph",
        "log-likelihood per row",
        "edges shared",
        "same direction",
    )
    cells = "".join(f'<th scope="col" class="number">{head}</th>' for head in heads)
    return (
        "<h3>Beside graphs that need no search</h3>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Simple graphs"><table>'
        f'<thead><tr><th scope="col">graph</th>{cells}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def certificate(model: DAGLock) -> str:
    """Return all that is claimed, and how to check it."""
    proof = model.learned_.certificate
    claims = [
        ("Acyclic", "yes, by the order below" if proof.is_dag else "NO"),
        ("Score per row", f"{proof.score:.6f}, lower is better ({proof.noise} variances)"),
        (
            "Price of an edge",
            f"{proof.edge_cost:.3g} per row (γ = {model.learned_.ebic_gamma:.3g})",
        ),
        (
            "Weights",
            f"least squares; KKT residual {scientific(proof.kkt_residual)}, zero up to rounding",
        ),
        _optimality(proof),
    ]
    facts = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in claims)
    order = " &rarr; ".join(
        f"<bdi class='name'>{text(model.names_[v] or '(no name)')}</bdi>" for v in proof.order
    )
    return (
        "<p>A certificate states what is claimed of the graph. Anyone who has the table can "
        "recompute it without the search; what the search reports is not recomputed.</p>"
        f'<dl class="facts-list">{facts}</dl>'
        f"<details{' open' if len(proof.order) <= 30 else ''}><summary>Topological order of "
        f"{len(proof.order):,} variables</summary><p>{order}</p></details>"
        f"<p>To verify it:</p><pre><code>{text(_VERIFY)}</code></pre>"
    )


def _optimality(proof: Certificate) -> tuple[str, str]:
    """Say what the search can vouch for."""
    if proof.optimal:
        return "Optimal", f"yes: {proof.statement}, all were compared"
    reported = "yes" if proof.locally_optimal else "not shown"
    return "Locally optimal, as the search reports", f"{reported}: {proof.statement}"


def cite(command: str | None) -> str:
    """Return the reference, the command and the versions."""
    versions = [
        ("daglock", __version__),
        ("Python", platform.python_version()),
        ("NumPy", np.__version__),
        ("SciPy", scipy.__version__),
    ]
    made = f"<p>Made by:</p><pre><code>{text(command)}</code></pre>" if command else ""
    listed = ", ".join(f"{name} {text(version)}" for name, version in versions)
    reference = f"{' and '.join(' '.join(author) for author in AUTHORS)}. {TITLE}."
    authors = " and ".join(f"{family}, {given}" for given, family in AUTHORS)
    bibtex = f"@article{{wu_li_spg_ahoc,\n  title  = {{{TITLE}}},\n  author = {{{authors}}},\n}}"
    return (
        f"<p>If you use this graph, please cite the paper that the method comes from: "
        f"{text(reference)}</p>"
        f"<pre><code>{text(bibtex)}</code></pre>{made}<p>Versions: {listed}.</p>"
    )
