"""Scalar Ops of `theano.scalar` and `theano.tensor.xlogx` that PyTensor lacks, and `transfer_type`."""

from typing import Any, List, Sequence

import numpy as np
import pytensor.scalar as ps
from pytensor.gradient import grad_not_implemented
from pytensor.tensor.elemwise import Elemwise


class transfer_type:
    """Output types of a scalar Op, with one entry for each output: the number of the input with that type, a dtype, or None for the upcast
    of all inputs."""

    def __init__(self, *transfer: Any) -> None:
        assert all(type(entry) in (int, str) or entry is None for entry in transfer)
        self.transfer = transfer

    def __str__(self) -> str:
        return "transfer_type{%s}" % ", ".join(map(str, self.transfer))

    def __call__(self, *types: Any) -> Any:
        upcast = ps.upcast_out(*types)
        outputs = []
        for entry in self.transfer:
            if entry is None:
                outputs += [upcast] if not isinstance(upcast, (list, tuple)) else list(upcast)
            elif isinstance(entry, str):
                outputs.append(ps.get_scalar_type(entry))
            else:
                outputs.append(types[entry])
        return outputs

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.transfer == getattr(other, "transfer", None)

    def __hash__(self) -> int:
        return hash((type(self), self.transfer))


class Chi2SF(ps.BinaryScalarOp):
    """Survival function of the chi squared distribution with `k` degrees of freedom at `x`."""

    def impl(self, x: Any, k: Any) -> Any:
        """scipy.special.chdtrc(k, x)."""
        from scipy.special import chdtrc

        return chdtrc(k, x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """From the gradient of the regularised upper incomplete gamma function at (k / 2, x / 2)."""
        half = ps.gammaincc.make_node(inputs[1] / 2.0, inputs[0] / 2.0)
        g_k, g_x = half.op.pullback(half.inputs, half.outputs, cotangents)
        return [g_x / 2.0, g_k / 2.0]


chi2sf = Chi2SF(ps.upgrade_to_float64, name="chi2sf")


class Iv(ps.BinaryScalarOp):
    """Modified Bessel function of the first kind, of real order `v`, at `x`."""

    def impl(self, v: Any, x: Any) -> Any:
        """scipy.special.iv(v, x)."""
        from scipy.special import iv as function

        return function(v, x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the gradient by x: (iv(v - 1, x) + iv(v + 1, x)) / 2 times the output's gradient; not implemented by v."""
        v, x = inputs
        undefined = grad_not_implemented(self, 0, v, "the gradient of iv with respect to the order is not implemented")
        return [undefined, cotangents[0] * (iv(v - 1, x) + iv(v + 1, x)) / 2.0]


iv = Iv(ps.upgrade_to_float, name="iv")


class _Scaled(ps.UnaryScalarOp):
    """The input times a constant."""

    factor = 1.0

    def impl(self, x: Any) -> Any:
        """Returns `x` times the factor, in the output dtype."""
        return self.output_types([ps.get_scalar_type(np.asarray(x).dtype)])[0].filter(x * self.factor, allow_downcast=True)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the output's gradient times the factor."""
        return [cotangents[0] * np.asarray(self.factor, dtype=cotangents[0].type.dtype)]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns the C expression of the product."""
        return f"{outputs[0]} = {inputs[0]} * {self.factor!r};"


class Deg2Rad(_Scaled):
    """Converts degrees to radians."""

    factor = float(np.pi / 180.0)
    nfunc_spec = ("deg2rad", 1, 1)


class Rad2Deg(_Scaled):
    """Converts radians to degrees."""

    factor = float(180.0 / np.pi)
    nfunc_spec = ("rad2deg", 1, 1)


deg2rad = getattr(ps, "deg2rad", None) or Deg2Rad(ps.upgrade_to_float, name="deg2rad")
rad2deg = getattr(ps, "rad2deg", None) or Rad2Deg(ps.upgrade_to_float, name="rad2deg")


class XlogX(ps.UnaryScalarOp):
    """x log x, and 0 at x = 0."""

    @staticmethod
    def st_impl(x: Any) -> Any:
        """x log x of a number."""
        return x * np.log(x) if x != 0.0 else 0.0

    def impl(self, x: Any) -> Any:
        """Returns the value, computed by `st_impl`."""
        return XlogX.st_impl(x)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the output's gradient times 1 + log x."""
        return [cotangents[0] * (1 + ps.log(inputs[0]))]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns the C expression of the value. Raises NotImplementedError unless the input is float32 or float64."""
        if node.inputs[0].type.dtype not in ("float32", "float64"):
            raise NotImplementedError("only floatingpoint is implemented")
        return f"{outputs[0]} = {inputs[0]} == 0.0 ? 0.0 : {inputs[0]} * log({inputs[0]});"


class XlogY0(ps.BinaryScalarOp):
    """x log y, and 0 where x = 0."""

    @staticmethod
    def st_impl(x: Any, y: Any) -> Any:
        """x log y of two numbers."""
        return x * np.log(y) if x != 0.0 else 0.0

    def impl(self, x: Any, y: Any) -> Any:
        """Returns the value, computed by `st_impl`."""
        return XlogY0.st_impl(x, y)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the output's gradient times log y for x, and times x / y for y."""
        x, y = inputs
        return [cotangents[0] * ps.log(y), cotangents[0] * x / y]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns the C expression of the value. Raises NotImplementedError unless the first input is float32 or float64."""
        if node.inputs[0].type.dtype not in ("float32", "float64"):
            raise NotImplementedError("only floatingpoint is implemented")
        return f"{outputs[0]} = {inputs[0]} == 0.0 ? 0.0 : {inputs[0]} * log({inputs[1]});"


scalar_xlogx = XlogX(ps.upgrade_to_float, name="scalar_xlogx")
scalar_xlogy0 = XlogY0(ps.upgrade_to_float, name="scalar_xlogy0")
xlogx = Elemwise(scalar_xlogx, name="xlogx")
xlogy0 = Elemwise(scalar_xlogy0, name="xlogy0")
