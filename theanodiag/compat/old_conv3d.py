"""conv3D of Theano until 0.9 and its two gradients, whose axes are (batch, row, column, time, channel), by later convolutions.

Nothing is flipped: output[b, r, c, t, j] = bias[j] + the sum of W[j, k, l, m, z] * V[b, d0 r + k, d1 c + l, d2 t + m, z]. Written for any
framework with conv3d, Theano 1.0.5 on CPython 2.7 among them: the functions are passed in.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANNELS_FIRST = (0, 4, 1, 2, 3)
"""Order of axes that turns (batch, row, column, time, channel) into (batch, channel, row, column, time)."""
CHANNELS_LAST = (0, 2, 3, 4, 1)
"""Order of axes that turns (batch, channel, row, column, time) into (batch, row, column, time, channel)."""


class Volumes(object):
    """conv3D, convGrad3D and convTransp3D for a framework: its `tensor` module, conv3d and the two gradients of conv3d."""

    def __init__(self, tensor: "Any", conv3d: "Any", wrt_inputs: "Any", wrt_weights: "Any") -> None:
        self.tensor, self.conv3d, self.wrt_inputs, self.wrt_weights = tensor, conv3d, wrt_inputs, wrt_weights

    def _strides(self, d: "Any") -> "Any":
        """Strides `d` as ints; NotImplementedError where they are symbolic."""
        try:
            given = d if isinstance(d, (tuple, list)) else self.tensor.as_tensor_variable(d).data
            return tuple(int(n.data if hasattr(n, "data") else n) for n in given)
        except (AttributeError, TypeError):
            raise NotImplementedError("conv3D takes strides that are known when the graph is built, such as (1, 1, 1)")

    def _first(self, x: "Any") -> "Any":
        """`x` with its channels as axis 1."""
        return self.tensor.as_tensor_variable(x).dimshuffle(*CHANNELS_FIRST)

    def _last(self, x: "Any", b: "Any" = None) -> "Any":
        """`x` with its channels as the last axis, plus the bias `b` of each channel."""
        out = x.dimshuffle(*CHANNELS_LAST)
        return out if b is None else out + self.tensor.as_tensor_variable(b)

    def conv3D(self, V: "Any", W: "Any", b: "Any", d: "Any") -> "Any":
        """Cross-correlation of the volumes `V` with the filters `W` at strides `d`, plus the bias `b` of each filter."""
        out = self.conv3d(self._first(V), self._first(W), border_mode="valid", subsample=self._strides(d), filter_flip=False)
        return self._last(out, b)

    def convGrad3D(self, V: "Any", d: "Any", WShape: "Any", dCdH: "Any") -> "Any":
        """Gradient of the filters of conv3D, of shape `WShape`, from the output's gradient `dCdH`."""
        lengths = self.tensor.as_tensor_variable(WShape)
        options = {"border_mode": "valid", "subsample": self._strides(d), "filter_flip": False}
        shape = (None, None, lengths[1], lengths[2], lengths[3])
        return self._last(self.wrt_weights(self._first(V), self._first(dCdH), shape, **options))

    def convTransp3D(self, W: "Any", b: "Any", d: "Any", H: "Any", RShape: "Any" = None) -> "Any":
        """Gradient of the volumes of conv3D from the output's gradient `H`, plus the bias `b` of each channel.

        `RShape` is (rows, columns, times) of the volumes; by default, and at least, the smallest that give this output.
        """
        t, strides = self.tensor, self._strides(d)
        filters, given = t.as_tensor_variable(W), t.as_tensor_variable(H)
        lengths = [(given.shape[axis + 1] - 1) * strides[axis] + filters.shape[axis + 1] for axis in range(3)]
        if RShape is not None:
            asked = t.as_tensor_variable(RShape)
            lengths = [t.maximum(asked[axis], lengths[axis]) for axis in range(3)]
        options = {"border_mode": "valid", "subsample": strides, "filter_flip": False}
        return self._last(self.wrt_inputs(self._first(given), self._first(filters), (None, None) + tuple(lengths), **options), b)
