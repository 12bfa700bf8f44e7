"""The program: finds the command, runs it, and turns what went wrong into a sentence and a code."""

from __future__ import annotations

import pkgutil
import signal
import sys
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NoReturn

from daglock import __version__
from daglock.cli import commands
from daglock.cli.command import MEANING, Command, Exit, OutputError
from daglock.cli.interrupts import raising_on_ctrl_c
from daglock.cli.terminal import Terminal, clean, forget_output, prepare_streams
from daglock.errors import (
    ClusterError,
    DaglockError,
    InvalidDataError,
    MissingExtraError,
    NotADAGError,
    WorkerDiedError,
)

# Entry points of this group are commands of other distributions.
GROUP = "daglock.commands"
# Those of the distribution that shows that this one is right.
_EVALUATION = ("bench", "reproduce")
_DESCRIPTION = """\
Learn a causal graph, a directed acyclic graph, from a table of numbers.

Absent edges are exactly zero, an order of the variables proves that the graph
has no cycle, and a certificate comes with it. There is no threshold to choose.
"""
_START = """\
to begin:
  daglock demo                  learn from data that are there already
  daglock learn data.csv        learn from your own
  daglock learn --help          all options of a command
"""


class Parser(ArgumentParser):
    """An argument parser that says what is wrong in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print the sentence and where to look, and leave."""
        print(f"daglock: {clean(message)}", file=sys.stderr)
        print(f"Try: {self.prog} --help", file=sys.stderr)
        sys.exit(Exit.USAGE)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse itself says nothing where that is not possible."""
        try:
            print(message, end="", file=file or sys.stderr, flush=True)
        except BrokenPipeError:
            forget_output()
        except OSError as error:
            forget_output()
            reason = error.strerror or error
            sys.exit(_complain(f"standard output cannot be written: {reason}.", Exit.OUTPUT))

    def options(self) -> list[str]:
        """Return the long names of all options."""
        names = (name for action in self._actions for name in action.option_strings)
        return [name for name in names if name.startswith("--")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what stands after ``daglock``, by default what the process was given; return the code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    known = load_commands()
    if arguments and arguments[0] in _EVALUATION and arguments[0] not in known:
        needed = "comes with daglock-evaluation: in a checkout of daglock, pip install ./evaluation"
        return _complain(f"{arguments[0]} {needed}", Exit.USAGE)
    parser = make_parser(known)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in known:
        parser.error(f"there is no command {arguments[0]!r}{_meant(arguments[0], known)}")
    options, unknown = parser.parse_known_args(arguments)
    if options.command is None:
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        parser.print_help()
        return Exit.USAGE
    if unknown:
        meant = _meant(unknown[0].split("=")[0], options.parser.options())
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    options.arguments = arguments
    _end_on_sigterm()
    Terminal.lost = ""
    try:
        with raising_on_ctrl_c():
            code = int(options.run(options))
        if Terminal.lost:
            return _complain(f"standard output cannot be written: {Terminal.lost}.", Exit.OUTPUT)
        return code
    except KeyboardInterrupt:
        return _complain("interrupted; nothing more was written.", Exit.INTERRUPTED)
    except OutputError as error:
        return _complain(str(error), Exit.OUTPUT)
    except (ClusterError, MissingExtraError, WorkerDiedError) as error:
        return _complain(str(error), Exit.FAILED)
    except (InvalidDataError, NotADAGError) as error:
        return _complain(str(error), Exit.DATA)
    except DaglockError as error:
        return _complain(str(error), Exit.USAGE)
    except BrokenPipeError:  # whoever read the output has what they wanted
        forget_output()
        return Exit.DONE
    except OSError as error:
        if error.filename is None:  # the disk under standard output is full, for one
            forget_output()
        what = "standard output" if error.filename is None else repr(str(error.filename))
        return _complain(
            f"{what} cannot be read or written: {error.strerror or error}.", Exit.OUTPUT
        )


def make_parser(known: Mapping[str, Command]) -> Parser:
    """Build the parser of all commands."""
    codes = "\n".join(f"  {code.value:<4}{meaning}" for code, meaning in MEANING.items())
    parser = Parser(
        prog="daglock",
        usage="daglock COMMAND [options]",
        description=_DESCRIPTION,
        epilog=f"{_START}\nexit codes:\n{codes}",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"daglock {__version__}")
    found = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, command in known.items():
        sub = found.add_parser(
            name,
            help=command.summary,
            prog=f"daglock {name}",
            usage=f"daglock {name} {command.usage}",
            description=command.description,
            epilog=f"examples:\n{command.examples}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run, parser=sub)
    return parser


def load_commands() -> dict[str, Command]:
    """Return every command by name: each file in `daglock.cli.commands`, and what others add."""
    found: dict[str, Command] = {
        module.name: import_module(f"{commands.__name__}.{module.name}").COMMAND
        for module in pkgutil.iter_modules(commands.__path__)
    }
    found |= {point.name: point.load() for point in entry_points(group=GROUP)}
    return dict(sorted(found.items(), key=lambda item: item[1].place))


def _meant(word: str, known: Iterable[str]) -> str:
    """Suggest what was meant, if anything is close."""
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _complain(message: str, code: Exit) -> Exit:
    """Print what is wrong."""
    print(f"daglock: {clean(message)}", file=sys.stderr)
    return code


def _end_on_sigterm() -> None:
    """Let a polite kill clean up what is half done, as Ctrl-C does."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
