"""Clusters of Dask: whose client is active, work as tasks, and waiting that always has an end."""

from daglock.clusters.cluster import Cluster, LostError, active_client
from daglock.clusters.tasks import MOST_DEATHS, Tasks

__all__ = ["MOST_DEATHS", "Cluster", "LostError", "Tasks", "active_client"]
