"""Theano's CorrMM and Corr3dMM: cross-correlations over two and three spatial axes, and their gradients."""

from typing import Any

from pytensor.graph.basic import Apply, Variable
from pytensor.scalar.basic import upcast
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.type import TensorType

from ..op import flags
from .base import Convolution, Forward, GradInputs, GradWeights
from .shapes import get_conv_gradinputs_shape_1axis


def _pairs(border_mode: Any) -> Any:
    """`border_mode` in CorrMM's form: a word, or a pair (before, behind) for each of two axes. Raises ValueError for an invalid mode."""
    if isinstance(border_mode, int):
        if border_mode < 0:
            raise ValueError("invalid border_mode {}, which must be a non-negative integer".format(border_mode))
        return ((border_mode, border_mode),) * 2
    if not isinstance(border_mode, tuple):
        if border_mode not in ("valid", "full", "half"):
            words = '"valid", "full", "half", an integer or a tuple of two integers or a pair of integers'
            raise ValueError("invalid border_mode {}, which must be either {}".format(border_mode, words))
        return border_mode
    if len(border_mode) != 2:
        raise ValueError("invalid border_mode {} which must be a tuple of length 2".format(border_mode))
    pads = []
    for pad in border_mode:
        if isinstance(pad, tuple) and len(pad) == 2 and min(pad) >= 0:
            pads.append((int(pad[0]), int(pad[1])))
        elif not isinstance(pad, tuple) and pad >= 0:
            pads.append((int(pad), int(pad)))
        else:
            raise ValueError("invalid border mode {}. The tuple can only contain integers or tuples of length 2".format(border_mode))
    return tuple(pads)


def _triple(border_mode: Any) -> Any:
    """`border_mode` in Corr3dMM's form: a word, or one padding for each of three axes. Raises ValueError for an invalid mode."""
    if isinstance(border_mode, int):
        if border_mode < 0:
            raise ValueError("invalid border_mode {}, which must be a non-negative integer".format(border_mode))
        return (border_mode,) * 3
    if isinstance(border_mode, tuple):
        if len(border_mode) != 3 or min(border_mode) < 0:
            raise ValueError("invalid border_mode {}, which must be a tuple of three non-negative integers".format(border_mode))
        return tuple(map(int, border_mode))
    if border_mode not in ("valid", "full", "half"):
        message = 'invalid border_mode {}, which must be either "valid", "full", "half", an integer or a tuple of three integers'
        raise ValueError(message.format(border_mode))
    return border_mode


class _Correlation(Convolution):
    """Base class of all correlation Ops: their options and checks."""

    check_broadcast = False
    kind: str
    """Direction: "forward", "weights" or "inputs"."""

    def _set(self, border_mode: Any, subsample: Any, filter_dilation: Any, num_groups: int, unshared: bool) -> None:
        words = {2: "two", 3: "three"}[self.convdim]
        if len(subsample) != self.convdim:
            raise ValueError("subsample must have {} elements".format(words))
        if len(filter_dilation) != self.convdim:
            raise ValueError("filter_dilation must have {} elements".format(words))
        if num_groups < 1:
            raise ValueError("Number of groups should be greater than 0")
        self.border_mode = border_mode
        self.subsample, self.filter_dilation = tuple(subsample), tuple(filter_dilation)
        self.num_groups, self.unshared = num_groups, unshared

    @property
    def _direction(self) -> str:
        return {"forward": "forward", "weights": "backprop weights", "inputs": "backprop inputs"}[self.kind]

    @staticmethod
    def as_common_dtype(in1: Variable, in2: Variable) -> tuple[Variable, Variable]:
        """Returns both inputs cast to the upcast of their dtypes."""
        dtype = upcast(in1.dtype, in2.dtype)
        return in1.astype(dtype), in2.astype(dtype)

    def _inputs(self, first: Any, second: Any) -> tuple[Variable, Variable]:
        return self.as_common_dtype(as_tensor_variable(first), as_tensor_variable(second))

    def _lengths(self, shape: Any, needed: bool, why: str) -> list[Variable]:
        """The spatial shape as int64 scalars; empty if `shape` is None. Raises ValueError, with the reason `why`, if it is None and
        `needed`."""
        if shape is None:
            if needed:
                raise ValueError("shape must be given if " + why)
            return []
        return [as_tensor_variable(shape[i]).astype("int64") for i in range(self.convdim)]

    def _strided(self) -> bool:
        return self.subsample != (1,) * self.convdim

    def other(self, kind: str) -> Any:
        """Returns the Op with the same options for another direction `kind`."""
        options: dict[str, Any] = {"num_groups": self.num_groups}
        if self.convdim == 2:
            options["unshared"] = self.unshared
        return CORRELATIONS[self.convdim, kind](self.border_mode, self.subsample, self.filter_dilation, **options)

    def _pattern(self, *flags_of: bool) -> tuple[Any, ...]:
        return flags([*flags_of] + [False] * self.convdim)


