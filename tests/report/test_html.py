"""The page as text: complete, escaped, under a policy that lets nothing in or out."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import yaml

from daglock import DAGLock, Knowledge, __version__
from daglock.confidence.words import NOT_ASSESSED, SIGNS, about_fit, verdict, what_would_help
from daglock.errors import ConvergenceWarning
from daglock.report import html
from daglock.report.html import embed, render_report, write_report
from daglock.simulate import erdos_renyi, linear_sem
from tests.report.conftest import HOSTILE, believe, fit, made_up_bootstrap, made_up_confidence

ROOT = Path(__file__).parents[2]


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.text = ""
        self._inside: tuple[str, dict[str, str | None]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is None:
            self.text += data
        else:
            self.raw.append((*self._inside, data))

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def test_nothing_is_loaded_and_only_this_script_runs(sachs: DAGLock) -> None:
    page = Page(render_report(sachs))
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "img", "base", "form")
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href"):
                assert value is not None
                assert value.startswith(("#", "data:,"))
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    script = next(text for tag, a, text in page.raw if tag == "script" and "type" not in a)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert "connect-src" not in policy


def test_the_script_never_makes_markup_of_data() -> None:
    folder = ROOT / "src" / "daglock" / "report" / "templates"
    for file in folder.glob("*.js"):
        code = file.read_text(encoding="utf-8")
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "DOMParser",
        ):
            assert word not in code, f"{word} in {file.name}"
    style = (folder / "report.css").read_text(encoding="utf-8")
    assert "url(" not in style
    assert "@import" not in style


def test_every_script_is_in_the_page() -> None:
    from daglock.report.html import SCRIPTS

    folder = ROOT / "src" / "daglock" / "report" / "templates"
    assert {file.stem for file in folder.glob("*.js")} == set(SCRIPTS)


def test_hostile_names_stay_data(hostile: DAGLock, sachs: DAGLock) -> None:
    plain = Page(render_report(believe(fit(len(HOSTILE), 18)), title="t", command="c"))
    page = Page(render_report(hostile, title=HOSTILE[0], command=HOSTILE[1]))
    # the same elements as with harmless names: nothing came in
    assert [tag for tag, _ in page.elements if tag in ("script", "img", "b")] == [
        tag for tag, _ in plain.elements if tag in ("script", "img", "b")
    ]
    data = next(text for tag, a, text in page.raw if a.get("id") == "data")
    assert json.loads(data)["names"] == list(HOSTILE)
    assert not re.search("[<>&\u2028\u2029]", data)
    assert data.isascii()
    assert page.text.count(HOSTILE[0]) >= 3  # heading, links and order
    assert HOSTILE[1] in page.text


def test_embedding_survives_a_round_trip() -> None:
    value = {"names": [*HOSTILE, "\ud800", "\x00", "</SCRIPT ", "<!--"]}
    text = embed(value)
    assert json.loads(text) == value
    assert "<" not in text
    with pytest.raises(ValueError, match="JSON"):
        embed({"x": float("nan")})


def test_text_that_utf8_cannot_hold(tmp_path: Path) -> None:
    names = ("lone \ud800 surrogate", "b", "c")
    model = believe(fit(3, 2, names))
    path = write_report(model, tmp_path / "a.html", title="\udfff", command="\ud800")
    assert "lone" in path.read_text(encoding="utf-8")


def test_the_honest_line_stands_where_the_page_begins(sachs: DAGLock) -> None:
    page = Page(render_report(sachs))
    edges = sachs.claimed_edges()
    assert {"directed", "leaning", "open"} == {edge.claim for edge in edges}
    opening = page.text[: page.text.index("How far to trust it")]
    assert verdict(*zip(*((e.claim, e.because) for e in edges), strict=True)) in opening
    assert "853 rows, 11 columns" in opening
    for word in ("KKT", "λ", "score", "oriented"):  # what is for experts comes last
        assert word not in opening
    assert 'class="verdict note"' in render_report(sachs)


def test_the_appendix_is_closed_and_has_what_is_for_experts(sachs: DAGLock) -> None:
    page = render_report(sachs)
    appendix = page[page.index('id="appendix"') : page.index('id="cite"')]
    for part in ("trace", "heatmap", "certificate", "theory"):
        assert f'<details id="{part}"><summary>' in appendix
    text = Page(appendix).text
    assert f"{sachs.certificate_.score:.6f}" in text
    assert "KKT residual" in text
    assert sachs.message_ in text
    total, free = sachs.learned_.dag.n_edges, int((~sachs.learned_.dag.oriented).sum())
    assert free > 0
    assert (
        f"The model identifies {total - free} of their directions ({total - free} by class)" in text
    )
    assert "oriented" not in Page(page).text


def test_trust_in_plain_words(sachs: DAGLock) -> None:
    page = render_report(sachs)
    trust = Page(page[page.index('id="trust"') : page.index('id="edges"')])
    edges = sachs.claimed_edges()
    for edge in edges:
        assert f"{edge.source} {SIGNS[edge.claim]} {edge.target}" in trust.text
        assert f"{edge.target} {SIGNS[edge.claim]} {edge.source}" not in trust.text
    for line in what_would_help(sachs.learned_.dag, [e.is_settled for e in edges], sachs.names_, 5):
        assert line in trust.text
    sure = made_up_confidence(sachs)
    assert about_fit(sure) in trust.text
    absent = [sachs.names_[end[-1]] for end in (sure.source, sure.target)]
    assert f"{absent[0]} – {absent[1]} (42%)" in trust.text


def test_the_worst_links_are_drawn_where_there_are_rows(sachs: DAGLock, equal: DAGLock) -> None:
    assert render_report(sachs).count('class="chart fit"') == 2
    assert 'class="chart fit"' not in render_report(equal)  # from moments


def test_the_picture_of_a_curve_has_the_curve() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(800)
    X = np.column_stack([x, x + x**2 + rng.normal(0, 0.3, 800)])
    model = DAGLock(knowledge=Knowledge(roots=["x0"]), random_state=0).fit(X)
    model.assess(5)
    page = render_report(model)
    points = re.findall(r'<polyline class="(\w+)" points="([^"]*)"', page)
    heights = {
        name: [float(point.split(",")[1]) for point in path.split()] for name, path in points
    }
    assert len(heights["straight"]) == 2
    curve = np.array(heights["curve"])
    assert curve[10] < curve[35:45].max() > curve[-1]  # high at both ends: y grows downwards


def test_no_rows_no_word_on_whether_lines_fit() -> None:
    model = fit(4, 3)  # from moments
    model.assess(5)
    page = Page(render_report(model)).text
    assert "could not be looked at, because the rows were not there" in page


def test_without_confidence_nothing_is_claimed(equal: DAGLock) -> None:
    model = fit(12, 18)
    page = render_report(model, assess=False)
    assert model._confidence is None
    text = Page(page).text
    assert f"{model.learned_.dag.n_edges} links. {NOT_ASSESSED}" in text
    assert "Reliable arrows" not in text
    assert 'class="verdict warning"' in page


def test_what_is_shown_is_assessed() -> None:
    model = fit(4, 3)
    render_report(model)
    assert model._confidence is not None
    assert model._confidence.n_replicates == 100


def test_diagnosis_is_in_words(sachs: DAGLock) -> None:
    page = Page(render_report(sachs)).text
    for finding in sachs.diagnostics_.sentences():
        assert finding.title in page
        assert finding.text in page
    assert "sorted by variance, then regressed" in page
    empty = next(b for b in sachs.diagnostics_.baselines if b.name == "empty")
    assert f"{853 * (empty.score - sachs.diagnostics_.baselines[0].score):+,.1f}" in page


def test_certificate_and_how_to_verify_it(sachs: DAGLock) -> None:
    page = Page(render_report(sachs, command="daglock learn a.csv")).text
    order = "\u2192".join(f" {sachs.names_[v]} " for v in sachs.learned_.dag.order).strip()
    assert order in page
    assert "model.certificate_.verify(Moments.from_data(X))" in page
    assert "daglock learn a.csv" in page
    assert f"daglock {__version__}" in page
    assert f"NumPy {np.__version__}" in page


def test_the_lines_that_verify_do_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from daglock.report.html import _VERIFY

    X = np.random.default_rng(0).standard_normal((200, 3))
    DAGLock("equal").fit(X).save(tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    exec(_VERIFY, {"X": X})
    assert capsys.readouterr().out == "True\n"


def test_citation_is_that_of_the_repository(sachs: DAGLock) -> None:
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["preferred-citation"]
    assert cff["title"] == html.TITLE
    assert [(a["given-names"], a["family-names"]) for a in cff["authors"]] == list(html.AUTHORS)
    reference = f"Rui Wu and Yongjun Li. {cff['title']}."
    assert reference in Page(render_report(sachs)).text


def test_the_start_is_explained(sachs: DAGLock, unequal: DAGLock) -> None:
    assert "nothing had to be begun anywhere" in Page(render_report(sachs)).text
    assert "The continuous stage raised the price" in Page(render_report(unequal)).text
    many = believe(fit(20, 20))
    assert "so there was no continuous stage" in Page(render_report(many)).text


def test_bootstrap_section_only_when_there_is_one(equal: DAGLock) -> None:
    assert 'id="bootstrap"' not in render_report(equal)
    bootstrap = made_up_bootstrap(equal)
    page = Page(render_report(equal, bootstrap=bootstrap)).text
    assert "learned again 20 times" in page
    assert f"has the {bootstrap.consensus().number_of_edges()} pairs" in page


def test_a_graph_without_edges() -> None:
    X = np.random.default_rng(0).standard_normal((200, 4))
    page = Page(render_report(DAGLock(random_state=0).fit(X))).text
    assert "No links." in page
    assert "with 0 edges" in page
    assert "No column explains enough of another" in page


def test_knowledge_is_told_from_data() -> None:
    X = np.random.default_rng(0).standard_normal((500, 2))
    X[:, 1] += X[:, 0]
    model = DAGLock("unequal", knowledge=Knowledge(roots=["x1"]), random_state=0).fit(X)
    page = Page(render_report(model))
    assert (
        "The model, with your knowledge, identifies all of their directions (1 by knowledge)."
        in page.text
    )
    data = json.loads(next(text for tag, a, text in page.raw if a.get("id") == "data"))
    assert data["edges"]["identified_by"] == ["knowledge"]
    assert data["edges"]["said"][0][0][0] == "knowledge"
    assert "1 link: 1 arrow that you told." in page.text


def test_a_search_that_was_cut_short_says_so_first() -> None:
    X = np.asarray(linear_sem(erdos_renyi(30, 60, rng=0), 500, rng=1))
    with pytest.warns(ConvergenceWarning):
        model = DAGLock("unequal", time_limit=0, random_state=0).fit(X)
    page = render_report(believe(model))
    assert 'class="verdict warning">The time limit was reached' in page
    assert "moves were left to try" in page


def test_the_same_model_gives_the_same_bytes(sachs: DAGLock) -> None:
    assert render_report(sachs) == render_report(sachs)


def test_writing_is_whole_or_not_at_all(
    equal: DAGLock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_report(equal, tmp_path / "report.html")
    before = path.read_text(encoding="utf-8")
    assert path == tmp_path / "report.html"
    assert before == render_report(equal)

    def fail(*_: object, **__: object) -> int:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(equal, path)
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]
