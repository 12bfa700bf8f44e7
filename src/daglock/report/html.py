"""One self-contained HTML file: text, data, style and script, nothing from the network."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from daglock import __version__
from daglock._files import replacing
from daglock.report import sections, words
from daglock.report.payload import make_payload
from daglock.report.sections import text

if TYPE_CHECKING:
    from daglock.bootstrap import Bootstrap
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
    "table",
    "heatmap",
    "charts",
    "bootstrap",
    "start",
)


def write_report(
    model: DAGLock,
    path: str | Path,
    *,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
    title: str | None = None,
) -> Path:
    """Write the report of a fitted model to a file, whole or not at all, and return its path.

    Parameters
    ----------
    model : a fitted DAGLock.
    path : file to write; an existing one is replaced.
    bootstrap : Bootstrap, optional
        Adds frequencies to the edges and a section of its own.
    command : str, optional
        What produced the result; shown as it is.
    title : str, optional
    """
    page = render_report(model, bootstrap=bootstrap, command=command, title=title)
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
) -> str:
    """Return the report of a fitted model as a page that needs nothing but a browser.

    The arguments are those of `write_report`. The same model gives the same bytes.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock
    >>> model = DAGLock(random_state=0).fit(np.random.default_rng(0).standard_normal((100, 3)))
    >>> "<title>A &lt;b&gt; C</title>" in render_report(model, title="A <b> C")
    True
    """
    learned = model.learned_
    payload = make_payload(model, bootstrap)
    level, line = words.certificate_line(learned)
    diagnosis = model.diagnostics_
    script = _script()
    return Template(_template("report.html")).substitute(
        policy=_policy(script),
        version=text(__version__),
        title=text(title or words.default_title(model)),
        style=_template("report.css"),
        summary=f"<p>{text(' '.join(words.summary(model)))}</p>",
        tiles=sections.tiles(model),
        level=level,
        mark="✓" if level == "good" else "!",
        certificate_line=text(line),
        bootstrap_link="" if bootstrap is None else '<a href="#bootstrap">Bootstrap</a>',
        diagnostics_link='<a href="#diagnostics">Diagnostics</a>',
        graph_text=text(words.graph_text(learned, payload["layout"]["x"] is not None)),
        edges_text=text(words.edges_text(learned)),
        dot="" if learned.dag.oriented.all() else "; a dot: direction not identified",
        trace_text=sections.paragraphs(words.trace_text(model)),
        bootstrap="" if bootstrap is None else _bootstrap(bootstrap),
        diagnostics=sections.diagnostics(
            diagnosis.sentences(), diagnosis.baselines, model.moments_.n
        ),
        certificate=sections.certificate(model),
        cite=sections.cite(command),
        footer=f"Made by daglock {text(__version__)}. This file is complete: it loads nothing.",
        data=embed(payload),
        script=script,
    )


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