class BaseCorrMM(_Correlation):
    """Base class of the correlations over two spatial axes."""

    __props__ = ("border_mode", "subsample", "filter_dilation", "num_groups", "unshared")
    convdim = 2

    def __init__(
        self,
        border_mode: Any = "valid",
        subsample: Any = (1, 1),
        filter_dilation: Any = (1, 1),
        num_groups: int = 1,
        unshared: bool = False,
        openmp: Any = None,
    ) -> None:
        self._set(_pairs(border_mode), subsample, filter_dilation, num_groups, unshared)

    @property
    def pad(self) -> Any:
        """Padding (before, behind) of each axis; -1 stands for "half" and -2 for "full"."""
        words = {"half": ((-1, -1),) * 2, "full": ((-2, -2),) * 2, "valid": ((0, 0),) * 2}
        return self.border_mode if isinstance(self.border_mode, tuple) else words[self.border_mode]


class BaseCorr3dMM(_Correlation):
    """Base class of the correlations over three spatial axes."""

    __props__ = ("border_mode", "subsample", "filter_dilation", "num_groups")
    convdim = 3

    def __init__(
        self,
        border_mode: Any = "valid",
        subsample: Any = (1, 1, 1),
        filter_dilation: Any = (1, 1, 1),
        openmp: Any = None,
        num_groups: int = 1,
    ) -> None:
        self._set(_triple(border_mode), subsample, filter_dilation, num_groups, False)

    @property
    def pad(self) -> Any:
        """Padding on each side of each axis; -1 stands for "half" and -2 for "full"."""
        words = {"half": (-1,) * 3, "full": (-2,) * 3, "valid": (0,) * 3}
        return self.border_mode if isinstance(self.border_mode, tuple) else words[self.border_mode]


class _CorrForward(_Correlation, Forward):
    kind = "forward"

    def make_node(self, img: Any, kern: Any) -> Apply:
        """Makes the Apply node for images and filters in their common dtype. Raises TypeError for wrong ranks."""
        img, kern = self._inputs(img, kern)
        self.check_images(img, "img")
        self.check_filters(kern)
        shape = self._pattern(img.type.broadcastable[0], kern.type.broadcastable[0])
        return Apply(self, [img, kern], [TensorType(img.type.dtype, shape=shape)()])


