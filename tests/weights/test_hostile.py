"""Files that were made to take memory or time, or to break what reads them: one clear error, soon, in little memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import resource
import signal
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from theanodiag.errors import UnreadableError
from theanodiag.weights.file_formats import weights

from ..interpreters import ROOT

DAG = b"N" + b"2\x86" * 40
"""A tuple of two of a tuple of two ... 40 deep: 2 ** 40 parts, of which 40 are there."""
FLOATS = os.urandom(800)
HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (100,), }"
MEMORY = 3 << 30
"""Bytes of address space that the command gets here; Python and numpy take less than one GiB of it."""


def member(header: str, data: bytes = FLOATS, packed: int = zipfile.ZIP_DEFLATED, damaged: int = 0) -> bytes:
    """A npz with one array of this header; the byte at `damaged` and those behind it are changed."""
    text = header.encode() + b"\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packed) as archive:
        archive.writestr("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data)
    made = bytearray(out.getvalue())
    for at in range(damaged, damaged + 40) if damaged else ():
        made[at] ^= 0x5A
    return bytes(made)


LONG_TEXT = b"X" + struct.pack("<I", 1_000_000) + b"x" * 1_000_000
PICKLES = {
    "dtype": b"\x80\x02cnumpy\ndtype\n" + DAG + b"\x85R.",
    "str": b"\x80\x02cbuiltins\nstr\n" + DAG + b"\x85R.",
    "unicode": b"\x80\x02c__builtin__\nunicode\n" + DAG + b"\x85R.",
    "bytes": b"\x80\x02cbuiltins\nbytes\n" + DAG + b"\x85R.",
    "complex": b"\x80\x02cbuiltins\ncomplex\n" + DAG + b"\x85R.",
    "frozenset": b"\x80\x02cbuiltins\nfrozenset\n" + DAG + b"\x85R.",
    "OrderedDict": b"\x80\x02ccollections\nOrderedDict\n" + DAG + b"\x85R.",
    "encode": b"\x80\x02c_codecs\nencode\n" + DAG + b"2\x86R.",
    "persistent id": b"\x80\x02" + DAG + b"Q.",
    "key": b"\x80\x02}" + DAG + b"Ns.",
    "keys": b"\x80\x02(" + DAG + b"Nd.",
    "member of a set": b"\x80\x04\x8f(" + DAG + b"\x90.",
    "frozen set": b"\x80\x04(" + DAG + b"\x91.",
    "name": b"\x80\x04" + DAG + b"2\x93.",
    "state of an array": b"\x80\x02cnumpy\nndarray\n)R" + DAG + b"b.",
    "state of a dtype": b"\x80\x02cnumpy\ndtype\nU\x02f8\x85R" + DAG + b"b.",
    "file of joblib": b"\x80\x02cjoblib.numpy_pickle\nNDArrayWrapper\n)\x81}U\x08filename" + DAG + b"sb.",
    "memo": b"Nr\xff\xff\xff\x1f.",
    "memo 2": b"Np99999999999999999999\n.",
    "deep": b"N" + b"\x85" * 1_000_000 + b".",
    "deep lists": b"]" * 300_000 + b"a" * 299_999 + b".",
    "deep dictionaries": b"}" + b"K\x01}" * 300_000 + b"s" * 300_000 + b".",
    "bytes of 4 GiB": b"B\xff\xff\xff\xff.",
    "bytes of 8 EiB": b"\x8e" + b"\xff" * 7 + b"\x7f.",
    "text": b"X\xff\xff\xff\xff.",
    "number": b"I" + b"9" * 1_000_000 + b"\n.",
    "number of bytes": b"\x8b\xff\xff\xff\x7f.",
    "float": b"F" + b"9" * 1_000_000 + b"\n.",
    "bytes of a number": b"cbuiltins\nbytes\n(I1000000000\ntR.",
    "copies": LONG_TEXT + b"q\x000c_codecs\nencode\nq\x010" + b"h\x01h\x00\x85R0" * 20_000 + b"N.",
    "copies of an argument list": b"(" + b"N" * 300_000 + b"tq\x000" + b"h\x00h\x00R0" * 50_000 + b"N.",
}  # fmt: skip
DAMAGED = {
    "deflate": member(HEADER, damaged=60),
    "LZMA": member(HEADER, packed=zipfile.ZIP_LZMA, damaged=50),
    "bzip2": member(HEADER, packed=zipfile.ZIP_BZIP2, damaged=60),
    "stored": member(HEADER, packed=zipfile.ZIP_STORED, damaged=200),
    "2 ** 40": member(HEADER.replace("100", str(2**40))),
    "400 digits": member(HEADER.replace("100", "1" + "0" * 400)),
    "minus signs": member("-" * 5000 + "1"),
    "parentheses": member("(" * 5000),
    "unhashable": member("{{}: 1, 'descr': '<f8'}"),
    "unbalanced": member("{'descr': '<f8', 'fortran_order': False, 'shape': (100,"),
    "negative": member(HEADER.replace("100", "-100")),
    "no dtype": member(HEADER.replace("'<f8'", "None")),
    "2 ** 62 beside 0": member(HEADER.replace("100,", "0, 4611686018427387904"), b""),
    "short": member(HEADER, FLOATS[:-1]),
    "no header": member(""),
}


def ended(path: Path, *more: str, memory: int = MEMORY) -> tuple[int, str]:
    """Exit code, and what was printed to standard error, in bounded memory."""
    command = [sys.executable, "-m", "theanodiag", "weights", str(path), *more]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)),
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", PICKLES)
def test_a_pickle_made_to_take_all(name: str, tmp_path: Path) -> None:
    """In time and memory in proportion to its size."""
    path = tmp_path / "m.pkl"
    path.write_bytes(PICKLES[name])
    code, told = ended(path, memory=1 << 30)
    assert (code, "Traceback" in told, told.count("theanodiag: ")) == (3, False, 1), told
    assert "processor time" not in told


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_npz_is_one_error(name: str) -> None:
    """Whatever is damaged."""
    with pytest.raises(UnreadableError, match="this is not a npz"):
        weights(DAMAGED[name], "m.npz")


def test_a_sound_npz_is_none() -> None:
    """So that what the damaged ones share is not the fault."""
    assert weights(member(HEADER), "m.npz").weights[0].array.tobytes() == FLOATS


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_what_unpacks_to_gigabytes_is_refused(pack: object, tmp_path: Path) -> None:
    """By the ratio to the file's own size; with the advice to unpack it."""
    assert callable(pack)
    path = tmp_path / "m.pkl"
    part = pack(bytes(90 << 20))
    path.write_bytes(part * 12)
    code, told = ended(path, memory=2 << 30)
    assert (code, "unpacks to more than" in told, "unpack it yourself" in told) == (3, True, True), told


