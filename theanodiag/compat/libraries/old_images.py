"""The functions of `scipy.misc` that read, write and convert pictures with Pillow, which SciPy 1.2 and 1.3 removed.

Source: scipy/misc/pilutil.py of SciPy 1.2. They need Pillow, as they did there.
"""

import importlib
from typing import Any, Optional

_FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
"""Name of an interpolation -> its number in Pillow."""


def _image() -> Any:
    return importlib.import_module("PIL.Image")


def bytescale(data: Any, cmin: Any = None, cmax: Any = None, high: Any = 255, low: Any = 0) -> Any:
    """Returns `data` as bytes: `cmin` (default: the least value) becomes `low`, and `cmax` (default: the greatest) `high`; bytes stay as
    they are.

    Raises ValueError for `high` and `low` outside of 0 to 255, or in the wrong order.
    """
    import numpy

    if data.dtype == numpy.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError("`low` and `high` must be in order, and between 0 and 255.")
    least = data.min() if cmin is None else cmin
    width = (data.max() if cmax is None else cmax) - least
    if width < 0:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - least) * (float(high - low) / (float(width) or 1.0)) + low
    return (scaled.clip(low, high) + 0.5).astype(numpy.uint8)


def toimage(
    arr: Any, high: Any = 255, low: Any = 0, cmin: Any = None, cmax: Any = None, pal: Any = None, mode: Optional[str] = None,
    channel_axis: Optional[int] = None,
) -> Any:  # fmt: skip
    """Returns a picture of Pillow: grey for a matrix, in colours for an array with 3 or 4 channels on one of three axes, scaled by
    `bytescale`.

    Raises ValueError for other shapes, and for a mode that does not fit the shape.
    """
    import numpy

    data = numpy.asarray(arr)
    if numpy.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _grey(data, high, low, cmin, cmax, pal, mode)
    if data.ndim != 3 or not {3, 4} & set(data.shape):
        raise ValueError("'arr' does not have a suitable array shape for any mode.")
    axis = channel_axis if channel_axis is not None else data.shape.index(3 if 3 in data.shape else 4)
    channels = data.shape[axis]
    if channels not in (3, 4):
        raise ValueError("Channel axis dimension is not valid.")
    mode = mode or {3: "RGB", 4: "RGBA"}[channels]
    if mode not in {3: ("RGB", "YCbCr"), 4: ("RGBA", "CMYK")}[channels]:
        raise ValueError("Mode is unknown or incompatible with input array shape.")
    values = numpy.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    return _image().frombytes(mode, values.shape[1::-1], values.tobytes())


def _grey(data: Any, high: Any, low: Any, cmin: Any, cmax: Any, pal: Any, mode: Optional[str]) -> Any:
    """The picture of a matrix."""
    import numpy

    made, size = _image().frombytes, data.shape[::-1]
    if mode == "F":
        return made(mode, size, data.astype(numpy.float32).tobytes())
    if mode in (None, "L", "P"):
        picture = made("L", size, bytescale(data, cmin, cmax, high, low).tobytes())
        if pal is not None or mode == "P":
            greys: Any = numpy.repeat(numpy.arange(256, dtype=numpy.uint8), 3)
            picture.putpalette((greys if pal is None else numpy.asarray(pal, dtype=numpy.uint8)).tobytes())
        return picture
    if mode == "1":
        return _image().fromarray(data > high)
    if mode != "I":
        raise ValueError("Mode is unknown or incompatible with input array shape.")
    least, most = (data.min() if cmin is None else cmin), (data.max() if cmax is None else cmax)
    scaled = (data * 1.0 - least) * (high - low) / (most - least) + low
    return made(mode, size, scaled.astype(numpy.uint32).tobytes())


def fromimage(im: Any, flatten: bool = False, mode: Optional[str] = None) -> Any:
    """Returns the array of a picture, in `mode` if given; `flatten` makes it grey, in float32. Raises TypeError if `im` is no picture."""
    import numpy

    if not isinstance(im, _image().Image):
        raise TypeError("Input is not a PIL image.")
    if mode is not None:
        im = im.convert(mode) if mode != im.mode else im
    elif im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return numpy.array(im)


def imread(name: Any, flatten: bool = False, mode: Optional[str] = None) -> Any:
    """Returns the array of the picture in a file."""
    return fromimage(_image().open(name), flatten, mode)


def imsave(name: Any, arr: Any, format: Optional[str] = None) -> None:
    """Writes an array as a picture, scaled by `bytescale`, with the channels on the last axis."""
    toimage(arr, channel_axis=2).save(name, format)


def imresize(arr: Any, size: Any, interp: str = "bilinear", mode: Optional[str] = None) -> Any:
    """Returns an array with another size: a whole number is a percentage, a fraction a factor, a pair (rows, columns)."""
    picture = toimage(arr, mode=mode)
    if hasattr(size, "__len__"):
        wanted = (int(size[1]), int(size[0]))
    else:
        whole = isinstance(size, int) or str(getattr(size, "dtype", "")).startswith(("int", "uint"))
        factor = size / 100.0 if whole else size
        wanted = (int(picture.size[0] * factor), int(picture.size[1] * factor))
    return fromimage(picture.resize(wanted, resample=_FILTERS[interp]))


def imrotate(arr: Any, angle: float, interp: str = "bilinear") -> Any:
    """Returns an array turned counter-clockwise by `angle` degrees."""
    return fromimage(toimage(arr).rotate(angle, resample=_FILTERS[interp]))
