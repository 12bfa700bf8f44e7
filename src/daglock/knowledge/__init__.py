"""What is known before the data are seen: by name for people, as masks for the engine."""

from daglock.knowledge.masks import Masks, respect
from daglock.knowledge.named import Knowledge, knowledge_masks

__all__ = ["Knowledge", "Masks", "knowledge_masks", "respect"]
