"""The page: one self-contained HTML file, nothing from the network; what is not ours is escaped."""

from __future__ import annotations

import json
import platform
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from daglock import __version__
from daglock._files import replacing
from daglock.confidence.words import (
    NOT_ASSESSED,
    about_links,
    about_opposed,
    about_replicates,
    verdict,
)
from daglock.criteria import CRITERIA
from daglock.report import words
from daglock.report.payload import make_payload
from daglock.report.regimes import link_to_regimes, regimes_section
from daglock.report.trust import text, trust_section
from daglock.wording import Finding, plural

if TYPE_CHECKING:
    from daglock.confidence import Bootstrap, Confidence
    from daglock.diagnostics.baselines import Baseline
    from daglock.diagnostics.diagnosis import Diagnosis
    from daglock.diagnostics.joint import JointDiagnosis
    from daglock.estimator import DAGLock

# In the order in which they need each other.
SCRIPTS = (
    "base",
    "effects",
    "geometry",
    "view",
    "graph",
    "controls",
    "panel",
    "download",
    "trust",
    "table",
    "heatmap",
    "charts",
    "bootstrap",
    "start",
)
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
_LOAD = """\
model = load("results")  # the folder of `daglock learn`, or a file that model.save wrote
"""
_VERIFY = f"""\
from daglock import Moments, load
{_LOAD}\
print(model.certificate_.verify(Moments.from_data(X)))  # X is the table; True when all agrees"""
# Categories, ranks, regimes and gaps are no moments of the table as it is.
_VERIFY_KEPT = f"""\
from daglock import load
{_LOAD}\
print(model.certificate_.verify(model.moments_))  # True when all agrees"""


def write_report(
    model: DAGLock,
    path: str | Path,
    *,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
    title: str | None = None,
    assess: bool = True,
    findings: Sequence[Finding] = (),
) -> Path:
    """Write the report of a fitted model to a file, whole or not at all, and return its path.

    Parameters
    ----------
    model : a fitted DAGLock.
    path : file to write; an existing one is replaced.
    bootstrap : Bootstrap, optional
        Adds a section about the replicates.
    command : str, optional
        What produced the result; shown as it is.
    title : str, optional
    assess : whether to find out how far to trust the graph where the model does not know it yet;
        if not, nothing is claimed of any direction.
    findings : what detectors found in the table; see `daglock.diagnostics.detectors`.
    """
    page = render_report(
        model,
        bootstrap=bootstrap,
        command=command,
        title=title,
        assess=assess,
        findings=findings,
    )
    path = Path(path)
    with replacing(path) as file:
        file.write_text(page, encoding="utf-8", newline="\n")
    return path


def render_report(
    model: DAGLock,
    *,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
    title: str | None = None,
    assess: bool = True,
    findings: Sequence[Finding] = (),
) -> str:
    """Return the report of a fitted model as a page that needs nothing but a browser.

    The arguments are those of `write_report`. The same model gives the same bytes.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock
    >>> model = DAGLock(random_state=0).fit(np.random.default_rng(0).standard_normal((100, 3)))
    >>> "<title>A &lt;b&gt; C</title>" in render_report(model, title="A <b> C", assess=False)
    True
    """
    confidence = model._assessed() if assess else model._confidence
    script = _script()
    return Template(_template("report.html")).substitute(
        policy=_policy(script),
        version=text(__version__),
        title=text(title or f"Causal graph of {plural(model.moments_.d, 'variable')}"),
        style=_template("report.css"),
        facts=text(words.facts(model)),
        verdict=_verdict(model, confidence),
        graph_text=text(words.graph_text(model)),
        size=text(words.size_of_links(model)),
        heat_text=text(words.heat_text(model)),
        regimes=regimes_section(model.regimes_),
        regimes_link=link_to_regimes(model.regimes_),
        trust=trust_section(model, confidence, bootstrap, findings),
        edges_text=text(words.edges_text(model, confidence is not None)),
        summary="".join(f"<p>{text(said)}</p>" for said in words.summary(model)),
        trace_text="".join(f"<p>{text(said)}</p>" for said in words.trace_text(model)),
        bootstrap="" if bootstrap is None else _bootstrap(bootstrap),
        findings=_findings(_practice(model.diagnostics_)),
        theory=_findings(model.diagnostics_.theory())
        + _baseline_table(model.diagnostics_.baselines, model.moments_.n),
        certificate=_certificate(model),
        cite=_cite(command),
        data=embed(make_payload(model, confidence, bootstrap)),
        script=script,
    )


