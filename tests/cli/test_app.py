"""The program: help, versions, exit codes, one sentence for what went wrong."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import daglock
from daglock.cli import app, commands
from daglock.cli.command import MEANING, Command, Exit, OutputError
from daglock.cli.commands import convert, simulate
from daglock.errors import (
    DaglockError,
    InvalidDataError,
    InvalidParameterError,
    MissingExtraError,
)
from daglock.interop import FORMATS
from daglock.simulate import NOISES
from tests.cli.conftest import Run

COMMANDS = ["demo", "learn", "check", "simulate", "report", "convert"]


def test_every_file_is_a_command() -> None:
    files = Path(commands.__path__[0]).glob("[!_]*.py")
    added = {point.name for point in entry_points(group=app.GROUP)}
    assert set(app.load_commands()) == {file.stem for file in files} | added
    assert [name for name in app.load_commands() if name in COMMANDS] == COMMANDS


@pytest.mark.parametrize("name", ["bench", "reproduce"])
def test_a_command_of_what_is_not_installed(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(app, "entry_points", lambda group: [])
    shown = run(name, "--list")
    assert (shown.code, shown.out) == (Exit.USAGE, "")
    assert shown.err == (
        f"daglock: {name} comes with daglock-evaluation: in a checkout of daglock, "
        "pip install ./evaluation\n"
    )


def test_help_of_all_commands_fits_80_columns(run: Run) -> None:
    general = run("--help")
    assert general.code == 0
    assert general.err == ""
    for name, command in app.load_commands().items():
        assert command.summary in general.out
        help_of = run(name, "--help")
        assert help_of.code == 0
        assert help_of.out.startswith(f"usage: daglock {name} ")
        assert "examples:" in help_of.out
        assert max(map(len, help_of.out.splitlines())) <= 80, name
    assert max(map(len, general.out.splitlines())) <= 80


def test_exit_codes_are_documented(run: Run) -> None:
    assert set(MEANING) == set(Exit)
    shown = run("--help").out
    for code, meaning in MEANING.items():
        assert f"{code.value:<4}{meaning}" in shown


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"daglock {daglock.__version__}\n", "")


def test_no_command_shows_the_help(run: Run) -> None:
    shown = run()
    assert shown.code == Exit.USAGE
    assert shown.out == run("--help").out


@pytest.mark.parametrize(
    ("arguments", "message", "where"),
    [
        (["teach"], "there is no command 'teach'", "daglock --help"),
        (["lern", "x"], "there is no command 'lern'; did you mean 'learn'?", "daglock --help"),
        (["--verbos"], "unrecognized arguments: --verbos", "daglock --help"),
        (["cjeck"], "did you mean 'check'?", "daglock --help"),
        (["learn"], "the following arguments are required: DATA", "daglock learn --help"),
        (["learn", "x", "--noise", "pink"], "argument --noise: invalid choice", None),
        (
            ["learn", "x", "--bootstrap", "-1"],
            "--bootstrap: must be a whole number >= 0; got '-1'",
            None,
        ),
        (["learn", "x", "--restarts", "-1"], "--restarts: must be a whole number >= 0", None),
        (["learn", "x", "--time-limit", "nan"], "--time-limit: must be a number >= 0", None),
        (["learn", "x", "--ebic-gamma", "inf"], "--ebic-gamma: must be a number >= 0", None),
        (["learn", "x", "--jobs", "0"], "--jobs: must be a whole number other than 0", None),
        (["learn", "x", "--seed", "1.5"], "--seed: must be a whole number >= 0; got '1.5'", None),
        (
            ["learn", "x", "--bootstrp", "9"],
            "unrecognized arguments: --bootstrp 9; did you mean '--bootstrap'?",
            "daglock learn --help",
        ),
        (["learn", "x", "--boot=9"], "unrecognized arguments: --boot=9", "daglock learn --help"),
        (["check", "x", "--jsn"], "--jsn; did you mean '--json'?", "daglock check --help"),
        (["learn", "x", "\x1b[2J"], "unrecognized arguments: \\x1b[2J", "daglock learn --help"),
        (["simulate", "--weights", "1"], "--weights: must be two positive numbers", None),
        (["simulate", "--weights", "2,1"], "--weights: must be two positive numbers", None),
        (["convert", "x", "--to", "pdf"], "argument --to: invalid choice: 'pdf'", None),
        (["convert", "x"], "the following arguments are required: --to", None),
    ],
)
def test_wrong_use(run: Run, arguments: list[str], message: str, where: str | None) -> None:
    shown = run(*arguments)
    assert shown.code == Exit.USAGE
    assert shown.out == ""
    sentence, hint = shown.err.splitlines()
    assert sentence.startswith("daglock: ")
    assert message in sentence
    assert hint.startswith("Try: daglock")
    if where is not None:
        assert hint == f"Try: {where}"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidDataError("Some\nthing."), Exit.DATA),
        (InvalidParameterError("Some\nthing."), Exit.USAGE),
        (MissingExtraError("Some\nthing."), Exit.FAILED),
        (OutputError("Some\nthing."), Exit.OUTPUT),
        (DaglockError("Some\nthing."), Exit.USAGE),
    ],
)
def test_an_error_is_one_line_and_a_code(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, code: Exit
) -> None:
    def fail(options: Namespace) -> int:
        raise error

    app.load_commands()  # while a command can still be made
    monkeypatch.setattr(Command, "run", property(lambda self: fail), raising=False)
    assert run("simulate") == (code, "", "daglock: Some\\nthing.\n")


def test_a_bug_is_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(options: Namespace) -> int:
        raise ZeroDivisionError

    app.load_commands()  # while a command can still be made
    monkeypatch.setattr(Command, "run", property(lambda self: fail), raising=False)
    with pytest.raises(ZeroDivisionError):
        run("simulate")


def test_choices_are_those_of_the_library() -> None:
    assert list(convert.FORMATS) == list(FORMATS)
    assert list(simulate.NOISES) == list(NOISES)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom daglock.cli import main\n"
        "try:\n    main(['learn', '--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = ('numpy', 'scipy', 'numba', 'sklearn', 'pyarrow', 'pandas', 'tqdm', 'networkx')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_python_m_daglock() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "daglock", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"daglock {daglock.__version__}\n"
