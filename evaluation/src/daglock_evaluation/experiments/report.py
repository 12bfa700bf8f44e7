"""The report of the reproduction: one HTML page, one Markdown text, the figures beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from daglock._files import replacing
from daglock_evaluation.experiments import report_html, report_markdown
from daglock_evaluation.experiments.chapter import Chapter, load_chapters
from daglock_evaluation.experiments.registry import NAMES
from daglock_evaluation.publish.figures import save

PAGE, TEXT, IMAGES = "reproduction.html", "reproduction.md", Path("img") / "reproduction"


def write_report(
    folder: str | Path, docs: str | Path | None = None, *, names: Sequence[str] = NAMES
) -> list[Path]:
    """Assemble the report from the records in ``folder/records`` and return what was written.

    Parameters
    ----------
    folder : gets the page, which needs no other file, and below ``img/reproduction`` the figures.
    docs : gets the text and the figures that it shows; by default `folder`.
    names : the experiments, in their order.
    """
    folder = Path(folder)
    text_folder = folder if docs is None else Path(docs)
    chapters = load_chapters(folder, names)
    drawn = [draw(chapter, folder / IMAGES) for chapter in chapters]
    if docs is not None:
        for path in (path for paths in drawn for path in paths.values()):
            write(text_folder / IMAGES / path.name, path.read_text(encoding="utf-8"))
    text = report_markdown.render(chapters, [_links(paths) for paths in drawn])
    page = report_html.render(chapters, drawn)
    return [write(folder / PAGE, page), write(text_folder / TEXT, text)]


def write_chapter(chapter: Chapter, folder: Path) -> list[Path]:
    """Write the figures, tables and verdicts of one experiment, to look at as they come."""
    drawn = draw(chapter, folder / IMAGES)
    text = report_markdown.render_chapter(chapter, _links(drawn), level=1)
    return [write(folder / f"{chapter.experiment.name}.md", text), *drawn.values()]


def draw(chapter: Chapter, images: Path) -> dict[str, Path]:
    """Save the figures of a chapter and return where, by name."""
    found = {}
    for name, figure in chapter.figures().items():
        save(figure, images, name)
        found[name] = images / f"{name}.svg"
    return found


def write(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


def _links(drawn: Mapping[str, Path]) -> dict[str, str]:
    """Return the addresses of figures as the text has them."""
    return {name: (IMAGES / path.name).as_posix() for name, path in drawn.items()}
