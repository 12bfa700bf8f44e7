"""What a person sees of a model: the text, the notebook, the picture, short lines for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from matplotlib.figure import Figure
from matplotlib.patches import BoxStyle, FancyBboxPatch, PathPatch, Polygon
from selenium.webdriver.chrome.webdriver import WebDriver

from daglock import DAGLock, Moments
from daglock.confidence.edges import boldest_first
from daglock.confidence.words import share
from daglock.drawing.picture import ZERO
from daglock.errors import DataWarning
from daglock.estimator import showing
from daglock.simulate import erdos_renyi, linear_sem
from tests.interop.models import claiming
from tests.report.conftest import HOSTILE
from tests.report.driver import Page, chromium
from tests.test_categories import counted_frame, mixed_frame


def made(d: int = 6, n_edges: int = 5, names: tuple[str, ...] | None = None) -> DAGLock:
    """A model of simulated rows whose claims go round: directed, leaning, open."""
    X = linear_sem(erdos_renyi(d, n_edges, rng=1), 500, rng=2)
    model = DAGLock("equal", n_restarts=0, random_state=0)
    if names is None:
        model.fit(pd.DataFrame(X, columns=[f"gene {k}" for k in range(d)]))
    else:  # a frame does not take every name
        model.fit_moments(Moments.from_data(X, names=names))
    return claim_in_turn(model)


def claim_in_turn(fitted: DAGLock) -> DAGLock:
    """Claim a direction, let the next one lean, leave the next one open, and so on."""
    return claiming(fitted, [(0.95, 0.8, 0.3)[k % 3] for k in range(fitted.learned_.dag.n_edges)])


class Seen(HTMLParser):
    """What a browser makes of a page: its tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


# --- text


def test_the_summary_says_what_can_be_relied_on() -> None:
    model = made()
    lines = model.summary().splitlines()
    assert lines[0] == "500 rows, 6 columns; the same noise variance for all variables"
    assert lines[1] == ("5 links: 2 reliable arrows, 2 leaning, 1 open.")
    assert lines[2] == "Certificate: acyclic by its order; no other DAG has a better score"
    assert re.split(r"\s{2,}", lines[4]) == [
        *("pair", "claim", "link", "direction", "arrow", "effect in sd")
    ]
    rows = {re.split(r"\s{2,}", line)[0]: re.split(r"\s{2,}", line)[1:] for line in lines[5:]}
    signs = {"directed": "→", "leaning": "⇢", "open": "—"}
    for edge in model.claimed_edges():
        row = rows[f"{edge.source} {signs[edge.claim]} {edge.target}"]
        shown = [] if edge.claim == "open" else [share(edge.direction), share(edge.arrow)]
        assert row == [edge.claim, share(edge.link), *shown, f"{edge.standardised_weight:+.2f}"]
    claims = [row[0] for row in rows.values()]
    assert claims == sorted(claims, key=["directed", "leaning", "open"].index)
    assert len({len(line) for line in lines[4:]}) == 1  # the last column is in line


def test_the_summary_asks_for_confidence() -> None:
    X = linear_sem(erdos_renyi(4, 4, rng=1), 300, rng=2)
    model = DAGLock("equal", random_state=0).fit(X)
    assert "links: " in model.summary()
    assert model._confidence is not None


def test_a_long_summary_is_cut_and_says_so() -> None:
    lines = made(30, 40).summary().splitlines()
    assert re.fullmatch(r"\.\.\. and \d+ other links: see edges_ and confidence_", lines[-1])
    assert len(lines) == 5 + showing.MOST + 1


def test_what_can_be_relied_on_is_not_cut() -> None:
    model = made(30, 40)
    relied = [edge for edge in model.claimed_edges() if edge.claim == "directed"]
    shown = "\n".join(model.summary().splitlines()[5:-1])
    assert all(f"{edge.source} → {edge.target} " in shown for edge in relied)


def test_the_summary_says_why_pairs_are_open() -> None:
    rng = np.random.default_rng(0)
    a, b, c, e = rng.normal(size=(4, 400))
    table = pd.DataFrame({"a": a, "b": b, "sum": a + b, "c": c + a + e, "d": c})
    with pytest.warns(DataWarning, match="sum is determined exactly by a, b"):
        model = DAGLock(random_state=0, determined="keep").fit(table)
    assert "among columns that determine each other" in model.summary()
    assert "among columns that determine each other" in model._repr_html_()


def test_a_summary_without_links() -> None:
    X = np.random.default_rng(0).standard_normal((200, 3))
    assert DAGLock().fit(X).summary().splitlines()[1:2] == ["No links."]


def test_rows_and_columns_that_were_left_out_are_told() -> None:
    X = linear_sem(erdos_renyi(4, 4, rng=1), 300, rng=2)
    table = pd.DataFrame(X, columns=list("abcd")).assign(e=X[:, 0] * 2)
    table.loc[0, "b"] = np.nan
    with pytest.warns(DataWarning) as caught:
        model = DAGLock("unequal", missing="drop", random_state=0).fit(table)
    assert len(caught) == 2
    (aside,) = model.set_aside_
    text = claim_in_turn(model).summary()
    assert text.startswith("299 rows (1 other with missing values left out), 5 columns")
    assert f"Set aside, because others determine them: {aside}" in text


