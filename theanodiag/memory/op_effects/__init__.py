"""What each op does to device memory while it runs: what it allocates, keeps, reuses and gives back, op family by op family."""

from .base import Rule, Work

__all__ = ["Rule", "Work"]
