from causallearn.graph.Node import Node

class GraphNode(Node):
    def __init__(self, name: str) -> None: ...
