"""The folder with a table in which a command runs, as in the tests of the product."""

from tests.cli.conftest import folder, run

__all__ = ["folder", "run"]
