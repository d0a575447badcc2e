"""Infers the shapes of all Variables of a FunctionGraph without a framework: `infer`, and one shape rule for each class of Ops."""

from .infer import infer

__all__ = ["infer"]
