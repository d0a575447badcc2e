"""Activations and binary cross-entropies with Theano's formulas (`theano.tensor.nnet.sigm` and `theano.tensor.nnet.nnet`)."""

from typing import Any

import numpy as np
from pytensor.compile.mode import optdb
from pytensor.graph.basic import Variable
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.scalar.basic import UnaryScalarOp, upgrade_to_float, upgrade_to_float_no_complex
from pytensor.scalar.math import Sigmoid
from pytensor.tensor.basic import as_tensor_variable, constant, switch
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.math import clip, expm1, gt, log, sigmoid, softplus

from .scalars import transfer_type


class UltraFastScalarSigmoid(UnaryScalarOp):
    """Approximation of the sigmoid in three pieces without an exponential (Theano 1.0.5, sigm.py); it has no gradient."""

    nfunc_spec = None

    @staticmethod
    def st_impl(x: Any) -> Any:
        """Returns the approximated sigmoid of a number or an array."""
        half = 0.5 * np.asarray(x)
        size = np.abs(half)
        middle = 0.935409070603099 + 0.0458812946797165 * (size - 1.7)
        value = np.where(size < 1.7, 1.5 * size / (1 + size), np.where(size < 3, middle, 0.99505475368673))
        return 0.5 * (np.copysign(value, half) + 1.0)

    def impl(self, x: Any) -> Any:
        """Returns the value, computed by `st_impl`."""
        return self.st_impl(x)[()]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns the C statements of the three pieces."""
        dtype = node.outputs[0].type.dtype_specs()[1]
        return """{{
            {t} half = 0.5 * {x}, size = half < 0 ? -half : half, value;
            if (size < 1.7) value = 1.5 * size / (1. + size);
            else if (size < 3.) value = 0.935409070603099 + 0.0458812946797165 * (size - 1.7);
            else value = 0.99505475368673;
            {z} = 0.5 * ((half < 0 ? -value : value) + 1.);
        }}""".format(t=dtype, x=inputs[0], z=outputs[0])

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Returns the version of the C code."""
        return (1,)


ultra_fast_scalar_sigmoid = UltraFastScalarSigmoid(upgrade_to_float, name="ultra_fast_scalar_sigmoid")
ultra_fast_sigmoid = Elemwise(ultra_fast_scalar_sigmoid, name="ultra_fast_sigmoid")


class ScalarSoftsign(UnaryScalarOp):
    """Softsign of a scalar: x / (1 + |x|)."""

    nfunc_spec = None

    @staticmethod
    def static_impl(x: Any) -> Any:
        """x / (1 + |x|), for a number."""
        return x / (1.0 + abs(x))

    def impl(self, x: Any) -> Any:
        """Returns the value, computed by `static_impl`."""
        return self.static_impl(x)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the output's gradient divided by (1 + |x|)^2."""
        (x,), (g,) = inputs, cotangents
        size = 1.0 + abs(x)
        return [g / (size * size)]

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        """Returns the C expression of the value. Raises NotImplementedError unless the input is float32 or float64."""
        if node.inputs[0].type.dtype not in ("float32", "float64"):
            raise NotImplementedError("only floating point x is implemented")
        return "{z} = {x} / (1.0 + fabs({x}));".format(x=inputs[0], z=outputs[0])

    def c_code_cache_version(self) -> tuple[int, ...]:
        """Returns the version of the C code."""
        return (1,)


scalar_softsign = ScalarSoftsign(upgrade_to_float_no_complex, name="scalar_softsign")
softsign = Elemwise(scalar_softsign, name="softsign")


def hard_sigmoid(x: Any) -> Variable:
    """Piecewise linear sigmoid: clip(0.2 x + 0.5, 0, 1), in the float dtype of `x` or the one that its integers are cast to."""
    x = as_tensor_variable(x)
    dtype = _float_of(x.dtype)
    return clip(x * constant(0.2, dtype=dtype) + constant(0.5, dtype=dtype), 0, 1)


def _float_of(dtype: str) -> str:
    if dtype.startswith(("float", "complex")):
        return dtype
    return "float32" if dtype in ("bool", "int8", "uint8", "int16", "uint16") else "float64"


@node_rewriter([sigmoid])
def local_ultra_fast_sigmoid(fgraph: Any, node: Any) -> Any:
    """Replaces sigmoid by ultra_fast_sigmoid; only in modes that include this rewrite by its name."""
    result = ultra_fast_sigmoid(node.inputs[0])
    copy_stack_trace(node.outputs[0], result)
    return [result]


@node_rewriter([sigmoid])
def local_hard_sigmoid(fgraph: Any, node: Any) -> Any:
    """Replaces sigmoid by hard_sigmoid; only in modes that include this rewrite by its name."""
    result = hard_sigmoid(node.inputs[0])
    copy_stack_trace(node.outputs[0], result)
    return [result]


for _rewrite in (local_ultra_fast_sigmoid, local_hard_sigmoid):
    optdb["uncanonicalize"].register(_rewrite.__name__, _rewrite)


def relu(x: Any, alpha: Any = 0) -> Variable:
    """max(x, alpha * x), for alpha up to 1, written without a comparison as Theano does: 0.5 (1 + alpha) x + 0.5 (1 - alpha) |x|."""
    if isinstance(alpha, (int, float)) and alpha == 0:
        return 0.5 * (x + abs(x))
    alpha = as_tensor_variable(alpha)
    return 0.5 * (1 + alpha) * x + 0.5 * (1 - alpha) * abs(x)


def elu(x: Any, alpha: Any = 1) -> Variable:
    """Exponential linear unit: x where x > 0, else alpha * (exp(x) - 1)."""
    return switch(gt(x, 0), x, alpha * expm1(x))


def selu(x: Any) -> Variable:
    """Scaled exponential linear unit: 1.0507... * elu(x, 1.6732...), with the constants of Klambauer et al. 2017."""
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def binary_crossentropy(output: Any, target: Any) -> Variable:
    """Elementwise -(target log(output) + (1 - target) log(1 - output)), where `output` is a probability."""
    return -(target * log(output) + (1.0 - target) * log(1.0 - output))


def sigmoid_binary_crossentropy(output: Any, target: Any) -> Variable:
    """Elementwise binary_crossentropy(sigmoid(output), target) from the scores `output`, without overflow.

    The gradient is sigmoid(output) - target also at 0. The gradient of -abs(output), which Theano uses with a gradient of its own, would be
    wrong there.
    """
    positive = gt(output, 0)
    return softplus(switch(positive, -output, output)) + output * (positive - target)


sigmoid_inplace = Elemwise(Sigmoid(transfer_type(0)), {0: 0}, name="sigmoid_inplace")
ultra_fast_sigmoid_inplace = Elemwise(UltraFastScalarSigmoid(transfer_type(0)), {0: 0}, name="ultra_fast_sigmoid_inplace")
