"""Theano's abstract convolutions: AbstractConv, its two gradients, and their fixed forms for two and three spatial axes."""

from typing import Any

from pytensor import config
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.raise_op import Assert
from pytensor.tensor.basic import as_tensor_variable, get_scalar_constant_value
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import eq
from pytensor.tensor.rewriting.basic import register_specialize
from pytensor.tensor.type import TensorType

from ..op import as_variable, flags, restored
from .base import Convolution, Forward, GradInputs, GradWeights, flipped
from .corr import CORRELATIONS


def assert_shape(x: Variable, expected_shape: Any, msg: str = "Unexpected shape.") -> Variable:
    """Returns `x` with an Assert for each known length in `expected_shape`, if the flag conv.assert_shape is set; else `x` itself."""
    if expected_shape is None or not getattr(config, "conv__assert_shape", False):
        return x
    tests = [eq(x.shape[axis], length) for axis, length in enumerate(expected_shape) if length is not None]
    return Assert(msg)(x, *tests) if tests else x


def _constants(lengths: Any, count: int, name: str) -> tuple[Any, ...]:
    """`lengths` as a tuple of constants and None (all None if it is empty); ValueError, naming `name`, for a symbolic length."""
    if not lengths:
        return (None,) * count
    lengths = tuple(lengths)
    for length in lengths:
        if length is not None:
            try:
                get_scalar_constant_value(length, only_process_constants=True)
            except NotScalarConstantError:
                raise ValueError("{} should be None or a tuple of constant int values".format(name)) from None
    return lengths


def _checked_border(border_mode: Any, convdim: int) -> Any:
    """`border_mode` in a normal form, in which equal modes compare equal: a word, or a tuple of ints and pairs of ints.

    Raises ValueError for a mode that Theano rejects, and NotImplementedError for different padding on the two sides with more than two
    axes.
    """
    if isinstance(border_mode, int):
        if border_mode < 0:
            raise ValueError("invalid border_mode {}, which must be a non-negative integer".format(border_mode))
        border_mode = (border_mode,) * convdim
    if not isinstance(border_mode, tuple):
        if border_mode not in ("valid", "full", "half"):
            message = 'invalid border_mode {}, which must be either "valid", "full", "half", an integer or a tuple of length {}'
            raise ValueError(message.format(border_mode, convdim))
        return border_mode
    if len(border_mode) != convdim:
        raise ValueError("invalid border_mode {}, which must be a tuple of length {}".format(border_mode, convdim))
    pads: list[Any] = []
    for pad in border_mode:
        if isinstance(pad, int) and pad >= 0:
            pads.append(pad)
        elif isinstance(pad, tuple) and len(pad) == 2 and all(isinstance(p, int) for p in pad) and min(pad) >= 0:
            if convdim != 2:
                raise NotImplementedError("Asymmetric padding not implemented for {}D".format(convdim))
            pads.append(pad[0] if pad[0] == pad[1] else pad)
        else:
            raise ValueError("invalid border mode {}. The tuple can only contain integers  or pairs of integers".format(border_mode))
    return tuple(pads) if any(pads) else "valid"


class BaseAbstractConv(Convolution):
    """Base class of the abstract convolutions: their options, checked as in Theano.

    `imshp` and `kshp` are the shapes of images and filters that the caller gave, with None for unknown lengths.
    """

    check_broadcast = False
    __props__ = ("convdim", "border_mode", "subsample", "filter_flip", "imshp", "kshp", "filter_dilation", "num_groups", "unshared")

    def __init__(
        self,
        convdim: int,
        imshp: Any = None,
        kshp: Any = None,
        border_mode: Any = "valid",
        subsample: Any = None,
        filter_flip: bool = True,
        filter_dilation: Any = None,
        num_groups: int = 1,
        unshared: bool = False,
    ) -> None:
        if convdim not in (2, 3):
            raise ValueError("convolution dimension {} is not supported".format(convdim))
        self.convdim = convdim
        self.border_mode = _checked_border(border_mode, convdim)
        self.imshp = _constants(imshp, 2 + convdim, "imshp")
        self.kshp = _constants(kshp, 2 + (2 if unshared else 1) * convdim, "kshp")
        self.filter_flip = filter_flip
        self.subsample = tuple(subsample) if subsample is not None else (1,) * convdim
        self.filter_dilation = tuple(filter_dilation) if filter_dilation is not None else (1,) * convdim
        if len(self.subsample) != convdim:
            raise ValueError("subsample must have {} elements".format(convdim))
        if len(self.filter_dilation) != convdim:
            raise ValueError("filter_dilation must have {} elements".format(convdim))
        if num_groups < 1:
            raise ValueError("num_groups must have value greater than zero")
        self.num_groups = num_groups
        if unshared and convdim != 2:
            raise NotImplementedError("Unshared convolution not implemented for {}D".format(convdim))
        self.unshared = unshared

    def other(self, kind: str) -> Any:
        """Returns the Op with the same options for "forward", "weights" or "inputs"; gradient Ops created here add no shape assertions."""
        op = _OPS[self.convdim, kind](
            self.imshp,
            self.kshp,
            self.border_mode,
            self.subsample,
            self.filter_flip,
            self.filter_dilation,
            num_groups=self.num_groups,
            **({"unshared": self.unshared} if self.convdim == 2 else {}),
        )
        return op if kind == "forward" else lambda *inputs: op(*inputs, add_assert_shape=False)

    def _typed(self, other: Variable, like: Variable) -> Variable:
        """`other` as a Variable of the kind of `like`, with its own dtype and shape."""
        return like.type.clone(dtype=other.type.dtype, shape=other.type.shape).filter_variable(other)

    def _known_or(self, given: Any, lengths: Any) -> list[Any]:
        """The lengths in `given`, with None replaced by the length in `lengths`."""
        return [length if size is None else size for size, length in zip(given, lengths)]


