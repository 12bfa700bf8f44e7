"""Networks are read as they are written, and rows have their probabilities."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from daglock.errors import InvalidDataError, MissingExtraError
from daglock_evaluation.kinds.networks import NETWORKS, load, read_bif
from daglock_evaluation.methods.tetrad import folder_of

SPRINKLER = """
network unknown { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable wet { type discrete [ 3 ] { dry, damp, <5mm }; }
variable sprinkler { type discrete [ 2 ] { on, off }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( sprinkler | rain ) { (yes) 0.1, 0.9; (no) 0.5, 0.5; }
probability ( wet | sprinkler, rain ) {
  (on, yes) 0.0, 0.1, 0.9;
  (off, yes) 0.1, 0.3, 0.6;
  (on, no) 0.2, 0.7, 0.1;
  (off, no) 1.0, 0.0, 0.0;
}
"""


def test_rows_have_the_probabilities_of_the_tables() -> None:
    network = read_bif(SPRINKLER)
    assert network.levels["wet"] == ["dry", "damp", "<5mm"]
    assert network.graph.tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 0]]
    rows = network.sample(100_000, np.random.default_rng(0))
    rain, wet, sprinkler = rows.T
    assert abs((rain == 0).mean() - 0.2) < 0.01
    assert abs((sprinkler[rain == 0] == 0).mean() - 0.1) < 0.01
    for s, r in np.ndindex(2, 2):
        here = wet[(sprinkler == s) & (rain == r)]
        found = np.bincount(here, minlength=3) / len(here)
        np.testing.assert_allclose(found, network.tables["wet"][s, r], atol=0.02)
    assert not ((sprinkler == 1) & (rain == 1) & (wet > 0)).any()  # what is impossible is not drawn


def test_a_seed_gives_the_same_rows() -> None:
    network = read_bif(SPRINKLER)
    first, again = (network.sample(50, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_probabilities_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="sprinkler do not add up"):
        read_bif(SPRINKLER.replace("(yes) 0.1, 0.9;", "(yes) 0.1, 0.5;"))
    with pytest.raises(InvalidDataError, match="sprinkler do not add up"):
        read_bif(SPRINKLER.replace("(yes) 0.1, 0.9;", ""))  # a configuration is missing


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingExtraError, match="no_such_package is not installed"):
        folder_of("no_such_package")


@pytest.mark.skipif(find_spec("pgmpy") is None, reason="pgmpy is not installed")
def test_the_networks_are_those_of_the_literature() -> None:
    sizes = {name: (len(load(name).levels), int(load(name).graph.sum())) for name in NETWORKS}
    assert sizes == {
        **{"asia": (8, 8), "sachs": (11, 17), "child": (20, 25), "insurance": (27, 52)},
        **{"alarm": (37, 46), "hailfinder": (56, 66), "hepar2": (70, 123)},
    }
