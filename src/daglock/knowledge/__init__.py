"""What is known before the data are seen: by name for people, as masks for the engine."""

from daglock.knowledge.masks import Masks, knowledge_masks, respect
from daglock.knowledge.named import Knowledge

__all__ = ["Knowledge", "Masks", "knowledge_masks", "respect"]