def test_strengths_have_no_sign_and_are_explained() -> None:
    model = claim_in_turn(DAGLock(random_state=0).fit(mixed_frame(500)))
    lines = model.summary().splitlines()
    assert "a category as one yes/no column for each level but the first" in lines[0]
    head, *rows = lines[lines.index("") + 1 : -1]
    assert head.split()[-1] == "size"
    assert "without, where one end is a category, how strongly" in lines[-1]
    strong = model.strong_pairs()
    assert 0 < len(strong) < len(rows)
    for edge, row in zip(boldest_first(model.claimed_edges()), rows, strict=True):
        sign = "" if edge[:2] in strong else "+"
        assert row.split()[-1] == f"{edge.standardised_weight:{sign}.2f}"
    counted = claim_in_turn(DAGLock(random_state=0).fit(counted_frame(500)))
    lines = counted.summary().splitlines()
    assert "categories only" in lines[0]
    assert lines[lines.index("") + 1].split()[-1] == "strength"
    assert lines[-1].startswith("strength: how strongly")
    assert "+" not in counted.summary()
    for shown in (model, counted):
        page = Seen(shown._repr_html_())
        assert "how strongly the two depend on each other" in page.text
        assert {"nan", "None"}.isdisjoint(page.text.split())


def test_gaps_ranks_and_what_was_left_out_have_a_line_each() -> None:
    rng = np.random.default_rng(1)
    frame = mixed_frame(600)
    frame["cost"] = np.exp(2 * frame["dose"] + rng.normal(size=600))
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    frame["id"] = [f"p{k}" for k in range(600)]
    with pytest.warns(DataWarning):
        model = DAGLock(missing="model", random_state=0).fit(frame)
    for text in (claim_in_turn(model).summary(), Seen(model._repr_html_()).text):
        assert re.search(
            r"600 rows \(\d\.\d% of the cells missing: as good as 5\d\d complete", text
        )
        assert "Left out, as no variables: id (" in text
        assert "By ranks (normal scores) instead of values: cost (" in text


def test_pictures_mark_categories_and_what_has_no_sign() -> None:
    model = claim_in_turn(DAGLock(random_state=0).fit(mixed_frame(500)))
    picture = model._repr_html_()
    assert picture.count('rx="1"') == model.categories().sum() == 3
    assert picture.count('rx="8"') == 2
    lines = re.findall(r'fill="none" stroke="(#\w+)"', picture)
    assert [colour == ZERO for colour in lines] == model.strengths().tolist()
    assert lines.count(ZERO) == 2  # clinic and response, group and dose
    assert "square box: a category" in picture
    boxes = [patch for patch in model.plot().patches if isinstance(patch, FancyBboxPatch)]
    square = [isinstance(box.get_boxstyle(), BoxStyle.Square) for box in boxes]
    assert square == model.categories().tolist()
    assert 'rx="1"' not in made()._repr_html_()


def test_names_cannot_move_the_cursor() -> None:
    text = made(4, 4, ("\x1b[2J", "a\nb", "\u202ertl", "")).summary()
    assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    assert "(no name)" in text
    assert "a b" in text


# --- notebooks


def test_a_notebook_shows_picture_and_table() -> None:
    model = made()
    seen = Seen(model._repr_html_())
    tags = [tag for tag, _ in seen.tags]
    assert tags.count("svg") == tags.count("table") == 1
    assert tags.count("tr") == 1 + model.learned_.dag.n_edges
    assert "5 links: 2 reliable arrows" in seen.text
    for edge in model.claimed_edges():
        assert share(edge.link) in seen.text
    # nothing that could reach out of the cell or clash with another
    assert not {"script", "style", "link", "img", "iframe"} & set(tags)
    assert not any("id" in attributes for _, attributes in seen.tags)


def test_heads_in_the_notebook_follow_the_claims() -> None:
    model = made()
    paths = [attributes for tag, attributes in Seen(model._repr_html_()).tags if tag == "path"]
    lines = [path for path in paths if path["fill"] == "none"]
    hollow = [path for path in paths if path["fill"] == "#fff"]
    assert (len(lines), len(hollow), len(paths)) == (5, 2, 9)
    assert "hollow head" in model._repr_html_()


def test_a_large_model_does_not_keep_a_notebook_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "MOST_ASSESSED", 5)
    model = DAGLock("equal", n_restarts=0).fit(linear_sem(erdos_renyi(6, 5, rng=1), 500, rng=2))
    seen = Seen(model._repr_html_())
    assert model._confidence is None
    assert "5 links. How far to believe them was not computed" in seen.text
    assert sum(tag == "path" for tag, _ in seen.tags) == 5  # no heads: nothing is claimed
    assert "reliable" not in seen.text
    claim_in_turn(model)
    assert "5 links: 2 reliable arrows" in Seen(model._repr_html_()).text


