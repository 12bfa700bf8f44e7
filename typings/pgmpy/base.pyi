from typing import Any

import networkx

class DAG(networkx.DiGraph[Any]):
    def is_dconnected(self, start: str, end: str, observed: list[str] | None = None) -> bool: ...
    def to_pdag(self) -> PDAG: ...
    @classmethod
    def from_dagitty(cls, string: str) -> DAG: ...

class PDAG(networkx.DiGraph[Any]):
    directed_edges: set[tuple[str, str]]
    undirected_edges: set[tuple[str, str]]
