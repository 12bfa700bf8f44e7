from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.Node import Node

class Edge:
    def __init__(self, node1: Node, node2: Node, end1: Endpoint, end2: Endpoint) -> None: ...
