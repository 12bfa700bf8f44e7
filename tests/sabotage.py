"""Do the tests notice? Each line of `BREAKAGES` breaks one thing; ``python -m tests.sabotage``.

A copy of the sources is broken, one thing at a time, and the tests that stand beside it are run:
they must pass before, and fail after.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
# Seconds for the tests beside a breakage.
PATIENCE = 1800.0


class Breakage(NamedTuple):
    """What is broken: a text of a file that is there once, what takes its place, who shall see."""

    name: str
    file: str
    text: str
    broken: str
    tests: tuple[str, ...]


BREAKAGES = (
    Breakage(
        "what bends cost",
        "search/curves.py",
        "logs += spec.bend + np.log(product / max(work.left[i], COLLINEAR))",
        "logs += np.log(product / max(work.left[i], COLLINEAR))",
        ("tests/search/test_curves.py",),
    ),
    Breakage(
        "the ridge of bends",
        "curves.py",
        "found = k**SMOOTHNESS / (self.n * self.sharpness)",
        "found = k**2 / (self.n * self.sharpness)",
        ("tests/search/test_curves.py",),
    ),
    Breakage(
        "the shape of what lines leave",
        "estimator/curving.py",
        "return bool(score <= rival - 2.0 * _shapes(curves))",
        "return False",
        ("tests/test_curves.py",),
    ),
    Breakage(
        "restarts that go on where they are quick",
        "search/run.py",
        "return enough and settings.came_back(settings.quick * count, tried, returned)",
        "return enough",
        ("tests/search/test_run.py",),
    ),
    Breakage(
        "how often parents were chosen",
        "search/state.py",
        "    memo.used[2] += 1\n",
        "",
        ("tests/search/test_order.py",),
    ),
    Breakage(
        "links that hidden causes make unneeded",
        "confidence/hidden.py",
        "several = {p for Q, R in combinations(P, 2) for p in set(Q) & set(R)}",
        "several: set[int] = set()",
        ("tests/confidence/test_hidden.py",),
    ),
    Breakage(
        "directions of links that hidden causes explain",
        "confidence/calibration.py",
        "unheard = evidence.hidden > 0",
        "unheard = evidence.hidden < 0",
        ("tests/confidence/test_hidden.py",),
    ),
    Breakage(
        "directions among columns that determine each other",
        "confidence/calibration.py",
        "unheard |= evidence.determined",
        "pass",
        ("tests/confidence/test_determined.py",),
    ),
    Breakage(
        "sums of sums among columns that determine each other",
        "dependence/determined.py",
        "for group in self.groups:",
        "for group in (np.append(P, j) for j, P in self.by.items()):",
        ("tests/dependence/test_determined.py",),
    ),
    Breakage(
        "columns that determine each other in a saved model",
        "estimator/saving.py",
        'if "determined_pairs" in record:',
        "if False:",
        ("tests/confidence/test_determined.py",),
    ),
    Breakage(
        "the criteria of the columns that are searched",
        "engine/request.py",
        "criteria=_criteria(self.noise, moments, self.settings),",
        "criteria=self.criteria,",
        ("tests/test_decisions.py",),
    ),
    Breakage(
        "ranks that are held at a value",
        "estimator/fitted.py",
        "ranked = [names[i] for i in held if names[i] in self.scores_]",
        "ranked: list[str] = []",
        ("tests/table/test_scores.py",),
    ),
    Breakage(
        "rows drawn of ranks",
        "estimator/fitted.py",
        "self._warn_of_scores()\n        return make_rows",
        "return make_rows",
        ("tests/table/test_scores.py",),
    ),
    Breakage(
        "the means of rows far from zero",
        "estimator/again.py",
        "np.nanmean(rows - moments.means, axis=0)",
        "np.nanmean(rows, axis=0) - moments.means",
        ("tests/test_bootstrap.py",),
    ),
    Breakage(
        "how near the means of rows far from zero are",
        "estimator/again.py",
        "_ROUNDED = 10 *",
        "_ROUNDED = 1e6 *",
        ("tests/test_bootstrap.py",),
    ),
    Breakage(
        "what only another sort of fit has",
        "errors.py",
        "class NotThereError(InvalidParameterError, AttributeError):",
        "class NotThereError(InvalidParameterError):",
        ("tests/test_estimator.py",),
    ),
    Breakage(
        "effects along links that are missed",
        "effects/draws.py",
        "if is_absent and may_act and effect not in reach([cause], parents):",
        "if False:",
        ("tests/effects/test_effect.py",),
    ),
    Breakage(
        "effects on what comes before",
        "effects/draws.py",
        "may_act and effect not in reach([cause], parents)",
        "may_act",
        ("tests/effects/test_effect.py",),
    ),
    Breakage(
        "effects that knowledge rules out",
        "effects/draws.py",
        "if is_absent and may_act and",
        "if is_absent and",
        ("tests/effects/test_effect.py",),
    ),
    Breakage(
        "what follows from knowledge and not from the class",
        "engine/identified.py",
        'np.where(compelled, "class", beyond)',
        '"class"',
        ("tests/test_identified_by.py",),
    ),
    Breakage(
        "what follows from knowledge and not from shapes",
        "engine/walking.py",
        "for known in (told | is_sure, told)",
        "for known in (told | is_sure, told & False)",
        ("tests/test_identified_by.py",),
    ),
    Breakage(
        "the sign of the score",
        "criteria/criterion.py",
        "return float(np.sum(np.log(rss)))",
        "return float(-np.sum(np.log(rss)))",
        ("tests/criteria/test_score.py",),
    ),
    Breakage(
        "the mask of what is allowed",
        "search/all_sets.py",
        "may = others if allowed is None else power @ allowed & others",
        "may = others",
        ("tests/search/test_all_graphs.py",),
    ),
    Breakage(
        "the mask of a forbidden edge",
        "knowledge/named.py",
        "free &= ~forbidden",
        "free &= True",
        ("tests/knowledge/test_named.py",),
    ),
    Breakage(
        "the price of an edge",
        "criteria/price.py",
        "4.0 * gamma * np.log(d)) / n)",
        "4.0 * gamma * np.log(d)) / n / 2)",
        ("tests/criteria/test_score.py",),
    ),
    Breakage(
        "the acyclicity of a matrix",
        "graph/directed.py",
        "return not csr.diagonal().any() and _labels(csr)[0] == csr.shape[0]",
        "return not csr.diagonal().any()",
        ("tests/graph/test_graph.py",),
    ),
    Breakage(
        "the order that proves a DAG",
        "graph/weighted_dag.py",
        "self.position[self.source] < self.position[self.target]",
        "self.position[self.source] != self.position[self.target]",
        ("tests/graph/test_weighted_dag.py",),
    ),
    Breakage(
        "the escape of HTML",
        "report/trust.py",
        "escape(str(value), quote=True)",
        "str(value)",
        ("tests/report/test_html.py::test_hostile_names_stay_data",),
    ),
    Breakage(
        "the escape of a script's data",
        "report/html.py",
        '.replace("<", "\\\\u003c")',
        "",
        ("tests/report/test_html.py::test_hostile_names_stay_data",),
    ),
    Breakage(
        "the escape of a formula in CSV",
        "_csv.py",
        'return f"\'{text}" if _FORMULA.match(text) else text',
        "return text",
        ("tests/test_csv.py",),
    ),
    Breakage(
        "the exchange of two folders",
        "cli/claiming.py",
        "and not exchange(swap, self.folder)",
        "and not (shutil.rmtree(self.folder) or swap.rename(self.folder))",
        ("tests/cli/test_killed.py::test_killed_while_results_are_written",),
    ),
    Breakage(
        "the fingerprint of kept replicates",
        "confidence/checkpoint.py",
        "if lines and lines[0] == head:",
        "if lines:",
        ("tests/confidence/test_checkpoint.py",),
    ),
    Breakage(
        "the work of a worker that died",
        "confidence/workers.py",
        "alone, deaths = True, deaths + 1",
        "alone, deaths, done = True, deaths + 1, done + 1",
        ("tests/confidence/test_workers.py",),
    ),
    Breakage(
        "the shift between merged parts of a source",
        "moments/sums.py",
        "self.scatter += (self.n * (n / total) * shift)[:, None] * shift",
        "self.scatter += (0.0 * (n / total) * shift)[:, None] * shift",
        ("tests/sources/test_from_source.py",),
    ),
    Breakage(
        "digits of rows that are far from the first",
        "moments/sums.py",
        "return bool((mean**2 > _FAR**2 *",
        "return bool((mean**2 > 1e300 + _FAR**2 *",
        ("tests/sources/test_from_source.py",),
    ),
    Breakage(
        "the number of a row that is drawn again",
        "moments/redrawn.py",
        "begin = first[regime].get(batch.piece, 0) + done.get(place, 0)",
        "begin = done.get(place, 0)",
        ("tests/sources/test_weights.py",),
    ),
    Breakage(
        "columns that do not vary in a replicate",
        "engine/statistics.py",
        "columns = varying_columns(varying(rows, labels), like)",
        "columns = np.arange(like.d)",
        ("tests/test_bootstrap.py",),
    ),
    Breakage(
        "targets that do not vary where they are left alone",
        "regimes/regimes.py",
        "if self.changed is None or self.common:",
        "if True:",
        ("tests/test_bootstrap.py",),
    ),
    Breakage(
        "as how many rows a replicate without a column counts",
        "engine/statistics.py",
        "kept = counted_as(kept, effective_rows(there))",
        "pass",
        ("tests/test_bootstrap.py",),
    ),
    Breakage(
        "columns that do not vary in a replicate of a source",
        "estimator/stream.py",
        "regime: several | vary[first]",
        "regime: several | True",
        ("tests/sources/test_rare.py",),
    ),
    Breakage(
        "levels that no row has in a replicate of a source",
        "estimator/stream.py",
        "vary = (rows > 0.0) & (rows < count[:, first, None])",
        "vary = rows < np.inf",
        ("tests/sources/test_rare.py",),
    ),
    Breakage(
        "columns that do not vary in the draw of an effect",
        "confidence/resampled.py",
        "deviations, drawn = np.zeros(d), R.copy()",
        "deviations, drawn = deviation.copy(), R.copy()",
        ("tests/effects/test_effect.py",),
    ),
    Breakage(
        "levels of a cause that no row has",
        "effects/levels.py",
        "np.where((there & there[0])[1:, None], done[1:] - done[0], 0.0)",
        "(done[1:] - done[0])",
        ("tests/effects/test_effect.py",),
    ),
    Breakage(
        "words that are nowhere in the rows looked at",
        "estimator/sampling.py",
        "words = [word for word in known.counts if word not in have][:_MOST_WORDS]",
        "words = list[str]()",
        ("tests/sources/test_fit.py",),
    ),
    Breakage(
        "the pattern of gaps of a group of rows",
        "moments/patterned.py",
        "second[np.ix_(M, M)] += n * (cov[np.ix_(M, M)] - B @ across)",
        "second[np.ix_(M, M)] += 0.0 * (cov[np.ix_(M, M)] - B @ across)",
        ("tests/sources/test_from_source.py",),
    ),
    Breakage(
        "the file of a row group that cannot be read",
        "sources/local.py",
        "raise unreadable(piece.place, error) from error",
        "raise unreadable(self.label, error) from error",
        ("tests/sources/test_bad_files.py",),
    ),
    Breakage(
        "who is better in the place of a parent",
        "search/parents.py",
        "own = D[i] + c[i] * c[i] * scale",
        "own = D[i]",
        ("tests/search/test_parents.py",),
    ),
    Breakage(
        "parents that hold for other candidates",
        "search/state.py",
        "other |= (known[own, i] == PARENT) & (role[i] == OUT)",
        "other |= 0",
        ("tests/search/test_order.py", "tests/search/test_state.py"),
    ),
    Breakage(
        "halves that do not hang on the order of rows",
        "table/scores.py",
        "X = X[content_orders(X)[0]]",
        "X = 1.0 * X",
        ("tests/test_content.py",),
    ),
    Breakage(
        "no direction where rows are of groups",
        "confidence/evidence.py",
        "return self.dependent or self.smaller > 0.0 or crowded",
        "return self.dependent or crowded",
        ("tests/confidence/test_calibration.py",),
    ),
    Breakage(
        "no direction however sure where none is relied on",
        "confidence/confidence.py",
        "if evidence.unreliable:",
        "if evidence.curved:",
        ("tests/confidence/test_calibration.py",),
    ),
    Breakage(
        "variances of few columns agree by chance",
        "engine/request.py",
        "if by_chance or has_one_scale",
        "if has_one_scale",
        ("tests/test_decisions.py",),
    ),
    Breakage(
        "parents behind the least cost",
        "search/exact.py",
        "best[U & ~(1 << k)] <= least",
        "best[U & ~(1 << k)] <= least + 0.1",
        ("tests/search/test_twenty.py",),
    ),
    Breakage(
        "the shape of one residual is no group",
        "confidence/groups.py",
        "if gain <= asked + max(_two_groups(e[:, None], np.ones(1))[0] for e in E.T):",
        "if gain <= -asked:",
        ("tests/confidence/test_groups.py",),
    ),
    Breakage(
        "claims of pairs that are linked",
        "confidence/confidence.py",
        "direction = np.where(self.in_graph, self.direction, 0.5)",
        "direction = self.direction",
        ("tests/confidence/test_confidence.py",),
    ),
    Breakage(
        "no cycle from parts of two graphs",
        "search/crossing.py",
        "if len(some) and is_dag(parents.T | first):",
        "if len(some):",
        ("tests/search/test_crossing.py",),
    ),
    Breakage(
        "places of two graphs that are connected",
        "search/crossing.py",
        "first = first[first]",
        "return first",
        ("tests/search/test_crossing.py",),
    ),
    Breakage(
        "the order within a window",
        "search/windows.py",
        "if own < value[after] - IMPROVES:",
        "if own < value[after] - IMPROVES and value[after] == np.inf:",
        ("tests/search/test_windows.py",),
    ),
    Breakage(
        "what is known within a window",
        "search/windows.py",
        "if nodes.knowledge[node[x], node[t]] & BEFORE:",
        "if False:",
        ("tests/search/test_windows.py",),
    ),
    Breakage(
        "what a window costs at least",
        "search/windows.py",
        "left += room.least[t]",
        "left += room.least[t] + 0.05",
        ("tests/search/test_windows.py",),
    ),
    Breakage(
        "who is above whom",
        "search/windows.py",
        "            room.right[0] = min(room.right[0], q)\n        for s in",
        "        for s in",
        ("tests/search/test_windows.py",),
    ),
    Breakage(
        "parents that nobody can stand in for",
        "search/parents.py",
        "c[i] = 4.0 * variance[i] * ratio * ratio",
        "c[i] = variance[i] * ratio * ratio",
        ("tests/search/test_parents.py",),
    ),
    Breakage(
        "the first of the largest",
        "search/parents.py",
        "while values[last] > (1.0 + TIE) * values[first]:",
        "while values[last] > values[first]:",
        ("tests/search/test_parents.py",),
    ),
    Breakage(
        "back to the first parents",
        "search/parents.py",
        "r[work.P[t]] = 0.0",
        "r[work.P[t]] += 0.01",
        ("tests/search/test_parents.py",),
    ),
    Breakage(
        "several rows for a key",
        "search/memo.py",
        "if memo.table[slot, 1] == 0:  # the first row of its key",
        "if True:",
        ("tests/search/test_memo.py",),
    ),
    Breakage(
        "how often the best score has come back",
        "search/run.py",
        "tried, returned = 0, 0\n                done, tried",
        "returned += 1\n                done, tried",
        ("tests/search/test_run.py",),
    ),
    Breakage(
        "restarts of which nearly all come back",
        "settings.py",
        "return returned >= count or 2 * returned - tried >= round(self.lead * count)",
        "return returned >= count",
        ("tests/search/test_run.py",),
    ),
    Breakage(
        "more restarts with few rows",
        "settings.py",
        "return max(usual, scarce)",
        "return usual",
        ("tests/test_engine.py",),
    ),
    Breakage(
        "walks as long as there are nodes",
        "graph/directed.py",
        "range(len(edges).bit_length())",
        "range(4)",
        ("tests/graph/test_graph.py",),
    ),
    Breakage(
        "room for what is called by its address",
        "search/calling.py",
        "return 5 + 2 * kind.ndim if",
        "return 3 if",
        ("tests/search/test_calling.py",),
    ),
    Breakage(
        "the seal of a saved model",
        "estimator/saving.py",
        'if record.get("checksum") != checksum(record, arrays):',
        "if False:",
        ("tests/test_saving.py",),
    ),
    Breakage(
        "an array that the seal passes over",
        "estimator/sealing.py",
        "for name in sorted(arrays):",
        "for name in sorted(arrays)[1:]:",
        ("tests/test_saving.py",),
    ),
    Breakage(
        "numbers of a frame that can be read in two ways",
        "table/mixed.py",
        "if len(both) == 2 and _first_row(cells, _TWO_MARKS) is None:",
        "if False:",
        ("tests/table/test_kinds.py",),
    ),
    Breakage(
        "bounds in a frame",
        "table/mixed.py",
        "for column in text if column.censored]",
        "for column in rest if column.censored]",
        ("tests/table/test_markers.py",),
    ),
    Breakage(
        "what a user says of text in doubt",
        "table/deciding.py",
        "if cells.doubts and not _takes_text(given.get(name)):",
        "if cells.doubts:",
        ("tests/table/test_markers.py",),
    ),
    Breakage(
        "a square that forgets signs",
        "diagnostics/detectors/functions.py",
        "one_way = form is np.square and both_signs",
        "one_way = False",
        ("tests/diagnostics/detectors/test_detectors.py",),
    ),
    Breakage(
        "the limit of what is unpacked",
        "table/source.py",
        "if total > most:",
        "if False:",
        ("tests/table/test_limits.py",),
    ),
    Breakage(
        "the length that packed Arrow declares",
        "table/columnar.py",
        "total += length if said == -1 else said",
        "total += length",
        ("tests/table/test_columnar.py",),
    ),
    Breakage(
        "rows that a quote has swallowed",
        "table/ragged.py",
        'if "\\n" in whole or "\\r" in whole:',
        "if False:",
        ("tests/table/test_ragged.py",),
    ),
    Breakage(
        "a line that can be read in two ways",
        "table/ragged.py",
        "filled = all(map(is_plain_number, cells[:width]))",
        "filled = True",
        ("tests/table/test_ragged.py",),
    ),
    Breakage(
        "the time of a run that goes on",
        "confidence/replicates.py",
        "began -= checkpoint.seconds",
        "began -= 0.0",
        ("tests/confidence/test_checkpoint.py",),
    ),
    Breakage(
        "names give way to what a user places",
        "knowledge/assumed.py",
        "if name not in placed]",
        "]",
        ("tests/knowledge/test_assumed.py",),
    ),
    Breakage(
        "names give way to a star",
        "knowledge/assumed.py",
        "before[:, _ancestors(masks.before, given)] = False",
        "pass",
        ("tests/knowledge/test_assumed.py",),
    ),
    Breakage(
        "shares of units are no sex",
        "knowledge/assumed.py",
        "if n not in numbers or kinds[n] not in _SHARES]",
        "]",
        ("tests/knowledge/test_assumed.py",),
    ),
    Breakage(
        "names of given columns are whole words",
        "knowledge/names.py",
        "if words <= known and all(words & some for some in needed):",
        "if all(any(word in name.lower() for word in some) for some in needed):",
        ("tests/knowledge/test_names.py",),
    ),
    Breakage(
        "names of given columns have no unknown word",
        "knowledge/names.py",
        "if words <= known and all(",
        "if all(",
        ("tests/knowledge/test_names.py",),
    ),
    Breakage(
        "a treatment is proposed as no leaf",
        "knowledge/template.py",
        "if name not in asked][-1:]",
        "][-1:]",
        ("tests/knowledge/test_template.py",),
    ),
    Breakage(
        "pipes that are read once",
        "cli/options.py",
        "            data,\n            separator=options.separator,",
        "            options.data,\n            separator=options.separator,",
        ("tests/cli/test_pipes.py::test_a_table",),
    ),
    Breakage(
        "points that may stand between thousands",
        "table/cells.py",
        "found.append((column, dotted, short))",
        "pass",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "points that cannot stand between thousands",
        "table/cells.py",
        "        if says_decimals(column):\n            return []",
        "        if False:\n            return []",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "points between thousands in a large file",
        "table/quick.py",
        "if watched.has_point and",
        "if False and",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "points between thousands far below in a folder",
        "sources/text.py",
        "if unsure and has_point:",
        "if False:",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "rows of a folder that were read before thousands were seen",
        "sources/text.py",
        "done = first\n",
        "done = 0\n",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "points between thousands in a frame",
        "table/mixed.py",
        "for own, *rows in doubtful_points(text)",
        "for own, *rows in doubtful_points([])",
        ("tests/table/test_thousands.py",),
    ),
    Breakage(
        "points of numbers in a sheet",
        "table/excel.py",
        'return f"{text}0" if text[-4:-3] == "." else text',
        "return text",
        ("tests/table/test_thousands.py",),
    ),
)


def main(arguments: list[str] | None = None) -> int:
    """Break things; return 1 where no test notices."""
    parser = argparse.ArgumentParser(prog="python -m tests.sabotage", description=__doc__)
    parser.add_argument("only", nargs="*", help="words of what to break (all)")
    options = parser.parse_args(arguments)
    chosen = [one for one in BREAKAGES if all(word in one.name for word in options.only)]
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        clutter = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")
        for part in ("src", "tests", "fuzz"):
            shutil.copytree(ROOT / part, copy / part, ignore=clutter)
        for file in ROOT.iterdir():
            if file.is_file():
                shutil.copy(file, copy)
        asked = dict.fromkeys(test for one in chosen for test in one.tests)
        if not _pass(copy, tuple(asked), show=True):
            print("The tests fail before anything is broken.")
            return 1
        for one in chosen:
            noticed = _is_noticed(copy, one)
            print(f"{'noticed' if noticed else 'NOT NOTICED'}: {one.name}", flush=True)
            unnoticed += not noticed
    print(f"{len(chosen) - unnoticed} of {len(chosen)} breakages noticed.")
    return int(unnoticed > 0)


def _is_noticed(copy: Path, one: Breakage) -> bool:
    """Break one thing, run the tests beside it, mend it."""
    path = copy / "src" / "daglock" / one.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(one.text) != 1:
        sys.exit(f"{one.file} has this {whole.count(one.text)} times, not once: {one.text}")
    path.write_text(whole.replace(one.text, one.broken), encoding="utf-8")
    try:
        return not _pass(copy, one.tests)
    finally:
        path.write_text(whole, encoding="utf-8")


def _pass(copy: Path, tests: tuple[str, ...], *, show: bool = False) -> bool:
    """Whether tests of the copy pass; show what is wrong where they should."""
    # pytest says with 1 that tests failed; all else, such as a name that is no test, is no answer
    environment = {**os.environ, "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}"}
    environment |= {"NUMBA_CACHE_DIR": str(copy / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:  # what hangs does not pass
        return False
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(tests)} did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    if done.returncode and show:
        print(done.stdout[-3000:])
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
