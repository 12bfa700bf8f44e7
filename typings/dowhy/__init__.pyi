# The little of DoWhy that the tests of the hand-off use.
from typing import Any

import networkx
import pandas as pd

class IdentifiedEstimand:
    def get_backdoor_variables(self) -> list[str]: ...

class CausalEstimate:
    value: float

class CausalModel:
    def __init__(
        self,
        data: pd.DataFrame,
        treatment: str,
        outcome: str,
        graph: networkx.DiGraph[Any] | str,
    ) -> None: ...
    def identify_effect(self) -> IdentifiedEstimand: ...
    def estimate_effect(
        self, identified_estimand: IdentifiedEstimand, method_name: str
    ) -> CausalEstimate: ...
