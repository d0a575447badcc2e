"""Patches of images as rows of a matrix, and the inverse (`theano.tensor.nnet.neighbours`)."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from pytensor.gradient import grad_not_implemented, grad_undefined
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.basic import as_tensor_variable, concatenate, stack, zeros
from pytensor.tensor.math import ceil_intdiv
from pytensor.tensor.shape import Reshape
from pytensor.tensor.subtensor import set_subtensor
from pytensor.tensor.type import TensorType

from .op import LegacyOp, no_gradient

MODES = ("valid", "half", "full", "wrap_centered", "ignore_borders")
"""How patches meet the border.

"valid": patches fill the images exactly, others raise; "ignore_borders": elements that fill no patch are left out; "half" and "full": zeros
of half or a whole patch (minus one) around the images; "wrap_centered": patches around each step, wrapping at the border.
"""


@dataclass(frozen=True)
class Axis:
    """Positions of the patches along one spatial axis of the images."""

    image: int
    """Length of the images, in elements."""
    patch: int
    """Length of a patch, in elements."""
    step: int
    """Distance between the starts of neighbouring patches, in elements."""
    mode: str
    """One of MODES."""

    @property
    def count(self) -> int:
        """Number of patches along this axis."""
        return int(_count(self.image, self.patch, self.step, self.mode))

    @property
    def places(self) -> Any:
        """(count, patch) array: the index into the images of each element of each patch; `image` for an element outside the images."""
        places = np.arange(self.count)[:, None] * self.step + np.arange(self.patch)
        places -= {"wrap_centered": self.patch // 2, "half": self.patch // 2, "full": self.patch - 1}.get(self.mode, 0)
        if self.mode == "wrap_centered":
            return places % self.image
        return np.where((places < 0) | (places >= self.image), self.image, places)

    def check(self, number: int) -> None:
        """Raises TypeError if the patches do not fit the images exactly; `number` is the axis named in the message."""
        if self.mode == "wrap_centered":
            if self.patch % 2 != 1:
                raise TypeError("Images2Neibs: in mode wrap_centered need patch with odd shapes")
            if self.image < self.patch:
                message = "Images2Neibs: in wrap_centered mode, don't support image shapes smaller then the patch shapes: {} and {}"
                raise TypeError(message.format(self.image, self.patch))
        elif self.mode != "ignore_borders":
            rest = {"valid": self.patch, "half": self.patch % 2, "full": 2 - self.patch}[self.mode]
            if self.image < self.patch or (self.image - rest) % self.step:
                message = "neib_shape[{0}]={1}, neib_step[{0}]={2} and ten4.shape[{3}]={4} not consistent"
                raise TypeError(message.format(number, self.patch, self.step, number + 2, self.image))


def _count(image: Any, patch: Any, step: Any, mode: str) -> Any:
    """Number of patches along an axis, for integers or symbolic lengths."""
    if mode == "wrap_centered":
        return ceil_intdiv(image, step) if isinstance(image, Variable) or isinstance(step, Variable) else -(-image // step)
    rest = {"valid": patch, "ignore_borders": patch, "half": patch % 2, "full": 2 - patch}[mode]
    return 1 + (image - rest) // step


def axes(image: Any, shape: Any, step: Any, mode: str) -> tuple[Axis, Axis]:
    """Returns the patch positions along rows and columns, for the lengths of the images, of a patch and of a step.

    ValueError if a length is not positive, TypeError if the patches do not fit.
    """
    if min(step) <= 0:
        raise ValueError("neib_step wrong step ; values <= 0. Got {}".format(tuple(step)))
    if min(shape) <= 0:
        raise ValueError("neib_shape values <=0. Got {}".format(tuple(shape)))
    windows = tuple(Axis(int(n), int(patch), int(s), mode) for n, patch, s in zip(image, shape, step))
    for number, axis in enumerate(windows):
        axis.check(number)
    return windows[0], windows[1]


class Images2Neibs(LegacyOp):
    """(images, neib_shape, neib_step) -> matrix with one flattened patch in each row."""

    __props__ = ("mode",)

    def __init__(self, mode: str = "valid") -> None:
        if mode not in MODES:
            raise NotImplementedError("Only modes {} have been implemented for {}".format(", ".join(MODES), type(self).__name__))
        self.mode = mode

    def make_node(self, ten4: Any, neib_shape: Any, neib_step: Any = None) -> Apply:
        """Makes the Apply node for a 4-d tensor and two vectors of two integers; neib_step defaults to neib_shape."""
        ten4, neib_shape = as_tensor_variable(ten4), as_tensor_variable(neib_shape)
        neib_step = neib_shape if neib_step is None else as_tensor_variable(neib_step)
        if (ten4.ndim, neib_shape.ndim, neib_step.ndim) != (4, 1, 1):
            message = "images must have 4 dimensions, neib_shape and neib_step 1, got {}, {} and {}"
            raise AssertionError(message.format(ten4.type, neib_shape.type, neib_step.type))
        return Apply(self, [ten4, neib_shape, neib_step], [TensorType(ten4.type.dtype, shape=(None, None))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Gathers the elements of all patches; those outside the images are 0."""
        images, shape, step = inputs
        if len(shape) != 2 or len(step) != 2:
            raise AssertionError("neib_shape and neib_step must have 2 elements, got {} and {}".format(shape, step))
        rows, columns = (axis.places for axis in axes(images.shape[2:], shape, step, self.mode))
        if rows.max(initial=0) == images.shape[2] or columns.max(initial=0) == images.shape[3]:
            images = np.pad(images, ((0, 0), (0, 0), (0, 1), (0, 1)))
        patches = images[:, :, rows[:, None, :, None], columns[None, :, None, :]]
        output_storage[0][0] = patches.reshape(-1, int(shape[0]) * int(shape[1]))

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns (batch * channels * patches, elements of a patch)."""
        batch, channels, *image = shapes[0]
        (c, d), steps = ((v[0], v[1]) for v in node.inputs[1:])
        counts = [_count(n, patch, step, self.mode) for n, patch, step in zip(image, (c, d), steps)]
        return [(counts[0] * counts[1] * channels * batch, c * d)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Images2NeibsGrad for "valid", and for "ignore_borders" where step and shape are equal; not implemented otherwise, as in
        Theano."""
        images, shape, step = inputs
        undefined = [grad_undefined(self, 1, shape), grad_undefined(self, 2, step)]
        same = shape is step or shape.equals(step)
        if self.mode == "valid" or (self.mode == "ignore_borders" and same):
            return [Images2NeibsGrad(self.mode)(cotangents[0], shape, step, images.shape), *undefined]
        return [grad_not_implemented(self, 0, images), *undefined]


