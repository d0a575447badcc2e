"""Arrays of the stand-in: geometry, sharing and values are those of pygpu, and zeros take no memory."""

from __future__ import annotations

import copy
import resource

import pytest

numpy = pytest.importorskip("numpy")

from theanodiag.agent.simulated_gpu.pygpu import array, ascontiguousarray, blas, concatenate, elemwise, empty, init, zeros  # noqa: E402
from theanodiag.agent.simulated_gpu.pygpu.gpuarray import dtype_to_ctype, dtype_to_typecode, may_share_memory  # noqa: E402
from theanodiag.agent.walk.graph import memory_of  # noqa: E402

CARD = init("cuda0")
TERABYTE = 1 << 40


def on_card(values, **more):
    """Values on the device."""
    return array(numpy.asarray(values), context=CARD, **more)


def numbers(*shape):
    """0, 1, 2, ..."""
    return numpy.arange(numpy.prod(shape), dtype="float32").reshape(shape)


class TestValues:
    """What was set comes back."""

    def test_a_round_trip_copies(self):
        """Neither the array given nor the one got back is the device's."""
        given = numbers(3, 4)
        held = on_card(given)
        given[0] = 9
        got = numpy.asarray(held)
        got[1] = 7
        assert numpy.array_equal(numpy.asarray(held), numbers(3, 4))

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_write_replaces_everything(self, order):
        """`write` takes an array in either order."""
        held = zeros((3, 4), "float32", order, CARD)
        held.write(numpy.asarray(numbers(3, 4), order=order))
        assert numpy.array_equal(numpy.asarray(held), numbers(3, 4))

    def test_write_to_a_part_leaves_the_rest(self):
        """A contiguous view is written in place."""
        held = on_card(numbers(3, 4))
        held[1].write(numpy.full(4, -1, "float32"))
        assert numpy.asarray(held)[:, 0].tolist() == [0, -1, 8]

    def test_write_of_another_type_is_refused(self):
        """As by pygpu."""
        with pytest.raises(ValueError, match="matching data types"):
            zeros((3,), "float32", context=CARD).write(numpy.zeros(3))

    @pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda a: a.copy(), lambda a: array(a)])
    def test_copies_have_memory_of_their_own(self, make):
        """Whichever way a copy is made."""
        held = on_card(numbers(3, 4))
        other = make(held)
        other[...] = 1
        assert numpy.array_equal(numpy.asarray(held), numbers(3, 4))
        assert not may_share_memory(held, other)

    def test_negative_zero_is_kept(self):
        """Only all bits zero count as nothing."""
        assert numpy.signbit(numpy.asarray(on_card(numpy.array([-0.0]))))[0]


class TestViews:
    """Views share memory."""

    @pytest.mark.parametrize(
        "key", [1, (1, 2), slice(None, None, -1), (Ellipsis, 0), (slice(1, None), slice(None, None, 2)), (None, 2), ()]
    )
    def test_indexing_is_numpys(self, key):
        """Shape, strides and values of basic indices."""
        held, host = on_card(numbers(3, 4)), numbers(3, 4)
        assert held[key].shape == host[key].shape
        assert numpy.array_equal(numpy.asarray(held[key]), host[key])

    def test_writing_through_a_view_of_zeros(self):
        """The memory comes into being in both."""
        held = zeros((3, 4), "float32", context=CARD)
        held.T[0] = 5
        assert numpy.asarray(held)[:, 0].tolist() == [5, 5, 5]
        assert may_share_memory(held, held.reshape((12,)))

    def test_the_address_of_a_view_lies_behind_that_of_its_base(self):
        """By as many bytes as in numpy."""
        held = on_card(numbers(3, 4))
        assert held[1:, 2].gpudata - held.gpudata == 24

    def test_fancy_indices_are_refused(self):
        """As by pygpu."""
        with pytest.raises(NotImplementedError):
            on_card(numbers(3, 4))[[0, 1]]

    def test_what_fits_is_not_copied(self):
        """`copy=False` and `ascontiguousarray` give the array itself, or its copy in order."""
        held = on_card(numbers(3, 4))
        assert array(held, copy=False, context=CARD) is held
        assert ascontiguousarray(held, context=CARD) is held
        assert ascontiguousarray(held.T, context=CARD).flags["C_CONTIGUOUS"]

    @pytest.mark.parametrize("key", [slice(None), slice(1, None), slice(None, None, -1), (slice(None), 2), slice(3, None)])
    def test_a_view_is_in_the_memory_of_its_base(self, key):
        """Wherever it begins: a constant folded out of another one takes no memory of its own."""
        held, host = on_card(numbers(3, 4)), numbers(3, 4)
        assert memory_of(held[key]) == memory_of(held) != memory_of(held.copy())
        assert memory_of(host) != memory_of(host[key])


class TestMemory:
    """What nobody wrote to takes no memory."""

    def test_a_terabyte_of_zeros(self):
        """It can be made, looked at, indexed, transposed and reshaped."""
        held = zeros((TERABYTE,), "int8", context=CARD)
        assert held.nbytes == TERABYTE
        assert held.reshape((1 << 20, 1 << 20)).T[5:, ::2].shape == ((1 << 20) - 5, 1 << 19)
        assert held.copy().shape == held.shape

    def test_zeros_that_are_set_are_not_kept(self):
        """400 MB of zeros go to the device and back without being resident."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        held = on_card(numpy.zeros((10000, 10000), "float32"))
        assert numpy.asarray(held).shape == (10000, 10000)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


class TestModule:
    """The functions beside the arrays."""

    @pytest.mark.parametrize(("name", "code", "ctype"), [("float32", 11, "ga_float"), ("int64", 7, "ga_long"), ("float16", 23, "ga_half")])
    def test_types(self, name, code, ctype):
        """Codes and names are libgpuarray's."""
        assert dtype_to_typecode(name) == dtype_to_typecode(code) == code
        assert dtype_to_ctype(name) == ctype

    def test_computing(self):
        """What Theano computes while it rewrites."""
        a = on_card(numbers(2, 2))
        assert numpy.asarray(blas.gemm(1, a, a, 0)).tolist() == [[2, 3], [6, 11]]
        assert numpy.asarray(elemwise.compare(a, "==", a)).all()
        assert concatenate([a, a], axis=1).shape == (2, 4)

    @pytest.mark.parametrize("name", ["cpu", "opencl0", "opencl:0"])
    def test_devices_that_are_none(self, name):
        """As refused by pygpu."""
        with pytest.raises(ValueError):
            init(name)

    def test_an_array_needs_a_context(self):
        """As in pygpu."""
        with pytest.raises(TypeError):
            empty((3,))
