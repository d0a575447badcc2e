"""The frozen intermediate representation: FunctionGraph, Apply, Variable, Op, shapes and dtypes."""

from .graph import Apply, Constant, FunctionGraph, GraphInput, Op, Role, Site, Type, TypeKind, Variable
from .shape import Dim, Shape, ShapeTable, Unknown, itemsize, nbytes, numel

__all__ = [
    "Apply", "Constant", "Dim", "FunctionGraph", "GraphInput", "Op", "Role", "Shape", "ShapeTable", "Site", "Type", "TypeKind",
    "Unknown", "Variable", "itemsize", "nbytes", "numel",
]  # fmt: skip
