from collections.abc import Callable
from typing import Any

import networkx
import pandas as pd
from dowhy.gcm import auto as auto
from dowhy.gcm import config as config

class StructuralCausalModel:
    graph: networkx.DiGraph[Any]
    def __init__(self, graph: networkx.DiGraph[Any]) -> None: ...

def fit(causal_model: StructuralCausalModel, data: pd.DataFrame) -> object: ...
def interventional_samples(
    causal_model: StructuralCausalModel,
    interventions: dict[str, Callable[[Any], Any]],
    *,
    num_samples_to_draw: int,
) -> pd.DataFrame: ...