class _CorrWeights(_Correlation, GradWeights):
    kind = "weights"

    def make_node(self, img: Any, topgrad: Any, shape: Any = None, *more: Any) -> Apply:
        """Makes the Apply node for the images and the output's gradient `topgrad` in their common dtype.

        `shape`, the spatial shape of the filters, is needed with a stride or the mode "half": ValueError without it. A node that is made
        again, from its inputs, has one length a dimension in place of `shape`.
        """
        img, topgrad = self._inputs(img, topgrad)
        self.check_images(img, "img")
        self.check_images(topgrad, "topgrad")
        needed = self._strided() or self.border_mode == "half"
        why = 'subsample != {} or border_mode == "half"'.format((1,) * self.convdim)
        lengths = self._lengths((shape, *more) if more else shape, needed, why)
        filters, channels = topgrad.type.broadcastable[1], img.type.broadcastable[1]
        pattern = self._pattern(filters, False, False, channels) if self.unshared else self._pattern(filters, channels)
        return Apply(self, [img, topgrad, *lengths], [TensorType(img.type.dtype, shape=pattern)()])

    def kernel_shape(self, node: Apply, images: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Returns the spatial shape of the filters: given as an input, else computed from images and outputs."""
        return super().kernel_shape(node, images, top, inputs) if len(inputs) > 2 else self._kernel(images, top)

    def _kernel(self, images: Any, top: Any) -> Any:
        """The spatial shape of the filters, from images and outputs; valid for stride 1 and every border mode except "half"."""
        kernel = []
        for axis in range(self.convdim):
            length, out = images[2 + axis], top[2 + axis]
            if self.border_mode == "full":
                dilated = out - length + 1
            else:
                pad = self.border_mode[axis] if isinstance(self.border_mode, tuple) else 0
                dilated = length + (sum(pad) if isinstance(pad, tuple) else 2 * pad) - out + 1
            kernel.append((dilated - 1) // self.filter_dilation[axis] + 1)
        return tuple(kernel)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the filters."""
        images, top = shapes[:2]
        kernel = tuple(node.inputs[2:]) if len(node.inputs) > 2 else self._kernel(images, top)
        places = tuple(top[2:]) if self.unshared else ()
        return [(top[1], *places, images[1] // self.num_groups, *kernel)]


class _CorrInputs(_Correlation, GradInputs):
    kind = "inputs"

    def make_node(self, kern: Any, topgrad: Any, shape: Any = None, *more: Any) -> Apply:
        """Makes the Apply node for the filters and the output's gradient `topgrad` in their common dtype.

        `shape`, the spatial shape of the images, is needed with a stride: ValueError without it. A node that is made again, from its
        inputs, has one length a dimension in place of `shape`.
        """
        kern, topgrad = self._inputs(kern, topgrad)
        self.check_filters(kern)
        self.check_images(topgrad, "topgrad")
        lengths = self._lengths((shape, *more) if more else shape, self._strided(), "subsample != {}".format((1,) * self.convdim))
        channels = self.num_groups == 1 and kern.type.broadcastable[-self.convdim - 1]
        pattern = self._pattern(topgrad.type.broadcastable[0], channels)
        return Apply(self, [kern, topgrad, *lengths], [TensorType(kern.type.dtype, shape=pattern)()])

    def _image(self, filters: Any, top: Any) -> Any:
        """The spatial shape of the images, from filters and outputs; valid for stride 1."""
        modes = self.border_mode if isinstance(self.border_mode, tuple) else (self.border_mode,) * self.convdim
        axes = zip(filters[-self.convdim :], top[2:], modes, self.subsample, self.filter_dilation)
        return tuple(get_conv_gradinputs_shape_1axis(*axis) for axis in axes)

    def image_shape(self, node: Apply, filters: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Returns the spatial shape of the images: given as an input, else computed from filters and outputs."""
        image = super().image_shape(node, filters, top, inputs) if len(inputs) > 2 else self._image(filters, top)
        return tuple(map(int, image))

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the images."""
        filters, top = shapes[:2]
        image = tuple(node.inputs[2:]) if len(node.inputs) > 2 else self._image(filters, top)
        channels = filters[-self.convdim - 1]
        return [(top[0], channels * self.num_groups if self.num_groups > 1 else channels, *image)]


class CorrMM(BaseCorrMM, _CorrForward):
    """Cross-correlation of images with filters over two spatial axes."""


class CorrMM_gradWeights(BaseCorrMM, _CorrWeights):
    """Gradient of the filters of CorrMM."""


class CorrMM_gradInputs(BaseCorrMM, _CorrInputs):
    """Gradient of the images of CorrMM."""


class Corr3dMM(BaseCorr3dMM, _CorrForward):
    """Cross-correlation of images with filters over three spatial axes."""


class Corr3dMM_gradWeights(BaseCorr3dMM, _CorrWeights):
    """Gradient of the filters of Corr3dMM."""


class Corr3dMM_gradInputs(BaseCorr3dMM, _CorrInputs):
    """Gradient of the images of Corr3dMM."""


CORRELATIONS = {
    (2, "forward"): CorrMM,
    (2, "weights"): CorrMM_gradWeights,
    (2, "inputs"): CorrMM_gradInputs,
    (3, "forward"): Corr3dMM,
    (3, "weights"): Corr3dMM_gradWeights,
    (3, "inputs"): Corr3dMM_gradInputs,
}
"""Correlation Op by (number of spatial axes, direction)."""
