"""One page that needs no other file and no network: its style, its templates, its figures."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib import resources
from io import StringIO
from typing import TYPE_CHECKING

from daglock_evaluation.publish.figures import look

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def template(package: str, name: str) -> str:
    """Read a file from the templates of a package.

    Examples
    --------
    >>> "color-scheme" in template("daglock_evaluation.publish", "page.css")
    True
    """
    folder = resources.files(package) / "templates"
    return (folder / name).read_text(encoding="utf-8")


def style(package: str, name: str) -> str:
    """Return the style of all pages with what one page adds."""
    return template("daglock_evaluation.publish", "page.css") + template(package, name)


def svg(figure: Figure) -> str:
    """Return a figure as SVG, with the same text for the same figure."""
    drawn = StringIO()
    with look():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def inline(text: str, alt: str, caption: str = "") -> str:
    """Return a figure, from its SVG, inside a page."""
    data = b64encode(text.encode()).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">{below}</figure>'
    )
