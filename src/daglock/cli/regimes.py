"""Regimes on the command line: which column holds them, what they target, what is said of it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from daglock.cli.terminal import Terminal

if TYPE_CHECKING:
    from daglock.diagnostics.regimes import RegimeSummary


def add_regime(parser: ArgumentParser, *, targets: bool = False) -> None:
    """Add the option that names the column of regimes, and those about what regimes do."""
    group = parser.add_argument_group("batches, environments, experiments")
    group.add_argument(
        "--regime",
        metavar="COLUMN",
        help="the column that tells under which conditions a row was measured: no variable, and "
        "shifts between its values make no edges",
    )
    if targets:
        group.add_argument(
            "--targets",
            metavar="FILE|find",
            help="YAML or JSON: for each regime the columns that it intervenes on, such as "
            "'drug: [dose]'; they tell directions. Where nobody knows: find",
        )
        group.add_argument(
            "--interventions",
            choices=("perfect", "imperfect", "shift"),
            default="perfect",
            help="where a column is a target its parents have no say in it (perfect), another one "
            "than elsewhere (imperfect), or something is added to it (shift)",
        )


def refuse_contradictions(options: Namespace, *, covariance: bool = False) -> None:
    """Raise one error with all that cannot be about the options of regimes.

    Parameters
    ----------
    options : of the command line.
    covariance : whether the file has no rows.
    """
    wrong = []
    regime, targets = options.regime, getattr(options, "targets", None)
    if covariance and (regime is not None or targets is not None):
        wrong.append("--regime and --targets are for tables of rows, and this file is a covariance")
    elif regime is not None and regime in options.drop:
        wrong.append(f"--regime and --drop both name {regime!r}: a regime is no variable anyhow")
    elif regime is not None and regime == options.index:
        wrong.append(f"--regime and --index both name {regime!r}: an index labels single rows")
    if wrong:
        from daglock.errors import InvalidParameterError

        raise InvalidParameterError(f"{'; '.join(wrong)}. Leave one of them out.")


def with_regime(
    options: Namespace, wanted: list[str] | None, kinds: dict[str, Any] | None
) -> tuple[list[str] | None, dict[str, Any] | None]:
    """Return the columns to read and what they are, with the column of regimes among them."""
    regime = getattr(options, "regime", None)
    if regime is None:
        return wanted, kinds
    from daglock.regimes import with_regime_column

    if wanted is not None and regime not in wanted:
        wanted = [*wanted, regime]
    return wanted, with_regime_column(kinds, regime)


def show_regimes(terminal: Terminal, summary: RegimeSummary | None) -> None:
    """Say which regimes there are, what they target, and what that tells."""
    if summary is None:
        return
    terminal.line()
    for sentence in summary.sentences():
        terminal.say(sentence, mark="•")
