from causallearn.graph.Dag import Dag
from causallearn.graph.GeneralGraph import GeneralGraph

def dag2cpdag(G: Dag) -> GeneralGraph: ...
