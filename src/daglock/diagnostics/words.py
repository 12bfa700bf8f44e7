"""The diagnosis of a graph in plain words: exact, no promise that the numbers do not keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daglock.criteria import ByRegime
from daglock.diagnostics.questions import about_questioned
from daglock.wording import Finding, listed, percent, plural, short

if TYPE_CHECKING:
    from daglock.diagnostics.baselines import Baseline
    from daglock.diagnostics.diagnosis import Diagnosis
    from daglock.diagnostics.joint import JointDiagnosis

# BIC points from which evidence counts as strong (Kass and Raftery 1995: "very strong").
STRONG = 10.0
# Sortability from which sorting alone gives much of an order.
SORTED = 0.9
# Scores closer than this are the same up to rounding.
SAME = 1e-6


def findings(diagnosis: Diagnosis) -> list[Finding]:
    """List what a person should know, from the table to the theory."""
    table = [diagnosis.table.about_rows(), diagnosis.table.about_overlap()]
    found = about_questioned(diagnosis.questioned)
    found += [about_noise(diagnosis), about_directions(diagnosis), about_baselines(diagnosis)]
    found += about_variance(diagnosis) + about_r2(diagnosis)
    table += about_rare(diagnosis)
    return [*table, *found, *diagnosis.theory(), *about_size(diagnosis)]


def about_rare(diagnosis: Diagnosis | JointDiagnosis) -> list[Finding]:
    """Say that few columns cost most rows by their gaps, where they do."""
    if not diagnosis.rare:
        return []
    return [Finding("warning", "Few columns have most of the gaps", diagnosis.rare)]


def about_noise(diagnosis: Diagnosis) -> Finding:
    """Which noise model, and how sure."""
    equal, gap = diagnosis.assumes_equal, diagnosis.noise_gap
    title = "One noise variance for all" if equal else "A noise variance for each column"
    if gap is None and equal and diagnosis.residuals_agree:
        text = "The variances that the graph leaves unexplained agree, as they should."
        return Finding("good", title, text)
    if gap is None and equal:
        text = (
            "The variances that the graph leaves unexplained differ by more than chance, and all "
            'directions rest on their being equal: noise="auto" compares with the other model.'
        )
        return Finding("warning", title, text)
    if diagnosis.noise == ByRegime.name:
        text = (
            "Regimes act on some columns: every column is learned from the rows that leave it "
            "alone, and equal variances were not tried."
        )
        return Finding("note", title, text)
    if gap is None:
        text = "Only this noise model was tried; it contains the other one and assumes less."
        return Finding("note", title, text)
    if gap < 0.0:
        text = (
            f"One variance for all columns has the better BIC, by {short(-gap)} points, but it "
            "does not explain why columns differ in scale: directions must not rest on it."
        )
        return Finding("note", title, text)
    other = "a variance for each column" if equal else "one variance for all columns"
    points = f"{short(gap)} BIC points"
    if gap >= STRONG:
        text = f"The data prefer this to {other} by {points}: strong evidence (10 is strong)."
        return Finding("good", title, text)
    text = f"The data prefer this to {other} by only {points}: weak evidence (10 is strong)."
    if equal:
        text += ' All directions rest on it; compare with the graph that noise="unequal" gives.'
    return Finding("warning" if equal else "note", title, text)


def about_directions(diagnosis: Diagnosis | JointDiagnosis) -> Finding:
    """Say which directions the model identifies, and by what; not how far to believe them."""
    total, free = diagnosis.n_edges, diagnosis.reversible
    if not total:
        text = "No column explains enough of another to pay for an edge."
        return Finding("note", "No edges", text)
    caution = (
        "That is so if the model holds; how far to believe each direction is another question, "
        "and a hidden common cause can stand behind any link."
    )
    how_many = f"{total - len(free):,} of" if free else "all"
    would = diagnosis.reversible_if_unequal
    if free and not diagnosis.settled:
        text = f"For {len(free):,} of them that was not settled in time."
    elif free:
        text = (
            f"{len(free):,} can point either way with no loss of fit, or with so small a one that "
            f"the data do not tell which: {listed(f'{a} – {b}' for a, b in free)}."
        )
    elif diagnosis.assumes_equal and would:
        text = (
            f"For {would:,} of them this is because equal noise variances are assumed; otherwise "
            "they could point either way."
        )
    else:
        text = "Graphs in which one of them is turned fit worse by a margin."
    title = f"The model identifies {how_many} {plural(total, 'direction')}"
    return Finding("note", title, f"{text} {caution}")


def about_baselines(diagnosis: Diagnosis) -> Finding:
    """Set the learned graph beside graphs that need no search."""
    learned, empty, *sorted_ones = diagnosis.baselines
    n, table = diagnosis.table.n, diagnosis.table
    gaps = [n * (other.score - learned.score) for other in (empty, *sorted_ones)]
    sentences = [_beside_empty(gaps[0])]
    by = {"variance": "by variance", "r2": "by R² (how well the others explain a column)"}
    clauses = [
        f"{by[other.name]}, {_shared(other, learned.n_edges)}, {_by(gap, 'points')}"
        for other, gap in zip(sorted_ones, gaps[1:], strict=True)
    ]
    if clauses:
        sentences.append(
            "Sorting the columns by one number and regressing each on those before it gives: "
            f"{'; '.join(clauses)}."
        )
    if table.one_scale:
        sentences.append("There is no order by variance: all columns have the same.")
    if table.n <= table.d:
        sentences.append("There is no order by R²: that takes more rows than columns.")
    if min(gaps) < -SAME:
        sentences.append(
            "So a simple graph fits better than the learned one: unless knowledge or a time limit "
            "held the search back, ask for more restarts."
        )
        return Finding("warning", "Not better than simple graphs", " ".join(sentences))
    if min(gaps) < STRONG:
        return Finding("note", "Close to a simple graph", " ".join(sentences))
    title = "Better than simple graphs" if sorted_ones else "Better than the empty graph"
    return Finding("good", title, " ".join(sentences))


def about_empty_graph(diagnosis: JointDiagnosis) -> Finding:
    """Set the learned graph beside the empty one."""
    learned, empty = diagnosis.baselines
    gap = diagnosis.n * (empty.score - learned.score)
    if gap < STRONG:
        return Finding("note", "Close to the empty graph", _beside_empty(gap))
    return Finding("good", "Better than the empty graph", _beside_empty(gap))


def _beside_empty(gap: float) -> str:
    """Say by how much the empty graph is worse."""
    return f"The empty graph is {_by(gap, 'BIC points')} (10 is a strong difference)."


def about_variance(diagnosis: Diagnosis) -> list[Finding]:
    """Say what an order of variances explains of the graph."""
    value, equal = diagnosis.var_sortability, diagnosis.assumes_equal
    if equal and diagnosis.table.one_scale and diagnosis.n_edges:
        text = (
            "All columns have the same variance, as after standardising. With one noise variance "
            "for all, effects would vary more than columns without a cause: the model does not fit "
            'such data. Give the columns as they were measured, or use noise="unequal".'
        )
        return [Finding("warning", "Standardised columns", text)]
    if value is None:
        return []
    title = f"Variance grows along {percent(value)} of paths"
    gloss = f"var-sortability {value:.2f}; 0.5: no pattern"
    if not equal:
        text = (
            f"The variance of the columns grows along {percent(value)} of the directed paths "
            f"({gloss}). This does not matter here: with a noise variance for each column, the "
            "graph is the same in whatever units the columns are given."
        )
        return [Finding("good", title, text)]
    text = f"The variance of the columns grows along {percent(value)} of the paths ({gloss}). "
    if value < SORTED:
        text += "The graph is more than an order of variances, but it depends on the units."
        return [Finding("note", title, text)]
    text += (
        "That is expected if all columns have the same noise variance, since effects then tend to "
        "vary more than their causes. But if the units could as well be others, the directions "
        "say no more than the units do."
    )
    won = diagnosis.noise_gap is not None and diagnosis.noise_gap >= STRONG
    tested = diagnosis.residuals_agree or won
    return [Finding("note" if tested else "warning", title, text)]


def about_r2(diagnosis: Diagnosis) -> list[Finding]:
    """Say what an order of R² explains of the graph."""
    value = diagnosis.r2_sortability
    if value is None:
        return []
    title = f"R² grows along {percent(value)} of paths"
    text = (
        f"R², the share of a column's variation that all the others explain, grows along "
        f"{percent(value)} of the directed paths (R²-sortability {value:.2f}; 0.5: no pattern)."
    )
    if 1.0 - SORTED < value < SORTED:
        return [Finding("good", title, text)]
    text += (
        " So an order by R² alone is much the same as that of the graph"
        f"{', backwards' if value < 0.5 else ''}. This is common in simulated data, which are then "
        "an easy case; in real data it can be chance, above all where edges are few."
    )
    return [Finding("note", title, text)]


def about_size(diagnosis: Diagnosis) -> list[Finding]:
    """Say what was not computed because it would take too long."""
    table, missing = diagnosis.table, []
    there = {baseline.name for baseline in diagnosis.baselines}
    if "variance" not in there and not table.one_scale:
        missing.append("the graph by sorted variances")
    if "r2" not in there and table.n > table.d:
        missing.append("the graph by sorted R²")
    if diagnosis.n_edges:
        if diagnosis.var_sortability is None and not table.one_scale:
            missing.append("var-sortability")
        if diagnosis.r2_sortability is None and table.n > table.d:
            missing.append("R²-sortability")
        if diagnosis.assumptions is None:
            missing.append("the assumptions of the paper's theorem")
    if not missing:
        return []
    text = f"These would take too long for a graph of this size: {', '.join(missing)}."
    return [Finding("note", "Not computed", text)]


def about_assumptions(diagnosis: Diagnosis) -> list[Finding]:
    """Evaluate the paper's theorem, for those who want to lean on it."""
    found = diagnosis.assumptions
    if found is None:
        return []
    scale = "on standardised columns" if found.standardised else "on the scale of the data"
    title = "Paper's theorem, {} of 3: {} {}"
    curved = (
        f"The parents of each column must not nearly repeat each other: smallest curvature κ = "
        f"{short(found.kappa)} {scale}, at the parents of {found.kappa_node}."
        if found.curved
        else "Some parents determine each other, so that the curvature κ is zero."
    )
    if found.gamma is None:
        represented = "Some parents determine each other, so that it cannot be evaluated."
    else:
        who, node = found.gamma_pair
        represented = (
            f"The parents of a column must not resemble another column too much: γ must be "
            f"positive and is {short(found.gamma)}, for {who} and the parents of {node}"
            f" ({short(found.gamma_before or 0.0)} if only columns that come before count)."
        )
    weak, pulled = " → ".join(found.weakest_edge), " → ".join(found.force_edge)
    weights = (
        f"The weakest edge, {weak} ({short(found.weakest)} {scale}), asks for a penalty λ of at "
        f"most {short(found.largest_lam)}; to keep the absent edge {pulled} out, λ must exceed "
        f"{short(found.force)}."
    )
    if not found.feasible:
        weights += " No λ does both; up to chance this is so for every graph with an edge."
    rows = [
        ("curvature", found.curved, curved),
        ("irrepresentability", found.irrepresentable, represented),
        ("beta-min", found.feasible, weights),
    ]
    return [
        Finding(
            "good" if holds else "note",
            title.format(k, name, "holds" if holds else "fails"),
            f"{text} daglock does not rely on it.",
        )
        for k, (name, holds, text) in enumerate(rows, 1)
    ]


def _by(gap: float, unit: str) -> str:
    """Say by how much another graph is worse."""
    if abs(gap) <= SAME:
        return "just as good"
    return f"{short(abs(gap))} {unit} {'worse' if gap > 0.0 else 'better'}"


def _shared(other: Baseline, n_learned: int) -> str:
    """Say what another graph has in common with the learned one."""
    links, same = other.adjacencies, other.directions
    if links == same == other.n_edges == n_learned:
        return "the same graph"
    edges = plural(other.n_edges, "edge")
    if not links:
        return f"{edges} with none of the {n_learned:,} learned links"
    some = f"all {n_learned:,}" if links == n_learned else f"{links:,} of the {n_learned:,}"
    way = "all" if same == links else f"{same:,}" if same else "none"
    return f"{edges} with {some} learned links ({way} the same way)"