class AbstractConv(BaseAbstractConv, Forward):
    """Convolution of images (batch, channels, *space) with filters (filters, channels, *kernel)."""

    def make_node(self, img: Any, kern: Any) -> Apply:
        """Makes the Apply node for images and filters, whose output has the dtype of the images. Raises TypeError for wrong ranks."""
        img, kern = as_variable(img), as_variable(kern)
        kern = self._typed(kern, img)
        self.check_images(img, "img")
        self.check_filters(kern)
        img = assert_shape(img, self.imshp, "AbstractConv shape mismatch: shape of image does not match given imshp.")
        kern = assert_shape(kern, self.kshp, "AbstractConv shape mismatch: shape of filters does not match given kshp.")
        pattern = [img.type.broadcastable[0], kern.type.broadcastable[0]] + [False] * self.convdim
        return Apply(self, [img, kern], [img.type.clone(shape=flags(pattern))()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the output; lengths in `imshp` and `kshp` take precedence over those of the inputs."""
        images, filters = shapes
        return super().output_shapes(node, [self._known_or(self.imshp, images), self._known_or(self.kshp, filters)])


class AbstractConv_gradWeights(BaseAbstractConv, GradWeights):
    """Gradient of the filters of AbstractConv."""

    def make_node(self, img: Any, topgrad: Any, shape: Any, add_assert_shape: bool = True) -> Apply:
        """Makes the Apply node for the images, the output's gradient `topgrad` and the spatial shape of the filters."""
        img, topgrad = as_variable(img), as_variable(topgrad)
        topgrad = self._typed(topgrad, img)
        self.check_images(img, "img")
        self.check_images(topgrad, "topgrad")
        if add_assert_shape:
            img = assert_shape(img, self.imshp, "AbstractConv_gradWeights shape mismatch: shape of image does not match given imshp.")
        free = [False] * self.convdim
        pattern = [topgrad.type.broadcastable[1]] + free * bool(self.unshared) + [img.type.broadcastable[1]] + free
        return Apply(self, [img, topgrad, as_tensor_variable(shape)], [img.type.clone(shape=flags(pattern))()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the filters; lengths in `kshp` take precedence over those from the inputs."""
        images, top = shapes[:2]
        places = list(top[2:]) if self.unshared else []
        kernel = [node.inputs[2][i] for i in range(self.convdim)]
        return [tuple(self._known_or(self.kshp, [top[1], *places, images[1] // self.num_groups, *kernel]))]


class AbstractConv_gradInputs(BaseAbstractConv, GradInputs):
    """Gradient of the images of AbstractConv."""

    def make_node(self, kern: Any, topgrad: Any, shape: Any, add_assert_shape: bool = True) -> Apply:
        """Makes the Apply node for the filters, the output's gradient `topgrad` and the spatial shape of the images."""
        kern, topgrad = as_variable(kern), as_variable(topgrad)
        topgrad = self._typed(topgrad, kern)
        self.check_filters(kern)
        self.check_images(topgrad, "topgrad")
        if add_assert_shape:
            kern = assert_shape(kern, self.kshp, "AbstractConv_gradInputs shape mismatch: shape of filters does not match given kshp.")
        channels = self.num_groups == 1 and kern.type.broadcastable[-self.convdim - 1]
        pattern = [topgrad.type.broadcastable[0], channels] + [False] * self.convdim
        output = TensorType(kern.type.dtype, shape=flags(pattern)) if self.unshared else kern.type.clone(shape=flags(pattern))
        return Apply(self, [kern, topgrad, as_tensor_variable(shape)], [output()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the images; lengths in `imshp` take precedence over those from the inputs."""
        filters, top = shapes[:2]
        channels = filters[-self.convdim - 1] * self.num_groups if self.num_groups > 1 else filters[-self.convdim - 1]
        return [tuple(self._known_or(self.imshp, [top[0], channels, *(node.inputs[2][i] for i in range(self.convdim))]))]


def _fixed(base: Any, ndim: int, name: str) -> Any:
    """Subclass of `base` called `name` whose constructor has no `convdim`: it is `ndim`, 2 or 3."""

    if ndim == 2:

        def __init__(
            self: Any,
            imshp: Any = None,
            kshp: Any = None,
            border_mode: Any = "valid",
            subsample: Any = (1, 1),
            filter_flip: bool = True,
            filter_dilation: Any = (1, 1),
            num_groups: int = 1,
            unshared: bool = False,
        ) -> None:
            base.__init__(self, 2, imshp, kshp, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)

    else:

        def __init__(  # type: ignore[misc]
            self: Any,
            imshp: Any = None,
            kshp: Any = None,
            border_mode: Any = "valid",
            subsample: Any = (1, 1, 1),
            filter_flip: bool = True,
            filter_dilation: Any = (1, 1, 1),
            num_groups: int = 1,
        ) -> None:
            base.__init__(self, 3, imshp, kshp, border_mode, subsample, filter_flip, filter_dilation, num_groups)

    return type(name, (base,), {"__init__": __init__, "__doc__": base.__doc__, "__module__": __name__, "__qualname__": name})


AbstractConv2d = _fixed(AbstractConv, 2, "AbstractConv2d")
AbstractConv3d = _fixed(AbstractConv, 3, "AbstractConv3d")
AbstractConv2d_gradWeights = _fixed(AbstractConv_gradWeights, 2, "AbstractConv2d_gradWeights")
AbstractConv3d_gradWeights = _fixed(AbstractConv_gradWeights, 3, "AbstractConv3d_gradWeights")
AbstractConv2d_gradInputs = _fixed(AbstractConv_gradInputs, 2, "AbstractConv2d_gradInputs")
AbstractConv3d_gradInputs = _fixed(AbstractConv_gradInputs, 3, "AbstractConv3d_gradInputs")
_OPS = {
    (2, "forward"): AbstractConv2d,
    (3, "forward"): AbstractConv3d,
    (2, "weights"): AbstractConv2d_gradWeights,
    (3, "weights"): AbstractConv3d_gradWeights,
    (2, "inputs"): AbstractConv2d_gradInputs,
    (3, "inputs"): AbstractConv3d_gradInputs,
}


def _correlation(op: Any, kind: str) -> Any:
    """The CorrMM or Corr3dMM Op of direction `kind` with the options of the abstract convolution `op`."""
    options = {"num_groups": op.num_groups}
    if op.convdim == 2:
        options["unshared"] = op.unshared
    return CORRELATIONS[op.convdim, kind](op.border_mode, op.subsample, op.filter_dilation, **options)


def _replaced(node: Any, value: Any) -> Any:
    value = restored(value, node.outputs[0])
    copy_stack_trace(node.outputs[0], value)
    return [value]


@register_specialize
@node_rewriter([AbstractConv])
def local_abstractconv_gemm(fgraph: Any, node: Any) -> Any:
    """Rewrites AbstractConv to CorrMM or Corr3dMM, if the dtypes are equal; with flipped filters if `filter_flip` is set."""
    images, filters = node.inputs
    if images.dtype != filters.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "forward")(images, filters))


@register_specialize
@node_rewriter([AbstractConv_gradWeights])
def local_abstractconv_gradweight_gemm(fgraph: Any, node: Any) -> Any:
    """Rewrites AbstractConv_gradWeights to CorrMM_gradWeights or Corr3dMM_gradWeights, if the dtypes are equal."""
    images, top, shape = node.inputs
    if images.dtype != top.dtype:
        return None
    filters = _correlation(node.op, "weights")(images, top, shape)
    return _replaced(node, flipped(filters, node.op.convdim) if node.op.filter_flip else filters)


@register_specialize
@node_rewriter([AbstractConv_gradInputs])
def local_abstractconv_gradinputs_gemm(fgraph: Any, node: Any) -> Any:
    """Rewrites AbstractConv_gradInputs to CorrMM_gradInputs or Corr3dMM_gradInputs, if the dtypes are equal."""
    filters, top, shape = node.inputs
    if filters.dtype != top.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "inputs")(filters, top, shape))
