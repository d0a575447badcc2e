"""Files of weights: pickles, archives and packed files with bytes and opcodes changed, and pickles that nothing wrote."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import random
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from theanodiag.errors import UnreadableError, UsageError
from theanodiag.weights.file_formats import weights
from theanodiag.weights.pickle_interpreter import ACTIONS
from theanodiag.weights.write import FORMATS, encoded, stored_names

from .target import Failure, command

OURS = ("AttributeError", "KeyError", "IndexError", "TypeError", "RecursionError", "AssertionError")
"""Exceptions that no library may raise for a damaged file without our having handed it something wrong."""
GLOBALS = (
    b"numpy\nndarray\n", b"numpy\ndtype\n", b"numpy.core.multiarray\n_reconstruct\n", b"numpy.core.multiarray\nscalar\n",
    b"numpy.core.numeric\n_frombuffer\n", b"copy_reg\n_reconstructor\n", b"_codecs\nencode\n", b"builtins\nbytes\n", b"builtins\nstr\n",
    b"collections\nOrderedDict\n", b"__builtin__\nset\n", b"theano.tensor.sharedvar\nTensorSharedVariable\n", b"os\nsystem\n",
    b"joblib.numpy_pickle\nNumpyArrayWrapper\n", b"joblib.numpy_pickle\nNDArrayWrapper\n", b"joblib.numpy_pickle\nZNDArrayWrapper\n",
    b"numpy.ma.core\n_mareconstruct\n", b"theano.gpuarray.type\nGpuArray_unpickler\n",
)  # fmt: skip
WORDS = (
    b"U\x02f8", b"X\x02\x00\x00\x00i4", b"K\x03\x85", b"K\x00", b"N", b")", b"]", b"}", b"C\x08" + bytes(8), b"\x8a\x09" + b"\xff" * 9,
    b"U\x08filename", b"U\x05shape", b"U\x05dtype", b"U\x05state", b"U\x09container", b"U\x07storage", b"U\x0cweight_names", b"U\x01O",
    b"J\xff\xff\xff\xff", b"G" + struct.pack(">d", 1.5), b"U\x01b", b"U\x06latin1", b"I00\n", b"S'x'\n", b"Vx\n", b"L7L\n", b"q\x00",
    b"h\x00", b"2", b"\x88", b"(", b"K\x01",
)  # fmt: skip
MIXED = (
    b"R", b"b", b"\x81", b"s", b"u", b"a", b"e", b"t", b"\x85", b"\x86", b"\x87", b"0", b"1", b"Q", b"o", b"\x90", b"\x91", b"\x8f",
    b"d", b"l",
)  # fmt: skip
OPCODES = tuple(bytes([code]) for code, action in enumerate(ACTIONS) if action is not None)
PACKERS: tuple[Callable[[bytes], bytes], ...] = (gzip.compress, bz2.compress, lzma.compress, zlib.compress, lambda data: data)


def _samples() -> Iterator[bytes]:
    """Files as libraries write them."""
    w, b = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(4, dtype=">f4").reshape(2, 2))
    objects = np.empty(2, dtype=object)
    objects[:] = w, [b]
    model = {
        "layers": [{"W": w, "b": b}],
        "o": OrderedDict(x=objects),
        "s": {1, "a"},
        "m": np.ma.masked_array(w, mask=w > 2),
        "t": ("x", 1.5),
    }
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(model, protocol)
    for save in (np.savez, np.savez_compressed):
        out = io.BytesIO()
        save(out, w=w, objects=objects, texts=np.array(["a"]))
        yield out.getvalue()
    npy, tar = io.BytesIO(), io.BytesIO()
    np.save(npy, w)
    np.save(npy, objects, allow_pickle=True)
    yield npy.getvalue()
    with tarfile.open(fileobj=tar, mode="w") as archive:
        for name, data in (("_parameters", out.getvalue()), ("_pkl", b"\x80\x02(U\x0a#theano.w.wQPobjects\nt.")):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    yield tar.getvalue()
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_LZMA) as archive_:
        archive_.writestr("pkl", b"\x80\x02(U\x09ndarray.WQPndarray.b\nt.")
        archive_.writestr("W", npy.getvalue()[:176])
    yield zipped.getvalue()


SAMPLES = tuple(_samples())


def case(chance: random.Random) -> object:
    """Bytes, as Latin-1, and the format to write."""
    how = chance.random()
    data = _invented(chance) if how < 0.4 else chance.choice(SAMPLES)
    if how > 0.3:
        data = _damaged(chance, data)
    data = chance.choice((*PACKERS, *PACKERS[-1:] * 8))(data)
    if chance.random() < 0.1:
        data = _damaged(chance, data)
    return {"data": data.decode("latin1"), "to": chance.choice(FORMATS), "by command": chance.random() < 0.01}


def _invented(chance: random.Random) -> bytes:
    """Opcodes, most of which find something on the stack."""
    parts = [b"\x80\x02"]
    for _ in range(chance.choice((3, 10, 30, 100))):
        kind = chance.random()
        parts.append(
            b"c" + chance.choice(GLOBALS)
            if kind < 0.2
            else chance.choice(WORDS)
            if kind < 0.65
            else chance.choice(MIXED) * chance.choice((1, 1, 1, 2, 40))
        )
    return b"".join(parts) * chance.choice((1, 1, 1, 3)) + b"."


def _damaged(chance: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut out, doubled or put in; opcodes and numbers among them."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randint(0, max(0, len(made) - 1))
        how = chance.randrange(6)
        if how == 0:
            made[at : at + 1] = bytes([chance.randrange(256)])
        elif how == 1:
            del made[at : at + chance.choice((1, 2, 8, 100))]
        elif how == 2:
            made[at:at] = chance.choice((*WORDS, *MIXED, *OPCODES)) * chance.choice((1, 1, 30))
        elif how == 3:
            made[at : at + 4] = chance.choice((b"\xff" * 4, b"\xff\xff\xff\x7f", bytes(4), b"\x00\x00\x00\x80"))
        elif how == 4:
            made[at:at] = made[at : at + chance.choice((4, 40, 400))]
        else:
            made = made[: at + 1]
    return bytes(made)


def run(case: Any) -> None:
    """Reads it, and writes what it holds; now and then by the command, in its own process."""
    if case["by command"]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m")
            path.write_bytes(case["data"].encode("latin1"))
            command(["weights", str(path), "--to", case["to"], "--color", "never"])
        return
    try:
        found = weights(case["data"].encode("latin1"), "m", lambda name: b"\x93NUMPY" if name.endswith("y") else b"ZF" + bytes(30))
        data = encoded(found.weights, case["to"], stored_names(found.weights, case["to"])) if found.weights else b""
        if len(data) > 64 << 20:
            raise Failure(f"{len(data)} bytes")
    except UnreadableError as error:
        if any(f": {kind}: " in error.message for kind in OURS):
            raise Failure(error.message) from error.__context__
    except UsageError:
        return  # a package is missing
