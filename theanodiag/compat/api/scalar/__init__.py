"""`theano.scalar`."""

from typing import Any

from pytensor.scalar import ScalarType as Scalar
from pytensor.scalar import basic, upcast_out


class transfer_type:
    """Gives each output the type of the input with the given index, or the given type."""

    def __init__(self, *transfer: Any) -> None:
        assert all(type(x) in (int, str) or x is None for x in transfer)
        self.transfer = transfer

    def __str__(self) -> str:
        return "transfer_type{%s}" % (self.transfer,)

    def __call__(self, *types: Any) -> Any:
        upcast = upcast_out(*types)
        chosen = []
        for i in self.transfer:
            chosen += [upcast] if i is None else [types[i]] if isinstance(i, int) else [getattr(basic, i)]
        return [t[0] if isinstance(t, (list, tuple)) else t for t in chosen]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.transfer == other.transfer  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.transfer)