class Images2NeibsGrad(LegacyOp):
    """(patches, neib_shape, neib_step, shape of the images) -> images in which overlapping patches are added up."""

    __props__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def make_node(self, rows: Any, neib_shape: Any, neib_step: Any, shape: Any) -> Apply:
        """Makes the Apply node for a matrix with a patch in each row and three integer vectors; for the modes "valid" and
        "ignore_borders".
        """
        inputs = [as_tensor_variable(v) for v in (rows, neib_shape, neib_step, shape)]
        return Apply(self, inputs, [TensorType(inputs[0].dtype, shape=(None,) * 4)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Adds one strided slice of the images for each element of a patch."""
        rows, patch, step, shape = inputs
        batch, channels, *image = (int(n) for n in shape)
        first, second = axes(image, patch, step, self.mode)
        patches = rows.reshape(batch, channels, first.count, second.count, first.patch, second.patch)
        images = np.zeros((batch, channels, *image), rows.dtype)
        for i, j in product(range(first.patch), range(second.patch)):
            here = [slice(o, o + (a.count - 1) * a.step + 1, a.step) for o, a in ((i, first), (j, second))]
            images[:, :, here[0], here[1]] += patches[..., i, j]
        output_storage[0][0] = images

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the four lengths in the input `shape`."""
        return [tuple(node.inputs[3][i] for i in range(4))]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only the patches are connected to the output."""
        return [[True], [False], [False], [False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Images2Neibs of the output's gradient."""
        return [Images2Neibs(self.mode)(cotangents[0], *inputs[1:3]), *no_gradient(inputs[1:])]


def images2neibs(ten4: Any, neib_shape: Any, neib_step: Any = None, mode: str = "valid") -> Variable:
    """Returns a matrix with one flattened patch of the 4-d tensor `ten4` in each row; see Images2Neibs."""
    return Images2Neibs(mode)(ten4, neib_shape, neib_step)


def neibs2images(neibs: Any, neib_shape: Any, original_shape: Any, mode: str = "valid") -> Variable:
    """Returns the images of shape `original_shape` from their non-overlapping patches, one in each row of `neibs`.

    In mode "ignore_borders", elements that no patch covers are 0. Raises NotImplementedError for modes other than that and "valid".
    """
    neibs, neib_shape, original_shape = (as_tensor_variable(v) for v in (neibs, neib_shape, original_shape))
    if mode not in ("valid", "ignore_borders"):
        raise NotImplementedError("neibs2images do not support mode={}".format(mode))
    rows = stack([original_shape[-1] // neib_shape[1], neib_shape[1]])
    flat = images2neibs(neibs.dimshuffle("x", "x", 0, 1), rows, mode=mode)
    if mode == "valid":
        return Reshape(4)(flat, original_shape)
    covered = original_shape
    for axis in (0, 1):
        covered = set_subtensor(covered[2 + axis], covered[2 + axis] // neib_shape[axis] * neib_shape[axis])
    images = Reshape(4)(flat, covered)
    for axis in (2, 3):
        shape = [images.shape[i] for i in range(4)]
        shape[axis] = original_shape[axis] - covered[axis]
        images = concatenate([images, zeros(shape, dtype=images.dtype)], axis=axis)
    return images
