"""Replicates by ray, as a backend of joblib."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import joblib
import numpy as np
import pytest

from daglock import DAGLock
from daglock.simulate import erdos_renyi, linear_sem
from tests.spark.needs import needs

pytestmark = [
    needs("ray"),
    pytest.mark.filterwarnings("ignore"),  # of ray's own
]


@pytest.fixture
def backend() -> Iterator[str]:
    ray = import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    import_module("ray.util.joblib").register_ray()
    yield "ray"
    ray.shutdown()


def test_the_bits_are_those_of_one_process(backend: str) -> None:
    model = DAGLock(random_state=0).fit(linear_sem(erdos_renyi(6, 7, rng=3), 300, rng=4))
    one = model.bootstrap(12, rng=7, n_jobs=1)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        other = model.bootstrap(12, rng=7)
    for name in ("first", "second", "forward", "backward", "adjacent"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
