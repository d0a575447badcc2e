"""What each Op does to memory while it runs: what it allocates, reuses, views and frees. One module for each family of Ops."""

from .base import Rule, Work

__all__ = ["Rule", "Work"]
