"""Runs in an interpreter with a framework in it: convolutions and poolings drawn by seed; writes values and gradients to a file.

    python drawn.py FOLDER_OF_COMPAT|- MODE OUT.npz FAMILY:DTYPE:SEED...

With `-` the legacy names must be installed natively. The options follow from the seed alone, so that two interpreters draw the same.
"""

import random
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def shape_of_output(image, kernel, mode, strides, dilations):
    """Spatial shape of a convolution's output."""
    result = []
    for axis, (n, k, s, d) in enumerate(zip(image, kernel, strides, dilations)):
        k = (k - 1) * d + 1
        pads = {"valid": 0, "half": 2 * (k // 2), "full": 2 * (k - 1)}.get(mode) if isinstance(mode, str) else mode[axis]
        pads = sum(pads) if isinstance(pads, tuple) else pads if isinstance(mode, str) else 2 * pads
        result.append((n + pads - k) // s + 1)
    return result


def border(draw, ndim, pairs):
    """A border mode of any kind."""
    kind = draw.randrange(5 if pairs else 4)
    if kind < 3:
        return ("valid", "half", "full")[kind]
    if kind == 3:
        return tuple(draw.randrange(3) for _ in range(ndim))
    return tuple((draw.randrange(3), draw.randrange(3)) for _ in range(ndim))


def convolution(ndim, unshared_too):
    """Draws a convolution over `ndim` axes."""

    def case(draw, T):
        while True:
            groups = draw.choice((1, 1, 2, 3))
            unshared = unshared_too and draw.randrange(3) == 0
            image = [draw.randrange(4, 9) for _ in range(ndim)]
            kernel = [draw.randrange(1, 5) for _ in range(ndim)]
            strides = tuple(draw.randrange(1, 4) for _ in range(ndim))
            dilations = tuple(draw.randrange(1, 3) for _ in range(ndim))
            mode = border(draw, ndim, pairs=ndim == 2)
            output = shape_of_output(image, kernel, mode, strides, dilations)
            if min(output) > 0:
                break
        channels, filters, batch = groups * draw.randrange(1, 3), groups * draw.randrange(1, 3), draw.randrange(1, 4)
        images = (batch, channels, *image)
        weights = (filters, *(output if unshared else ()), channels // groups, *kernel)
        options = {
            "border_mode": mode,
            "subsample": strides,
            "filter_dilation": dilations,
            "filter_flip": bool(draw.randrange(2)),
            "num_groups": groups,
        }
        if ndim == 2:
            options["unshared"] = unshared
        if draw.randrange(2):
            options.update(input_shape=images, filter_shape=weights)
        conv = T.nnet.conv2d if ndim == 2 else T.nnet.conv3d
        return [images, weights], lambda x, w: conv(x, w, **options), (batch, filters, *output)

    return case


def transposed(draw, T):
    """Draws a transposed convolution."""
    while True:
        output = [draw.randrange(4, 9) for _ in range(2)]
        kernel = [draw.randrange(1, 5) for _ in range(2)]
        strides = tuple(draw.randrange(1, 4) for _ in range(2))
        mode = border(draw, 2, pairs=False)
        image = shape_of_output(output, kernel, mode, strides, (1, 1))
        if min(image) > 0:
            break
    batch, channels, filters = draw.randrange(1, 4), draw.randrange(1, 4), draw.randrange(1, 4)
    options = {"border_mode": mode, "input_dilation": strides, "filter_flip": bool(draw.randrange(2))}
    shape = (batch, filters, *output)
    weights = (channels, filters, *kernel)
    return [(batch, channels, *image), weights], lambda x, w: T.nnet.conv2d_transpose(x, w, shape, **options), shape


def pooling(ndim):
    """Draws a pooling over `ndim` axes; values are few, so that maxima are tied."""

    def case(draw, T):
        ignore = bool(draw.randrange(2))
        size = tuple(draw.randrange(1, 5) for _ in range(ndim))
        stride = None if draw.randrange(2) else tuple(draw.randrange(1, 5) for _ in range(ndim))
        mode = draw.choice(("max", "sum", "average_inc_pad", "average_exc_pad"))
        padded = ignore and mode != "average_exc_pad" and draw.randrange(2)
        pad = tuple(draw.randrange(s) for s in size) if padded else (0,) * ndim
        image = [draw.randrange(max(4, s), 10) for s in size]
        images = (*([2] * draw.randrange(1, 3)), *image)
        from theano.tensor.signal import pool

        function = pool.pool_2d if ndim == 2 else pool.pool_3d
        return [images], lambda x: function(x, size, ignore_border=ignore, stride=stride, pad=pad, mode=mode), None

    return case


def neighbours(draw, T):
    """Draws patches of images."""
    mode = draw.choice(("valid", "ignore_borders", "valid"))
    size = (draw.randrange(1, 4), draw.randrange(1, 4))
    step = size if mode == "ignore_borders" or draw.randrange(2) else (draw.randrange(1, 3), draw.randrange(1, 3))
    extra = draw.randrange(2) if mode == "ignore_borders" else 0
    image = [n + s * draw.randrange(1, 4) + extra for n, s in zip(size, step)]
    images = (draw.randrange(1, 3), draw.randrange(1, 3), *image)
    from theano.tensor.nnet.neighbours import images2neibs

    return [images], lambda x: images2neibs(x, size, step if step != size else None, mode=mode), None


def normalization(draw, T):
    """Draws a batch normalisation."""
    from theano.tensor.nnet import bn

    axes = draw.choice(("per-activation", "spatial", (0, 2)))
    shape = [draw.randrange(2, 5) for _ in range(4)]
    over = {"per-activation": (0,), "spatial": (0, 2, 3)}.get(axes, axes)
    parameter = tuple(n for i, n in enumerate(shape) if i not in over)
    if draw.randrange(2):
        return [shape, parameter, parameter], lambda x, g, b: bn.batch_normalization_train(x, g, b, axes)[0], None
    test = bn.batch_normalization_test
    return [shape] + [parameter] * 4, lambda x, g, b, m, v: test(x, g, b, m, v**2 + 0.1, axes), None


def loss(draw, T):
    """Draws a loss of classes."""
    rows, columns = draw.randrange(2, 5), draw.randrange(2, 6)
    classes = np.asarray([draw.randrange(columns) for _ in range(rows)], "int32")
    kind = draw.randrange(4)

    def of(x, b):
        y = T.constant(classes)
        if kind == 0:
            return T.nnet.categorical_crossentropy(T.nnet.softmax(x + b), y)
        if kind == 1:
            return -T.log(T.nnet.softmax(x + b))[T.arange(y.shape[0]), y]
        if kind == 2:
            return T.nnet.crossentropy_softmax_1hot_with_bias(x, b, y)[0]
        return T.nnet.logsoftmax(x + b) * T.nnet.softmax_with_bias(x, b)

    return [(rows, columns), (columns,)], of, None


FAMILIES = {
    "loss": loss,
    "neighbours": neighbours,
    "normalization": normalization,
    "conv2d": convolution(2, False),
    "unshared": convolution(2, True),
    "conv3d": convolution(3, False),
    "transpose": transposed,
    "pool2d": pooling(2),
    "pool3d": pooling(3),
}


def evaluate(theano, family, dtype, seed, mode):
    """The value, the gradient of each input, and the gradients of a function of these gradients."""
    T = theano.tensor
    draw = random.Random(seed)
    shapes, function, _ = FAMILIES[family](draw, T)
    data = np.random.RandomState(seed)
    if family.startswith("pool"):
        values = [data.randint(0, 4, shape).astype(dtype) for shape in shapes]
    else:
        values = [data.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    inputs = [T.TensorType(dtype, (False,) * v.ndim)() for v in values]
    output = function(*inputs)
    weights = T.cos(T.arange(output.size).astype(dtype)).reshape(output.shape)
    gradients = theano.grad((output * weights).sum(), inputs)
    again = []
    if family != "loss":  # Theano's own losses can be differentiated once
        again = theano.grad(sum((g**2).sum() for g in gradients) + (output**2 * weights).sum(), inputs)
    # Without fusion the same few Ops are compiled to C whatever the case, and so only once.
    mode = theano.Mode(linker="cvm", optimizer="fast_compile") if mode == "unfused" else mode
    compiled = theano.function(inputs, [output, *gradients, *again], mode=mode)
    return compiled(*values)


def main(folder, mode, out, names):
    """Evaluates the cases and writes {case, number of the result: array}."""
    if folder != "-":
        import importlib.util

        spec = importlib.util.spec_from_file_location("compat_by_path", folder + "/__init__.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.install()
    import theano
    import theano.tensor

    results = {}
    for name in names:
        family, dtype, seed = name.split(":")
        for number, value in enumerate(evaluate(theano, family, dtype, int(seed), mode)):
            results[f"{name}:{number}"] = np.asarray(value)
    np.savez(out, **results)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
