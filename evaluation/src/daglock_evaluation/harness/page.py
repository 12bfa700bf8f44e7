"""Documents: a text in Markdown, and one page that needs no other file and no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from importlib import resources
from pathlib import Path
from string import Template

from daglock import __version__
from daglock._files import replacing
from daglock.errors import InvalidDataError


def fill(name: str, **fields: str) -> str:
    """Return a template with its fields filled in.

    Examples
    --------
    >>> "color-scheme" in fill("page.css")
    True
    """
    folder = resources.files("daglock_evaluation.harness") / "templates"
    return Template((folder / name).read_text(encoding="utf-8")).substitute(fields)


def page(name: str, title: str, **fields: str) -> str:
    """Return a page: a template of this name, in the style of all pages and its own."""
    body = fill(f"{name}.html", version=escape(__version__), **fields)
    style = fill("page.css") + fill(f"{name}.css")
    return fill("page.html", title=title, style=style, body=body)


def items(lines: Iterable[str]) -> str:
    """Return the items of a list."""
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def links(names: dict[str, str]) -> str:
    """Return links to the places of a page, by their names."""
    return "".join(f'<a href="#{escape(at)}">{escape(name)}</a>' for at, name in names.items())


def terms(pairs: Iterable[tuple[str, str]], between: str = "") -> str:
    """Return the body of a list of terms."""
    return between.join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in pairs)


def inline(svg: str, alt: str, caption: str = "") -> str:
    """Return a figure, from its SVG, inside a page."""
    data = b64encode(svg.encode()).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure><img alt="{escape(alt)}" src="data:image/svg+xml;base64,{data}">{below}</figure>'
    )


def write(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


def put_between(path: Path, begin: str, end: str, text: str) -> None:
    """Put a text into a document in place of what stands between two marks there."""
    before, mark, rest = path.read_text(encoding="utf-8").partition(begin)
    _, other, after = rest.partition(end)
    if not (mark and other):
        raise InvalidDataError(f"{path} has no place for this: {begin.strip()} and {end.strip()}.")
    write(path, "".join([before, begin, text, end, after]))