def _verdict(model: DAGLock, confidence: Confidence | None) -> str:
    """Return the line on what can be relied on, and what must be known before."""
    dag = model.learned_.dag
    if confidence is None:
        level, said = "warning", f"{plural(dag.n_edges, 'link')}. {NOT_ASSESSED}"
    else:
        sure = confidence.of_edges(dag)
        by = [edge.identified_by for edge in model.named_edges()]
        known = words.following(sure.claims, sure.because, by)
        said = verdict(sure.claims, sure.because, [*model.assumed_])
        parts = (said, known, about_links(sure.link), about_replicates(confidence))
        level, said = "note", " ".join(filter(None, parts))
    line = f'<p class="verdict {level}">{text(said)}</p>'
    opposed = [] if confidence is None else [about_opposed(confidence)]
    before = [text(warning) for warning in filter(None, [*opposed, *words.warnings(model)])]
    if len(before) == 1:
        return f'{line}<p class="verdict warning">{before[0]}</p>'
    items = "".join(f"<li>{warning}</li>" for warning in before)
    return line + (f'<ul class="verdict warning">{items}</ul>' if items else "")


def _bootstrap(bootstrap: Bootstrap) -> str:
    """Return the section that the script fills with bars."""
    section = Template(_template("bootstrap.html"))
    return section.substitute(words=text(words.bootstrap_text(bootstrap)))


def embed(payload: dict[str, Any]) -> str:
    r"""Return JSON that cannot end the element it stands in, whatever the names.

    Only ASCII, and ``<``, ``>`` and ``&`` as escapes.

    Examples
    --------
    >>> print(embed({"names": ["</script>", "a & b", "\u2028"]}))
    {"names":["\u003c/script\u003e","a \u0026 b","\u2028"]}
    """
    plain = json.dumps(payload, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _practice(diagnosis: Diagnosis | JointDiagnosis) -> list[Finding]:
    """Return what everybody should know of data and graph."""
    theory = diagnosis.theory()
    return [finding for finding in diagnosis.sentences() if finding not in theory]


def _findings(found: Sequence[Finding]) -> str:
    """Return findings, what needs thought first."""
    rank = {"warning": 0, "note": 1, "good": 2}
    labels = {"warning": "Think about it", "note": "Good to know", "good": "Fine"}
    boxes = "".join(
        f'<li class="box {text(finding.level)}"><h3><span class="hidden">'
        f"{labels[finding.level]}: </span>{text(finding.title)}</h3>"
        f"<p>{text(finding.text)}</p></li>"
        for finding in sorted(found, key=lambda finding: rank[finding.level])
    )
    return f'<ul class="findings">{boxes}</ul>'


def _points(difference: float) -> str:
    """Return a difference of scores; one that is rounding has no sign of its own."""
    return f"{round(difference, 1) + 0.0:+,.1f}"


def _baseline_table(baselines: Sequence[Baseline], n: int) -> str:
    """Return the learned graph beside those that need no search."""
    if not baselines:
        return ""
    best = baselines[0].score
    rows = "".join(
        f"<tr><td>{text(_BASELINES.get(graph.name, graph.name))}</td>"
        f'<td class="number">{graph.n_edges:,}</td>'
        f'<td class="number">{"–" if k == 0 else _points(n * (graph.score - best))}</td>'
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


def _certificate(model: DAGLock) -> str:
    """Return all that is claimed, and how to check it."""
    proof = model.learned_.certificate
    if proof.optimal:
        optimality = "Optimal", f"yes: {proof.statement}, {proof.shown_by}"
    else:
        reported = "yes" if proof.locally_optimal else "not shown"
        optimality = "Locally optimal, as the search reports", f"{reported}: {proof.statement}"
    kkt, gamma = words.scientific(proof.kkt_residual), model.learned_.ebic_gamma
    claims = [
        ("Acyclic", "yes, by the order below" if proof.is_dag else "NO"),
        ("Score per row", f"{proof.score:.6f}, lower is better ({CRITERIA[proof.noise].called})"),
        ("Price of an edge", f"{proof.edge_cost:.3g} per row (γ = {gamma:.3g})"),
        ("Weights", f"least squares; KKT residual {kkt}, zero up to rounding"),
        optimality,
    ]
    if not model.is_linear_:
        claims[3] = "Weights", "of the best fit, in closed form"
    kept = not model.is_linear_ or model.scores_ or model.regimes_ or model.moments_.missing
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
        f"<p>To verify it:</p><pre><code>{text(_VERIFY_KEPT if kept else _VERIFY)}"
        "</code></pre>"
    )


def _cite(command: str | None) -> str:
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


def _template(name: str) -> str:
    """Return a file that ships with the package."""
    return (resources.files("daglock.report") / "templates" / name).read_text(encoding="utf-8")


def _script() -> str:
    """Return all scripts as one, with names of its own."""
    parts = "\n".join(_template(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def _policy(script: str) -> str:
    """Return a policy under which this script runs and no other, and nothing can be loaded."""
    digest = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
