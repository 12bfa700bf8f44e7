"""Parameters outside their range are refused with their name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.penalties import L1, MCP


@pytest.mark.parametrize("lam", [-0.1, np.nan, np.inf, "0.1", None])
def test_lam(lam: Any) -> None:
    with pytest.raises(InvalidParameterError, match="lam must be a number >= 0"):
        L1(lam)
    with pytest.raises(InvalidParameterError, match="lam must be a number >= 0"):
        MCP(lam)


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan, np.inf])
def test_gamma(gamma: float) -> None:
    with pytest.raises(InvalidParameterError, match="gamma must be a number > 0"):
        MCP(0.1, gamma)


def test_mcp_does_not_shrink_large_weights() -> None:
    z = np.array([5.0])
    assert MCP(0.5, 3.0).prox(z, 1.0)[0] == 5.0
    assert L1(0.5).prox(z, 1.0)[0] == 4.5
