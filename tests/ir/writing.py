"""Shape tables as the JSON that the hook writes: what `theanodiag.ir.serial` reads."""

from __future__ import annotations

from theanodiag.ir import Shape, ShapeTable, Unknown

SHAPES_SCHEMA = "theanodiag/shapes/v1"


def table_to_json(table: ShapeTable) -> dict[str, object]:
    """The shape table as JSON values."""
    unknown = {str(i): reason for i, shape in table.shapes.items() if (reason := _reason(shape)) is not None}
    return {
        "schema": SHAPES_SCHEMA,
        "shapes": {str(i): _shape_to_json(shape) for i, shape in table.shapes.items()},
        "values": {str(i): value for i, value in table.values.items()},
        "unknown": unknown,
        "bounded": sorted(table.bounded),
        "inner": {str(i): table_to_json(inner) for i, inner in table.inner.items()},
    }


def _shape_to_json(shape: Shape | Unknown) -> list[int | None] | None:
    if isinstance(shape, Unknown):
        return None
    return [None if isinstance(d, Unknown) else d for d in shape]


def _reason(shape: Shape | Unknown) -> str | None:
    if isinstance(shape, Unknown):
        return shape.reason
    return next((d.reason for d in shape if isinstance(d, Unknown)), None)
