"""Scalar Ops of theano.scalar and theano.tensor.xlogx, and `transfer_type`."""

from typing import Any, List, Sequence

import numpy as np
import pytensor.scalar as ps
from pytensor.gradient import grad_not_implemented


class transfer_type:
    """An output preference: output i has the type of the input whose number is given, or the given type."""

    def __init__(self, *transfer: Any) -> None:
        assert all(isinstance(entry, (int, str)) or entry is None for entry in transfer)
        self.transfer = transfer

    def __str__(self) -> str:
        return "transfer_type" + str(self.transfer)

    def __call__(self, *types: Any) -> Any:
        upcast = ps.upcast_out(*types)
        found = []
        for entry in self.transfer:
            if entry is None:
                found += [upcast] if not isinstance(upcast, (list, tuple)) else list(upcast)
            elif isinstance(entry, str):
                found.append(ps.get_scalar_type(entry))
            else:
                found.append(types[entry])
        return found

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.transfer == getattr(other, "transfer", None)

    def __hash__(self) -> int:
        return hash((type(self), self.transfer))


class Chi2SF(ps.BinaryScalarOp):
    """1 - the distribution function of chi squared with `k` degrees, at `x`."""

    def impl(self, x: Any, k: Any) -> Any:
        """scipy's."""
        from scipy.special import chdtrc

        return chdtrc(k, x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """By that of the incomplete gamma function."""
        half = ps.gammaincc.make_node(inputs[1] / 2.0, inputs[0] / 2.0)
        g_k, g_x = half.op.pullback(half.inputs, half.outputs, cotangents)
        return [g_x / 2.0, g_k / 2.0]


chi2sf = Chi2SF(ps.upgrade_to_float64, name="chi2sf")


class Iv(ps.BinaryScalarOp):
    """The modified Bessel function of the first kind, of real order."""

    def impl(self, v: Any, x: Any) -> Any:
        """scipy's."""
        from scipy.special import iv as function

        return function(v, x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """The mean of its neighbours; none by the order."""
        v, x = inputs
        undefined = grad_not_implemented(self, 0, v, "the gradient of iv with respect to the order is not implemented")
        return [undefined, cotangents[0] * (iv(v - 1, x) + iv(v + 1, x)) / 2.0]


iv = Iv(ps.upgrade_to_float, name="iv")


class _Scaled(ps.UnaryScalarOp):
    """The input times a constant."""

    factor = 1.0

    def impl(self, x: Any) -> Any:
        """The product."""
        return self.output_types([ps.get_scalar_type(np.asarray(x).dtype)])[0].filter(x * self.factor, allow_downcast=True)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """The factor."""
        return [cotangents[0] * np.asarray(self.factor, dtype=cotangents[0].type.dtype)]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """One expression."""
        return f"{outputs[0]} = {inputs[0]} * {self.factor!r};"


class Deg2Rad(_Scaled):
    """Degrees to radians."""

    factor = float(np.pi / 180.0)
    nfunc_spec = ("deg2rad", 1, 1)


class Rad2Deg(_Scaled):
    """Radians to degrees."""

    factor = float(180.0 / np.pi)
    nfunc_spec = ("rad2deg", 1, 1)


deg2rad = getattr(ps, "deg2rad", None) or Deg2Rad(ps.upgrade_to_float, name="deg2rad")
rad2deg = getattr(ps, "rad2deg", None) or Rad2Deg(ps.upgrade_to_float, name="rad2deg")


class XlogX(ps.UnaryScalarOp):
    """x log x, which is 0 at 0."""

    @staticmethod
    def st_impl(x: Any) -> Any:
        """The value."""
        return x * np.log(x) if x != 0.0 else 0.0

    def impl(self, x: Any) -> Any:
        """The value."""
        return XlogX.st_impl(x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """1 + log x."""
        return [cotangents[0] * (1 + ps.log(inputs[0]))]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """One expression."""
        if node.inputs[0].type.dtype not in ("float32", "float64"):
            raise NotImplementedError("only floatingpoint is implemented")
        return f"{outputs[0]} = {inputs[0]} == 0.0 ? 0.0 : {inputs[0]} * log({inputs[0]});"


class XlogY0(ps.BinaryScalarOp):
    """x log y, which is 0 where x is 0."""

    @staticmethod
    def st_impl(x: Any, y: Any) -> Any:
        """The value."""
        return x * np.log(y) if x != 0.0 else 0.0

    def impl(self, x: Any, y: Any) -> Any:
        """The value."""
        return XlogY0.st_impl(x, y)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """log y, x / y."""
        x, y = inputs
        return [cotangents[0] * ps.log(y), cotangents[0] * x / y]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """One expression."""
        if node.inputs[0].type.dtype not in ("float32", "float64"):
            raise NotImplementedError("only floatingpoint is implemented")
        return f"{outputs[0]} = {inputs[0]} == 0.0 ? 0.0 : {inputs[0]} * log({inputs[1]});"


scalar_xlogx = XlogX(ps.upgrade_to_float, name="scalar_xlogx")
scalar_xlogy0 = XlogY0(ps.upgrade_to_float, name="scalar_xlogy0")