def test_what_notebooks_ask_for_first() -> None:
    """IPython takes _repr_mimebundle_, which scikit-learn defines, before _repr_html_."""
    model = made()
    assert model._repr_mimebundle_()["text/html"] == model._repr_html_()
    assert model._repr_mimebundle_(include=None)["text/plain"] == repr(model)
    with sklearn.config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_before_the_fit_it_is_an_estimator_like_others() -> None:
    page = DAGLock(n_restarts=3)._repr_html_()
    assert "DAGLock" in page
    assert "sk-" in page


def test_hostile_names_stay_text() -> None:
    names = (*HOSTILE, "\ud800 half", "\x00\x1b")
    page = made(len(names), 18, names)._repr_html_()
    page.encode("utf-8")
    plain = Seen(made(len(names), 18)._repr_html_())
    hostile = Seen(page)
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    for (_, ours), (_, theirs) in zip(hostile.tags, plain.tags, strict=True):
        assert set(ours) == set(theirs)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


def opened(browser: WebDriver, model: DAGLock, folder: Path) -> Page:
    """Open an output cell that is 900 pixels wide, between others, as in a notebook."""
    file = folder / "cell.html"
    cell = f'<div id="cell" style="width:900px">{model._repr_html_()}</div>'
    page = f'<!doctype html><meta charset="utf-8"><p id="above">a</p>{cell}<p id="below">b</p>'
    file.write_text(page, encoding="utf-8")
    return Page(browser, file)


@pytest.mark.parametrize("d", [8, 50, 200])
@pytest.mark.browser
def test_in_a_browser_it_stays_in_its_cell_and_can_be_read(
    browser: WebDriver, tmp_path: Path, d: int
) -> None:
    page = opened(browser, made(d, d), tmp_path)
    left, top, right, bottom = page.box(page.find("#cell"))
    for part in ("#cell > div", "#cell > div > div", "table"):
        a, b, c, e = page.box(page.find(part))
        assert left <= a < c <= right + 1
        assert top <= b < e <= bottom + 1
    height = page.run("return document.querySelector('#cell > div > div').clientHeight")
    assert 100 < height <= 560
    assert page.box(page.find("#below"))[1] >= bottom
    # no name is smaller than this, however many there are; what does not fit is scrolled to
    sizes = page.run(
        "return [...document.querySelectorAll('#cell svg text')].map("
        "(t) => t.getBoundingClientRect().height)"
    )
    assert len(sizes) == d
    assert min(sizes) > 5
    assert page.severe() == []
    assert set(page.requests()) <= {page.address}


@pytest.mark.browser
def test_hostile_names_do_nothing_in_a_browser(browser: WebDriver, tmp_path: Path) -> None:
    page = opened(browser, made(len(HOSTILE), 18, HOSTILE), tmp_path)
    assert page.run("return window.hacked") is None
    assert page.run("return document.querySelectorAll('script, img').length") == 0
    assert page.find("#below").text == "b"
    assert page.severe() == []
    assert set(page.requests()) <= {page.address}


# --- the picture, the report, short lines


def test_plot_draws_the_claims() -> None:
    model = made()
    ax = model.plot(Figure().subplots())
    heads = [patch for patch in ax.patches if isinstance(patch, Polygon)]
    assert sum(type(patch) is PathPatch for patch in ax.patches) == 5
    hollow = [head.get_facecolor() == (1.0, 1.0, 1.0, 1.0) for head in heads]
    claims = [edge.claim for edge in model.claimed_edges() if edge.claim != "open"]
    assert hollow == [claim == "leaning" for claim in claims]


def test_report_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = made()
    path = model.report(tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert "gene 3" in path.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert model.report() == Path("report.html")
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (lambda m: m.learned_.dag, r"<WeightedDAG: 30 nodes, \d+ edges>"),
        (lambda m: m.certificate_, r"<Certificate: \d+ edges on 30 nodes: a DAG, .*>"),
        (lambda m: m.moments_, r"<Moments: 500 rows, 30 columns \('gene 0', .* and 26 more\)>"),
        (lambda m: m.learned_, r"<Learned: \d+ edges on 30 nodes, equal variances, score .*>"),
        (lambda m: m.trace_, r"<FitTrace: \d+ restarts of .*>"),
        (
            lambda m: m._confidence,
            r"<Confidence: (\d+) pairs, \1 of them in the graph: \d+ directed, \d+ leaning, "
            r"\d+ open; 100 replicates>",
        ),
        (
            lambda m: m.bootstrap(2, rng=0, progress=False),
            r"<Bootstrap: 2 replicates of the rows, \d+ pairs joined>",
        ),
    ],
)
def test_what_holds_arrays_is_shown_in_a_line(part: Any, expected: str) -> None:
    assert re.fullmatch(expected, repr(part(made(30, 35))))
