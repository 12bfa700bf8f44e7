"""The report in a real browser: it opens, it answers, nothing gets in or out."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.keys import Keys

from daglock import DAGLock
from daglock.confidence import Bootstrap
from daglock.report import payload
from daglock.report.html import write_report
from daglock.table import Table
from daglock.typing import Array
from tests.report.conftest import HOSTILE, believe, fit, made_up_bootstrap, made_up_confidence
from tests.report.driver import Page, chromium

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def show(browser: WebDriver, tmp_path: Path) -> Iterator[Open]:
    """Write a report, open it, and in the end see that the console is clean."""
    opened: list[Page] = []

    def open_report(
        model: DAGLock, bootstrap: Bootstrap | None = None, *, assess: bool = True
    ) -> Page:
        file = write_report(
            model,
            tmp_path / "report.html",
            bootstrap=bootstrap,
            command="a test",
            title="A test of it",
            assess=assess,
        )
        opened.append(Page(browser, file))
        return opened[-1]

    yield open_report
    for page in opened:
        assert page.severe() == []
        assert set(page.requests()) <= {(tmp_path / "report.html").as_uri()}


def total_effects(model: DAGLock) -> Array:
    W = model.to_sparse().toarray()
    return np.linalg.inv(np.eye(len(W)) - W) - np.eye(len(W))


def ends(model: DAGLock, v: int, *, into: bool, claim: str = "directed") -> set[str]:
    near, far = ("target", "source") if into else ("source", "target")
    return {
        getattr(edge, far)
        for edge in model.claimed_edges()
        if getattr(edge, near) == model.names_[v] and edge.claim == claim
    }


def unfold(page: Page, part: str) -> None:
    page.run("document.getElementById(arguments[0]).open = true", part)


def test_it_opens_with_everything_in_its_place(show: Open, sachs: DAGLock) -> None:
    page = show(sachs, made_up_bootstrap(sachs))
    assert page.run("return document.documentElement.classList.contains('ready')")
    assert len(page.all(".node")) == 11
    assert len(page.edges()) == sachs.learned_.dag.n_edges
    assert [node.text for node in page.all(".node text")] == list(sachs.names_)
    assert page.run("return innerHeight") <= 900
    left, top, right, bottom = page.box(page.find("#picture"))
    for node in page.all(".node"):
        a, b, c, d = page.box(node)
        assert left < a < c < right
        assert top < b < d < bottom
    # above the fold: the line on what to believe, the picture and its legend
    for selector in (".verdict", ".stage", "#graph .legend"):
        box = page.box(page.find(selector))
        assert 0 <= box[1] < box[3] <= page.run("return innerHeight")
    assert bottom - top >= 380


def test_regimes_are_drawn(show: Open) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([f"{'a long name of a regime ' * (k % 3)}{k}" for k in range(40)], 20)
    names = tuple(f"{'a long name of a column ' * (j % 2)}{j}" for j in range(6))
    X = rng.normal(size=(800, 6)) + 3.0 * (labels == "0")[:, None]
    model = DAGLock(random_state=0).fit(Table(X, names), regimes=labels, targets={"0": names[:2]})
    page = show(model, assess=False)
    left, top, right, bottom = page.box(page.find(".shifts svg"))
    assert len(page.all(".shifts .cell")) == 240
    assert len(page.all(".shifts circle")) == 2
    for word in page.all(".shifts text"):
        a, b, c, d = page.box(word)
        assert left - 1 <= a < c <= right + 1
        assert top - 1 <= b < d <= bottom + 1
    page.browser.set_window_size(480, 900)
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    page.browser.set_window_size(1280, 900)


def test_the_appendix_opens(show: Open, sachs: DAGLock) -> None:
    page = show(sachs, made_up_bootstrap(sachs))
    for part in ("trace", "heatmap", "bootstrap", "certificate", "theory"):
        assert not page.run("return document.getElementById(arguments[0]).open", part)
    assert not page.find("#heat-canvas").is_displayed()
    page.click(page.find("#heatmap summary"))
    page.wait(lambda: page.find("#heat-canvas").size["height"] > 100)


def test_the_way_to_a_graph_is_drawn(show: Open, unequal: DAGLock) -> None:
    page = show(unequal)
    assert len(page.all("#charts svg.chart")) == 3
    assert len(page.all("#charts .mark")) == 2  # the identification stage, in both charts


def test_heads_and_lines_follow_the_claims(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    edges = sachs.claimed_edges()
    assert {"directed", "leaning", "open"} == {edge.claim for edge in edges}
    assert {True, False} == {edge.link < 0.5 for edge in edges}
    for e, edge in enumerate(edges):
        line = page.edge(e)
        sign = "positive" if edge.weight > 0 else "negative"
        heads = {"directed": f"url(#head-{sign})", "leaning": f"url(#hollow-{sign})", "open": None}
        assert line.get_dom_attribute("marker-end") == heads[edge.claim]
        classes = str(line.get_dom_attribute("class")).split()
        assert sign in classes
        assert ("doubtful" in classes) == (edge.link < 0.5)
        opacity = float(line.value_of_css_property("stroke-opacity"))
        assert opacity == pytest.approx(0.3 + 0.7 * edge.link, abs=0.01)
    fill = page.run("return getComputedStyle(document.querySelector('#hollow-positive path')).fill")
    assert fill == "rgb(255, 255, 255)"


def test_without_confidence_there_are_no_heads(show: Open) -> None:
    page = show(fit(6, 6), assess=False)
    assert page.edges()
    assert not page.all("#edge-layer [marker-end]")
    assert not page.find("#link-field").is_displayed()
    assert "reliable" not in page.find("#graph .legend").text
    heads = [head.text for head in page.all("#edge-table th")]
    assert [head.strip("↓ ") for head in heads] == ["Source", "Target", "Weight", "Standardised"]


def test_what_the_evidence_says_is_listed(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    edges, sure = sachs.claimed_edges(), made_up_confidence(sachs)
    rows = page.all("#said-table tbody tr")
    assert len(rows) == len(edges)
    order = {"directed": 0, "leaning": 1, "open": 2}
    shown = [edges[int(str(row.get_dom_attribute("data-edge")))] for row in rows]
    assert [order[edge.claim] for edge in shown] == sorted(order[edge.claim] for edge in edges)
    for row in rows:
        e = int(str(row.get_dom_attribute("data-edge")))
        assert f"{int(100 * edges[e].link + 1e-9)} %" in row.text
        for _, _, words in sure.said(e):
            assert words in row.text
    page.find("#said-search").send_keys("pkc")
    count = sum("PKC" in (edge.source, edge.target) for edge in edges)
    assert len(page.all("#said-table tbody tr")) == count


def test_lines_are_as_wide_as_the_standardised_weight(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    widths = [float(e.value_of_css_property("stroke-width")[:-2]) for e in page.edges()]
    size = np.minimum(1.0, np.abs(equal.standardised_weights()))
    assert widths == pytest.approx(1.2 + 3.8 * size, abs=0.01)


def test_hover_shows_the_weight(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    page.show(page.find("#picture"))
    # a point of an edge where nothing lies above it
    spots = []
    for e, line in enumerate(page.edges()):
        x, y = page.point_of(line, 0.4)
        top = page.run("return document.elementFromPoint(...arguments)", round(x), round(y))
        if top is not None and top.get_dom_attribute("data-edge") == str(e):
            spots.append((e, x, y))
    assert len(spots) > 3
    learned = equal.learned_
    for e, x, y in spots[:4]:
        page.point_at(x, y)
        text = page.find("#tooltip").text
        weight, standardised = (
            float(re.findall(rf"{word} ([+−][\d.]+)", text)[0].replace("−", "-"))
            for word in ("weight", "standardised")
        )
        assert weight == pytest.approx(learned.dag.weight[e], rel=5e-3, abs=1e-3)
        assert standardised == pytest.approx(equal.standardised_weights()[e], rel=5e-3, abs=1e-3)
        i, j = learned.dag.source[e], learned.dag.target[e]
        assert f"{equal.names_[i]} → {equal.names_[j]}" in text
        shares = [int(share) for share in re.findall(r"(\d+) %", text)]
        claimed = equal.claimed_edges()[e]
        sure = claimed.link, claimed.direction, claimed.arrow
        assert shares == pytest.approx([100 * value for value in sure], abs=1)
        assert f"arrow, {'reliable' if claimed.is_directed else claimed.claim}: " in text
    page.point_at(2, 2)
    assert not page.find("#tooltip").is_displayed()


@pytest.mark.parametrize("v", range(12))
def test_click_shows_parents_children_and_total_effects(show: Open, equal: DAGLock, v: int) -> None:
    page = show(equal)
    page.click(page.node(v))
    assert page.find("#panel h3").text == equal.names_[v]
    assert {name for name, *_ in page.panel("parents")} == ends(equal, v, into=True)
    assert {name for name, *_ in page.panel("children")} == ends(equal, v, into=False)
    T = total_effects(equal)
    deviation = np.sqrt(np.diag(equal.moments_.cov))
    for key, effects in (("effects-from", T[v]), ("effects-on", T[:, v])):
        shown = page.panel(key)
        # exactly those on a directed path
        assert {equal.names_.index(name) for name, *_ in shown} == set(np.flatnonzero(effects))
        for name, standardised, raw in shown:
            u = equal.names_.index(name)
            assert raw == pytest.approx(effects[u], rel=1e-9)
            scale = (
                deviation[v] / deviation[u]
                if key == "effects-from"
                else deviation[u] / deviation[v]
            )
            assert standardised == pytest.approx(effects[u] * scale, rel=1e-9)
        sizes = [abs(standardised) for _, standardised, _ in shown]
        assert sizes == sorted(sizes, reverse=True)


def test_what_is_not_claimed_is_neither_parent_nor_child(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    for v in range(11):
        page.dispatch(page.node(v), "click", "MouseEvent")
        assert {name for name, *_ in page.panel("parents")} == ends(sachs, v, into=True)
        assert {name for name, *_ in page.panel("children")} == ends(sachs, v, into=False)
        free = [ends(sachs, v, into=side, claim="open") for side in (True, False)]
        assert {name for name, *_ in page.panel("neighbours")} == free[0] | free[1]
        causes, effects = (ends(sachs, v, into=side, claim="leaning") for side in (True, False))
        expected = {f"⇠ {name}" for name in causes} | {f"⇢ {name}" for name in effects}
        assert {name for name, *_ in page.panel("leaning")} == expected
    assert "leaning or open, the effects are in doubt" in page.find("#panel").text


def test_a_name_in_the_panel_leads_to_that_variable(show: Open, equal: DAGLock) -> None:
    v = int(equal.learned_.dag.target[0])
    page = show(equal)
    page.click(page.node(v))
    link = page.find('#panel [data-list="parents"] button')
    name = link.text
    page.click(link)
    assert page.find("#panel h3").text == name
    page.click(page.find("#panel .close"))
    assert not page.find("#panel").is_displayed()


def test_search_finds_parts_of_names_and_centres(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    box = page.find("#search")
    box.send_keys("GENE 1")
    names = {node.get_dom_attribute("data-node") for node in page.all(".node.match")}
    assert names == {"1", "10", "11"}
    assert page.find("#search-count").text == "3 matches"
    frame, found = page.box(page.find("#picture")), page.box(page.node(1))
    assert frame[0] + frame[2] == pytest.approx(found[0] + found[2], abs=3)
    assert frame[1] + frame[3] == pytest.approx(found[1] + found[3], abs=3)
    box.send_keys(Keys.ENTER)
    assert page.find("#panel h3").text == "gene 1"
    box.send_keys(Keys.ENTER)
    assert page.find("#panel h3").text == "gene 10"
    box.clear()
    box.send_keys("nothing like this")
    assert page.find("#search-count").text == "no match"
    assert not page.all(".node.match")


def test_search_does_not_mind_capitals(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    page.find("#search").send_keys("pip")
    found = {int(str(node.get_dom_attribute("data-node"))) for node in page.all(".node.match")}
    assert {sachs.names_[v] for v in found} == {"PIP2", "PIP3"}


def test_drag_moves_a_node_and_its_edges_and_no_others(show: Open, equal: DAGLock) -> None:
    learned = equal.learned_
    v = int(np.bincount(learned.dag.target, minlength=12).argmax())
    page = show(equal)
    page.show(page.find("#picture"))
    paths = [line.get_dom_attribute("d") for line in page.edges()]
    before = page.box(page.node(v))
    page.drag((before[0] + before[2]) / 2, (before[1] + before[3]) / 2, 60, 25)
    after = page.box(page.node(v))
    assert after[0] - before[0] == pytest.approx(60, abs=2)
    assert after[1] - before[1] == pytest.approx(25, abs=2)
    assert not page.find("#panel").is_displayed()  # a drag is not a click
    changed = {e for e, line in enumerate(page.edges()) if line.get_dom_attribute("d") != paths[e]}
    assert changed == set(np.flatnonzero((learned.dag.source == v) | (learned.dag.target == v)))
    for e in np.flatnonzero(learned.dag.target == v):
        x, y = page.point_of(page.edge(int(e)), 1.0)
        left, top, right, bottom = page.box(page.node(v))
        assert left - 20 < x < right + 20  # an arrowhead away from the box
        assert top - 20 < y < bottom + 20
    page.click(page.node(v))
    page.show(page.find("#picture"))
    left, top, right, bottom = page.box(page.node(v))
    page.drag((left + right) / 2, (top + bottom) / 2, -30, 10)
    frame = page.box(page.find("#picture"))
    page.drag(frame[0] + 15, frame[1] + 15, 25, 10)
    assert page.find("#panel h3").text == equal.names_[v]  # neither takes the choice away


def test_zoom_and_pan(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    picture = page.find("#picture")

    def scale() -> float:
        return float(page.run("return document.getElementById('world').getCTM().a"))

    def left() -> float:
        return float(page.run("return document.getElementById('world').getCTM().e"))

    page.show(picture)
    first = scale()
    page.find("#zoom-in").click()
    assert scale() == pytest.approx(1.3 * first, rel=1e-3)
    page.find("#zoom-out").click()
    assert scale() == pytest.approx(first, rel=1e-3)
    page.dispatch(picture, "wheel", "WheelEvent", deltaY=-100)
    assert scale() == pytest.approx(first, rel=1e-3)  # the page scrolls until the graph has focus
    page.run("arguments[0].focus()", picture)
    page.dispatch(picture, "wheel", "WheelEvent", deltaY=-100)
    assert scale() > 1.1 * first
    page.press("0")
    assert scale() == pytest.approx(first, rel=1e-3)
    page.press("+")
    assert scale() > first
    page.press("-", "0")
    at = left()
    page.press(Keys.ARROW_RIGHT)
    assert left() == pytest.approx(at - 60, abs=1)
    page.find("#zoom-fit").click()
    assert left() == pytest.approx(at, abs=1)
    frame = page.box(picture)
    page.drag(frame[0] + 15, frame[1] + 15, 40, 10)
    assert left() == pytest.approx(at + 40, abs=2)


def test_keyboard(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    page.run("document.getElementById('picture').focus()")
    page.press(Keys.TAB)
    active = page.browser.switch_to.active_element
    assert active.get_dom_attribute("class") == "node"
    v = int(str(active.get_dom_attribute("data-node")))
    assert v == equal.learned_.dag.order[0]
    assert equal.names_[v] in str(active.get_dom_attribute("aria-label"))
    page.press(Keys.ENTER)
    assert page.find("#panel h3").text == equal.names_[v]
    assert active.get_dom_attribute("aria-pressed") == "true"
    page.press(Keys.ESCAPE)
    assert not page.find("#panel").is_displayed()
    assert page.browser.switch_to.active_element == active
    page.press(Keys.ARROW_DOWN)
    below = page.browser.switch_to.active_element
    assert below != active
    assert below.rect["y"] > active.rect["y"]
    page.press(Keys.ARROW_UP, Keys.SPACE)
    assert page.find("#panel").is_displayed()
    # one box is a tab stop, not two hundred
    assert len(page.all('.node[tabindex="0"]')) == 1


def test_filters_hide_edges_in_the_picture_only(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    size = np.abs(equal.standardised_weights())
    cut = float(np.round(np.median(size), 2))

    def slide(name: str, value: float) -> None:
        page.run("arguments[0].value = arguments[1]", page.find(name), value)
        page.dispatch(page.find(name), "input")

    slide("#weight-filter", cut)
    visible = [line.is_displayed() for line in page.edges()]
    assert visible == (size >= cut).tolist()
    assert page.find("#filter-count").text == f"{sum(visible)} of {len(size)} edges shown"
    assert len(page.all("#edge-table tbody tr")) == len(size)
    slide("#weight-filter", 0)
    slide("#link-filter", 0.6)
    visible = [line.is_displayed() for line in page.edges()]
    assert visible == [round(edge.link, 4) >= 0.6 for edge in equal.claimed_edges()]
    assert {True, False} == set(visible)
    assert "the graph has no threshold" in page.find("#graph-help").text


def test_edge_table_sorts_and_searches(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    learned, size = sachs.learned_, np.abs(sachs.standardised_weights())

    def rows() -> list[int]:
        return [
            int(str(r.get_dom_attribute("data-edge"))) for r in page.all("#edge-table tbody tr")
        ]

    arrow = np.array([edge.arrow for edge in sachs.claimed_edges()]).round(4)
    assert rows() == np.argsort(-arrow, kind="stable").tolist()
    page.click(page.find('th[data-key="standardised"] button'))
    assert rows() == np.argsort(-size, kind="stable").tolist()
    page.click(page.find('th[data-key="standardised"] button'))
    assert rows() == np.argsort(size, kind="stable").tolist()
    assert page.find('th[data-key="standardised"]').get_dom_attribute("aria-sort") == "ascending"
    page.click(page.find('th[data-key="weight"] button'))
    assert rows() == np.argsort(-np.abs(learned.dag.weight), kind="stable").tolist()
    page.click(page.find('th[data-key="source"] button'))
    names = [sachs.names_[learned.dag.source[e]].lower() for e in rows()]
    assert names == sorted(names)
    page.find("#edge-search").send_keys("pkc")
    ends = zip(learned.dag.source, learned.dag.target, strict=True)
    assert len(rows()) == sum("PKC" in (sachs.names_[i], sachs.names_[j]) for i, j in ends)
    cells = [row.text for row in page.all("#edge-table tbody tr")]
    edges = sachs.claimed_edges()
    for e, text in zip(rows(), cells, strict=True):
        assert edges[e].claim in text
        assert f"{int(100 * edges[e].direction + 1e-9)} %" in text


def test_csv_download_holds_the_edges(show: Open, hostile: DAGLock, tmp_path: Path) -> None:
    page = show(hostile)
    page.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    page.click(page.find("#csv-download"))
    file = tmp_path / "edges.csv"
    page.wait(lambda: file.exists() and file.stat().st_size > 0)
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    learned = hostile.learned_
    assert [float(row["weight"]) for row in rows] == learned.dag.weight.tolist()
    for row, i, j in zip(rows, learned.dag.source, learned.dag.target, strict=True):
        for end, v in (("source", i), ("target", j)):
            name = hostile.names_[v]
            # a formula for a spreadsheet is made text
            assert row[end] == (f"'{name}" if name.startswith("=") else name)
    for row, edge in zip(rows, hostile.claimed_edges(), strict=True):
        # as edges.csv has them
        assert list(row) == [*edge._fields, "source_kind", "target_kind"]
        assert row["source_kind"] == row["target_kind"] == "continuous"
        assert (row["claim"], row["identified_by"]) == (edge.claim, edge.identified_by)
        assert float(row["link"]) == pytest.approx(edge.link, abs=1e-4)


def test_the_picture_can_be_taken_home(show: Open, hostile: DAGLock, tmp_path: Path) -> None:
    page = show(hostile)
    page.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    hidden = hostile.learned_.dag.n_edges - 1
    page.run(
        "document.querySelector(`.edge[data-edge='${arguments[0]}']`).classList.add('filtered')",
        hidden,
    )
    page.click(page.node(0))  # what is dimmed on the page is not so in the file
    for ending in ("svg", "png"):
        page.click(page.find(f"#picture-{ending}"))
    files = {ending: tmp_path / f"A-test-of-it.{ending}" for ending in ("svg", "png")}
    page.wait(lambda: all(file.exists() and file.stat().st_size > 0 for file in files.values()))
    root = ET.fromstring(files["svg"].read_text(encoding="utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    assert len(list(root.iter(f"{svg}text"))) == len(HOSTILE)
    world = root.find(f"{svg}g")
    assert world is not None
    assert len(list(world.iter(f"{svg}path"))) == hidden
    assert not [element for element in root.iter() if element.tag == f"{svg}script"]
    assert all("opacity: 1;" in str(box.get("style")) for box in world.iter(f"{svg}rect"))
    assert all("stroke: rgb" in str(line.get("style")) for line in world.iter(f"{svg}path"))
    png = files["png"].read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[k : k + 4], "big") for k in (16, 20))
    assert (width, height) == (2 * int(root.get("width", "")), 2 * int(root.get("height", "")))


def test_hostile_names_are_text(show: Open, hostile: DAGLock) -> None:
    page = show(hostile, made_up_bootstrap(hostile))
    for v in range(len(HOSTILE)):
        page.dispatch(page.node(v), "click", "MouseEvent")
        seen = page.run("return document.querySelector('#panel h3').textContent")
        expected = re.sub("[\r\n\u2028\u2029]+", "↵", HOSTILE[v]).replace("\t", " ")
        assert seen == (expected or "(no name)")
        assert page.node(v).find_element("css selector", "text").text != ""
    box = page.find("#search")
    box.send_keys("</script><script>")
    assert len(page.all(".node.match")) == 1
    box.send_keys(Keys.ENTER)
    page.point_at(640, 450)
    with pytest.raises(NoAlertPresentException):
        page.browser.switch_to.alert.accept()
    assert page.run("return window.hacked") is None
    assert len(page.all("script")) == 2
    assert len(page.all("img")) == 0
    # texts stay inside their boxes
    assert page.run(
        """return [...document.querySelectorAll(".node")].every((n) =>
          n.querySelector("text").getBBox().width <= n.querySelector("rect").getBBox().width)"""
    )


def test_no_other_script_can_run(show: Open, hostile: DAGLock) -> None:
    page = show(hostile)
    page.run(
        """const script = document.createElement("script"), box = document.createElement("div");
        script.textContent = "window.hacked = 5";
        document.body.append(script, box);
        box.innerHTML = "<img src=x onerror='window.hacked = 6'>";"""
    )
    page.wait(lambda: len(page.severe()) >= 1)  # the policy says so in the console
    assert page.run("return window.hacked") is None
    assert len(page.requests()) == 2  # the page, and the picture that was not let through


def test_heat_map_tells_edges_and_zeros(show: Open, equal: DAGLock) -> None:
    page = show(equal)
    unfold(page, "heatmap")
    page.wait(lambda: page.find("#heat-canvas").size["height"] > 100)
    canvas = page.find("#heat-canvas")
    page.show(canvas)
    learned = equal.learned_
    position = np.argsort(learned.dag.order)
    rect = page.run(
        "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width]", canvas
    )
    cell = 30.0  # twelve variables: the largest cell
    margin = rect[2] - 1 - 12 * cell
    W = equal.to_sparse().toarray()
    for i, j in ((learned.dag.source[0], learned.dag.target[0]), np.argwhere(W == 0)[5]):
        page.point_at(
            rect[0] + margin + cell * (position[j] + 0.5),
            rect[1] + margin + cell * (position[i] + 0.5),
        )
        text = page.find("#tooltip").text
        assert f"{equal.names_[i]} → {equal.names_[j]}" in text
        assert ("exactly zero" in text) == (W[i, j] == 0)


def test_heat_map_is_coloured_where_the_edges_are(show: Open, sachs: DAGLock) -> None:
    page = show(sachs)
    unfold(page, "heatmap")
    page.wait(lambda: page.find("#heat-canvas").size["height"] > 100)
    learned = sachs.learned_
    canvas = page.find("#heat-canvas")
    cell, d = 30.0, 11
    margin = canvas.size["width"] - 1 - d * cell
    colours = page.run(
        """const [canvas, cell, margin, d] = arguments;
        const context = canvas.getContext("2d"), scale = window.devicePixelRatio, rows = [];
        for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) { // aside of diagonal and dots
          const x = margin + cell * j + 24, y = margin + cell * i + 7;
          rows.push([...context.getImageData(x * scale, y * scale, 1, 1).data].join());
        }
        return rows""",
        canvas,
        cell,
        margin,
        d,
    )
    matrix = np.array(colours).reshape(d, d)
    position = np.argsort(learned.dag.order)
    coloured = matrix != matrix[d - 1, 0]  # below the diagonal there is never an edge
    expected = np.zeros((d, d), dtype=np.bool_)
    expected[position[learned.dag.source], position[learned.dag.target]] = True
    assert np.array_equal(coloured, expected)


def test_bootstrap_bars(show: Open, equal: DAGLock) -> None:
    bootstrap = made_up_bootstrap(equal)
    page = show(equal, bootstrap)
    rows = page.run(
        """return [...document.querySelectorAll("#pair-table tbody tr")].map((r) => [
          ...[...r.querySelectorAll("bdi")].map((b) => b.textContent),
          ...[...r.querySelectorAll(".share")].map((s) => parseFloat(s.style.width) / 100),
          ...[...r.querySelectorAll(".tick")].map((t) => t.textContent)])"""
    )
    assert len(rows) == len(bootstrap.first)
    directed, adjacency = bootstrap.directed(), bootstrap.adjacency()
    in_graph = equal.to_sparse().toarray() != 0
    agreed = {frozenset(edge) for edge in bootstrap.consensus().edges}
    for first, second, there, free, back, graph, consensus in rows:
        i, j = equal.names_.index(first), equal.names_.index(second)
        assert there == pytest.approx(directed[i, j], abs=1e-3)
        assert back == pytest.approx(directed[j, i], abs=1e-3)
        assert there + free + back == pytest.approx(adjacency[i, j], abs=1e-3)
        assert (graph == "yes") == (in_graph[i, j] or in_graph[j, i])
        assert (consensus == "yes") == (frozenset((first, second)) in agreed)
    unfold(page, "bootstrap")
    page.click(page.find("#pair-graph"))
    assert len(page.all("#pair-table tbody tr")) == in_graph.sum()


def test_two_hundred_nodes(show: Open, large: DAGLock) -> None:
    page = show(large)
    # one variable and what is near to it, until all are asked for
    assert 1 < len(page.all(".node")) < 60
    centre = int(str(page.find(".node.centre").get_dom_attribute("data-node")))
    dag = large.learned_.dag
    degree = np.bincount(np.concatenate([dag.source, dag.target]), minlength=200)
    assert degree[centre] == degree.max()
    assert page.find("#whole").text == "All 200 variables"
    page.click(page.find("#whole"))
    assert len(page.all(".node")) == 200
    assert page.find("#whole").text == "One variable"
    v = int(np.bincount(dag.source, minlength=200).argmax())
    page.click(page.node(v))
    assert page.find("#panel h3").text == large.names_[v]
    assert {name for name, *_ in page.panel("children")} == ends(large, v, into=False)
    T = total_effects(large)
    shown = {name: raw for name, _, raw in page.panel("effects-from")}
    assert shown == pytest.approx({large.names_[u]: T[v, u] for u in np.flatnonzero(T[v])})
    # letters that cannot be read are not drawn, and come back with the zoom
    assert "far" in str(page.find("#picture").get_dom_attribute("class"))
    text = page.find('.node[data-node="17"] text')
    assert text.value_of_css_property("display") == "none"
    page.find("#search").send_keys("x17")
    assert text.is_displayed()
    assert len(page.all("#edge-table tbody tr")) == 100
    page.click(page.find("#edge-more"))
    assert len(page.all("#edge-table tbody tr")) == large.learned_.dag.n_edges
    page.click(page.find("#whole"))  # back, with the chosen one in the middle
    assert len(page.all(".node")) < 100
    assert page.find(".node.centre").get_dom_attribute("data-node") == str(v)


def test_far_too_many_nodes_show_a_neighbourhood(
    show: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(payload, "MAX_DRAWN", 100)
    model = believe(fit(150, 200))
    page = show(model)
    assert not page.find("#whole").is_displayed()
    assert 0 < len(page.all(".node")) < 150
    learned = model.learned_
    v = int(np.bincount(learned.dag.target, minlength=150).argmax())
    page.find("#search").send_keys(model.names_[v], Keys.ENTER)
    assert page.find("#panel h3").text == model.names_[v]
    drawn = {int(str(node.get_dom_attribute("data-node"))) for node in page.all(".node")}
    near = set(learned.dag.source[learned.dag.target == v]) | set(
        learned.dag.target[learned.dag.source == v]
    )
    assert {v, *near} <= drawn
    for e, (i, j) in enumerate(zip(learned.dag.source, learned.dag.target, strict=True)):
        if {i, j} <= drawn:  # causes above effects
            assert page.edge(e).is_displayed()
            assert page.box(page.node(i))[1] < page.box(page.node(j))[1]
    parent = int(learned.dag.source[learned.dag.target == v][0])
    page.click(page.node(parent))
    assert page.find("#panel h3").text == model.names_[parent]
    boxes = [page.box(node) for node in page.all(".node")]
    for k, a in enumerate(boxes):  # no box on another
        assert not any(
            a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[:k]
        )


def test_dark_and_narrow(show: Open, sachs: DAGLock) -> None:
    page = show(sachs, made_up_bootstrap(sachs))
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(colour)
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        page.wait(lambda: page.run(colour) != light)
        page.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False},
        )
        page.wait(lambda: page.run("return innerWidth") == 400)
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        page.click(page.node(8))
        assert page.find("#panel").is_displayed()
        assert page.find("#panel").rect["y"] >= page.find("#picture").rect["y"] + 300  # below it
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_graph_without_edges(show: Open) -> None:
    X = np.random.default_rng(0).standard_normal((200, 4))
    page = show(DAGLock(random_state=0).fit(X))
    assert page.find(".verdict").text == "No links."
    assert len(page.all(".node")) == 4
    page.click(page.node(2))
    assert "It has no descendants." in page.find("#panel").text
    assert page.find("#edge-count").text == "0 edges"