def test_arrays_that_share_their_bytes_are_counted(tmp_path: Path) -> None:
    """1 MB that 5 000 arrays have would be 5 GB in a npz."""
    array = np.zeros(1 << 20, dtype="u1")
    shared = b"\x80\x03C\x01x0B" + struct.pack("<I", array.nbytes) + array.tobytes() + b"q\x000"
    one = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tC\x01btR(K\x01(J" + struct.pack("<i", array.nbytes) + b"t"
    one += b"cnumpy\ndtype\n(X\x02\x00\x00\x00u1K\x00K\x01tR\x89h\x00tb"
    path = tmp_path / "m.pkl"
    path.write_bytes(shared + b"(" + one * 5000 + b"l.")
    code, told = ended(path, "--to", "npz")
    assert (code, "its arrays have more than" in told) == (3, True), told
    path.write_bytes(shared + b"(" + one * 3 + b"l.")
    assert ended(path, "--to", "npz")[0] == 0


@pytest.mark.parametrize("gib", [1, 8])
def test_a_small_file_is_read_in_bounded_memory(gib: int, tmp_path: Path) -> None:
    """The reader asks for what the file has, not for the most that a file may have."""
    path = tmp_path / "m.pkl"
    path.write_bytes(pickle.dumps(np.zeros((10, 10)), 2))
    assert ended(path, memory=gib << 30) == (0, "")


def test_a_large_file_of_no_format_is_not_read(tmp_path: Path) -> None:
    """4 GiB of zeros, of which the memory allowed here has room for a part."""
    path = tmp_path / "disk.img"
    with path.open("wb") as file:
        file.truncate(4 << 30)
    code, told = ended(path, memory=2 << 30)
    assert (code, "byte 0 is not a pickle opcode" in told) == (3, True), told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it(number: signal.Signals, tmp_path: Path) -> None:
    """Soon after a signal, and the process that reads with it; nothing is left in the folder."""
    path = tmp_path / "m.pkl"
    path.write_bytes(b"N0" * 50_000_000 + b"N.")
    command = [sys.executable, "-m", "theanodiag", "weights", str(path), "--to", "npz"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        time.sleep(3)
        assert process.poll() is None
        start = time.monotonic()
        process.send_signal(number)
        process.wait(120)
        assert time.monotonic() - start < 60  # a tenth on an idle machine; to the end of the file it is minutes
        assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    assert [p.name for p in tmp_path.iterdir()] == ["m.pkl"]
