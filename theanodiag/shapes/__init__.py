"""Shapes of the Variables of a FunctionGraph without a framework: `infer` and the registry of the rules behind it."""

from .infer import infer

__all__ = ["infer"]
