import pandas as pd
from dowhy.gcm import StructuralCausalModel

def assign_causal_mechanisms(
    causal_model: StructuralCausalModel, based_on: pd.DataFrame
) -> object: ...
