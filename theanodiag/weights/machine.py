"""Follows the opcodes of one pickle, of Python 2 and 3, without importing, calling, hashing or comparing anything that it names.

Each opcode takes time in proportion to its own bytes: a length beyond the file's end, an index of the memo without a value and a number of
too many digits are errors before memory is taken for them. Source: the documentation of each opcode in CPython's `pickletools.py`.
"""

from __future__ import annotations

import codecs
import re
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .budget import Damaged
from .objects import Array, Dtype, Global, Record, Table, bytes_of, text_of

Args = tuple[object, ...]
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric", "numpy.ma.core")
_LATIN = ("latin1", "latin-1", "iso-8859-1")


def call(function: object, args: object, copied: Callable[[int], None]) -> object:
    """What stands for the result of calling what a pickle names; `copied` hears how many bytes that copies.

    Raises Damaged for arguments that are none.
    """
    if not isinstance(args, tuple):
        raise Damaged("a call without a tuple of arguments")
    if not isinstance(function, Global):
        return Record(Global("", "a call"), (function, args))
    stand_in = _named(function)
    if stand_in is None:
        return Record(function, args)
    copied(sum(len(a) for a in args[:3] if isinstance(a, (str, bytes, bytearray))))
    return stand_in(args)


def is_known(function: Global) -> bool:
    """Whether something is made here in its place."""
    return _named(function) is not None


def _named(function: Global) -> Callable[[Args], object] | None:
    if function.module in _NUMPY and function.name in _OF_NUMPY:
        return _OF_NUMPY[function.name]
    if function.name in ("CudaNdarray_unpickler", "GpuArray_unpickler"):
        return _first
    return _OTHERS.get((function.module, function.name))


def _array(_: Args) -> Array:
    return Array()


def _dtype(args: Args) -> Dtype:
    """`numpy.dtype("f4", False, True)`; a dtype of another package is named by a class, and is not known."""
    return Dtype(text_of(args[0]) if args else None)


def _scalar(args: Args) -> Array:
    array = Array()
    array.set(args[1] if len(args) > 1 else b"", args[0] if args else None, (), False)
    return array


def _of_buffer(args: Args) -> Array:
    """An array as protocol 5 writes it: bytes, dtype, shape, order."""
    if len(args) < 3:
        raise Damaged("an array without dtype or shape")
    array = Array()
    array.set(args[0], args[1], args[2], len(args) > 3 and args[3] == "F" and isinstance(args[3], str))
    return array


def _first(args: Args) -> object:
    """What was on a GPU is pickled as an array of numpy."""
    return args[0] if args else None


def _bytes(args: Args) -> object:
    """What `bytes` makes of bytes or a text; of a list it stays a record, and a number, which would be a length, is refused."""
    if not args:
        return b""
    data = bytes_of(args[0])
    if data is None and not isinstance(args[0], list):
        raise Damaged(f"bytes of a {type(args[0]).__name__}")
    return data if data is not None else Record(Global("builtins", "bytes"), args)


def _encoded(args: Args) -> object:
    """`_codecs.encode(text, "latin1")`: how protocols 0 to 2 write bytes."""
    text, encoding = (*args, "latin1")[:2] if args else ("", "latin1")
    if not isinstance(text, str) or not isinstance(encoding, str):
        raise Damaged("an encoding of what is no text")
    return text.encode("latin1" if encoding.lower() in _LATIN else "utf-8")


def _text(args: Args) -> object:
    """`str(text)`; of anything else a record: how long its text would be, nobody knows."""
    return args[0] if args and isinstance(args[0], str) else Record(Global("builtins", "str"), args)


def _reconstructed(args: Args) -> object:
    """`copyreg._reconstructor(class, base, state)`: an object without its `__init__`; of a class of containers with what it contains."""
    if not args or not isinstance(args[0], Global):
        return Record(Global("copyreg", "_reconstructor"), args)
    record = Record(args[0])
    content = args[2] if len(args) > 2 else None
    if isinstance(content, Table):
        record.entries = content
    elif isinstance(content, (list, tuple)):
        record.args = (content,)
    return record


_OF_NUMPY: dict[str, Callable[[Args], object]] = {
    "ndarray": _array,
    "dtype": _dtype,
    "_reconstruct": _array,
    "_mareconstruct": _array,
    "scalar": _scalar,
    "_frombuffer": _of_buffer,
}
_OTHERS: dict[tuple[str, str], Callable[[Args], object]] = {
    ("copy_reg", "_reconstructor"): _reconstructed,
    ("copyreg", "_reconstructor"): _reconstructed,
    ("_codecs", "encode"): _encoded,
    **{(module, name): _bytes for module in ("builtins", "__builtin__") for name in ("bytes", "bytearray")},
    ("builtins", "str"): _text,
    ("__builtin__", "str"): _text,
    ("__builtin__", "unicode"): _text,
}


DIGITS = 4300
"""Of a decimal number; CPython itself reads no longer ones."""
LONG = 256
"""The size in bytes from which a str of Python 2 stays bytes: it is then taken for data."""
LINE = 64
"""Number of steps that are taken from the budget at a time."""


class Host:
    """What a pickle needs of the file that it stands in."""

    def step(self, count: int) -> None:
        """Takes opcodes from the budget."""

    def copied(self, count: int) -> None:
        """So many bytes were copied: a short opcode may name long data."""

    def made(self, array: Array) -> None:
        """An array was made."""

    def called(self, function: object, at: int) -> None:
        """The pickle calls something by the opcode at this byte."""

    def named(self, name: Global, at: int) -> None:
        """The pickle names something by the opcode at this byte."""

    def persistent(self, pid: object) -> object:
        """What another file of the archive holds."""
        raise NotImplementedError

    def built(self, record: Record, machine: Machine) -> object:
        """What stands for an object once its state is known."""
        raise NotImplementedError


class Machine:
    """Stack, memo and place of one pickle."""

    def __init__(self, content: bytes, at: int, host: Host, carriage: bool = False) -> None:
        """`carriage`: whether lines end as Windows ends them."""
        self.content = content
        self.view = memoryview(content)
        self.at = at
        self.host = host
        self.carriage = carriage
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, object] = {}

    def load(self) -> object:
        """The object; afterwards `at` is behind its last byte. Raises Damaged."""
        actions, steps = ACTIONS, 0
        while True:
            if self.at >= len(self.content):
                raise Damaged("the pickle is cut off")
            code = self.content[self.at]
            self.at += 1
            steps += 1
            if steps == LINE:
                self.host.step(steps)
                steps = 0
            if code == 0x2E:  # STOP
                self.host.step(steps)
                return self.pop()
            action = actions[code]
            if action is None:
                raise Damaged(f"byte {self.at - 1} is no opcode of a pickle")
            action(self)

    # what the opcodes are made of

    def pop(self) -> Any:
        """The last value of the stack, without it."""
        if not self.stack:
            raise Damaged("the pickle takes more than it has put there")
        return self.stack.pop()

    def top(self) -> Any:
        """The last value of the stack."""
        if not self.stack:
            raise Damaged("the pickle takes more than it has put there")
        return self.stack[-1]

    def marked(self) -> list[Any]:
        """All values behind the last mark, without them and it."""
        if not self.marks:
            raise Damaged("the pickle ends a group that it never began")
        values, self.stack = self.stack, self.marks.pop()
        return values

    def take(self, count: int) -> memoryview:
        """The next bytes."""
        if count > len(self.content) - self.at:
            raise Damaged(f"the pickle is cut off: {count} bytes are to follow byte {self.at}, and {len(self.content) - self.at} do")
        self.at += count
        return self.view[self.at - count : self.at]

    def number(self, form: str) -> Any:
        """A number of fixed size, as `struct` names it."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> bytes:
        """The next bytes up to a line feed, without it."""
        end = self.content.find(b"\n", self.at)
        if end < 0:
            raise Damaged("the pickle is cut off in a line")
        line = self.content[self.at : end]
        self.at = end + 1
        return line[:-1] if self.carriage and line.endswith(b"\r") else line

    def word(self) -> str:
        """A line as a text."""
        return self.line().decode("utf-8", "surrogateescape")

    def decimal(self, line: bytes) -> int:
        """A whole number as Python writes it, with or without `L`."""
        if len(line) > DIGITS:
            raise Damaged(f"a number of {len(line)} digits")
        return int(line.rstrip(b"L"))

    def push(self, value: object) -> None:
        """Puts a value on the stack."""
        self.stack.append(value)

    def remembered(self, index: int) -> None:
        """Puts a value of the memo on the stack."""
        if index not in self.memo:
            raise Damaged(f"the pickle recalls value {index}, which it never stored")
        self.stack.append(self.memo[index])

    def name(self, module: object, name: object, start: int) -> Global:
        """A class or function by its name."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise Damaged("the pickle names something by what is no text")
        reference = Global(module, name)
        self.host.named(reference, start)
        return reference

    def call(self, function: object, args: object) -> None:
        """Puts on the stack what stands for a call's result."""
        self.host.called(function, self.at - 1)
        result = call(function, args, self.host.copied)
        if isinstance(result, Array):
            self.host.made(result)
        self.stack.append(result)

    # the opcodes

    def mark(self) -> None:
        """Begins a group."""
        self.marks.append(self.stack)
        self.stack = []

    def drop(self) -> None:
        """Drops a value, or a mark."""
        if self.stack:
            self.stack.pop()
        else:
            self.marked()

    def get_text(self, form: str) -> None:
        """A text in UTF-8."""
        self.push(str(self.take(self.number(form)), "utf-8", "surrogatepass"))

    def get_bytes(self, form: str) -> None:
        """Bytes; long ones as a view of the file."""
        count = self.number(form)
        data = self.take(count)
        self.push(data if count >= LONG else bytes(data))

    def get_old_text(self, form: str) -> None:
        """A `str` of Python 2: a text in Latin-1, or data where it is long."""
        count = self.number(form)
        if count < 0:
            raise Damaged("a text of negative length")
        data = self.take(count)
        self.push(data if count >= LONG else str(data, "latin1"))

    def old_string(self) -> None:
        """A `str` of Python 2 as its `repr`."""
        line = self.line().rstrip()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise Damaged("a text without its quotes")
        data = codecs.escape_decode(line[1:-1])[0]
        self.push(data if len(data) >= LONG else data.decode("latin1"))

    def integer(self) -> None:
        """A whole number in a line; `00` and `01` are truth values."""
        line = self.line()
        self.push({b"00": False, b"01": True}[line] if line in (b"00", b"01") else self.decimal(line))

    def long(self, form: str) -> None:
        """Pushes an integer that the pickle stores as bytes of any number."""
        count = self.number(form)
        if count < 0:
            raise Damaged("a number of negative length")
        self.push(int.from_bytes(self.take(count), "little", signed=True))

    def tuple_of(self, count: int) -> None:
        """A tuple of the last values."""
        if len(self.stack) < count:
            raise Damaged("the pickle takes more than it has put there")
        values = tuple(self.stack[-count:])
        self.stack[-count:] = [values]

    def dictionary(self) -> None:
        """A dictionary of all behind the mark."""
        table, items = Table(), self.marked()
        self.fill(table, items)
        self.push(table)

    def fill(self, target: object, items: list[Any]) -> None:
        """Puts keys and values, one after the other, into what takes them."""
        table = target.entries if isinstance(target, Record) else target
        if not isinstance(table, Table) or len(items) % 2:
            raise Damaged("items for what takes none")
        for key, value in zip(items[::2], items[1::2]):
            table.put(key, value)

    def extend(self, target: object, items: list[Any]) -> None:
        """Puts values into what takes them."""
        into = target.items if isinstance(target, Record) else target
        if not isinstance(into, list):
            raise Damaged("values for what takes none")
        into += items

    def set_item(self) -> None:
        """One key and value."""
        value, key = self.pop(), self.pop()
        self.fill(self.top(), [key, value])

    def set_items(self) -> None:
        """All keys and values behind the mark."""
        items = self.marked()
        self.fill(self.top(), items)

    def append(self) -> None:
        """One value."""
        value = self.pop()
        self.extend(self.top(), [value])

    def appends(self) -> None:
        """All values behind the mark."""
        items = self.marked()
        self.extend(self.top(), items)

    def empty_set(self, items: list[Any]) -> None:
        """A set; its values are not compared with each other."""
        record = Record(Global("builtins", "set"))
        record.items = items
        self.push(record)

    def reduce(self) -> None:
        """Calls the last but one value with the last."""
        args, function = self.pop(), self.pop()
        self.call(function, args)

    def new(self, keywords: bool) -> None:
        """Makes an object of a class."""
        named = self.pop() if keywords else None
        args, kind = self.pop(), self.pop()
        self.call(kind, args if named is None else (args, named))

    def instance(self) -> None:
        """Makes an object of a class whose name follows."""
        start = self.at - 1
        kind = self.name(self.word(), self.word(), start)
        self.call(kind, tuple(self.marked()))

    def object_of(self) -> None:
        """Makes an object of the class that stands behind the mark."""
        kind, *args = self.marked() or [None]
        self.call(kind, tuple(args))

    def build(self) -> None:
        """Sets the state of an object (pickle's BUILD)."""
        state, target = self.pop(), self.top()
        if isinstance(target, (Array, Dtype)):
            if isinstance(target, Array) and isinstance(state, tuple) and state and isinstance(state[-1], str):
                self.host.copied(len(state[-1]))
            target.set_state(state)
        elif isinstance(target, Record):
            target.state = state
            self.stack[-1] = self.host.built(target, self)
        else:
            raise Damaged("a state for what has none")

    def global_(self) -> None:
        """A class or function whose name follows."""
        start = self.at - 1
        self.push(self.name(self.word(), self.word(), start))

    def stack_global(self) -> None:
        """A class or function whose name is on the stack."""
        name, module = self.pop(), self.pop()
        self.push(self.name(module, name, self.at - 1))

    def extension(self, form: str) -> None:
        """A class by a number, of which only the program that wrote it knows the name."""
        self.push(Global("copyreg", f"extension {self.number(form)}"))

    def kept_elsewhere(self, pid: object) -> None:
        """What another file holds; its name is a text, or (torch) a tuple."""
        self.push(self.host.persistent(text_of(pid)))

    def protocol(self) -> None:
        """The protocol's number, which says nothing that its opcodes do not."""
        if self.number("<B") > 5:
            raise Damaged("a pickle of a protocol that is not known")

    def buffer(self) -> None:
        """A buffer that the program which wrote it kept elsewhere."""
        raise Damaged("its arrays were written elsewhere (buffers of protocol 5)", "write it again without buffer_callback")


Action = Callable[[Machine], Any]
_TABLE: dict[bytes, Action] = {
    b"(": Machine.mark,
    b"0": Machine.drop,
    b"1": lambda m: m.marked(),
    b"2": lambda m: m.push(m.top()),
    b"F": lambda m: m.push(float(m.line())),
    b"I": Machine.integer,
    b"J": lambda m: m.push(m.number("<i")),
    b"K": lambda m: m.push(m.number("<B")),
    b"L": lambda m: m.push(m.decimal(m.line())),
    b"M": lambda m: m.push(m.number("<H")),
    b"N": lambda m: m.push(None),
    b"P": lambda m: m.kept_elsewhere(m.word()),
    b"Q": lambda m: m.kept_elsewhere(m.pop()),
    b"R": Machine.reduce,
    b"S": Machine.old_string,
    b"T": lambda m: m.get_old_text("<i"),
    b"U": lambda m: m.get_old_text("<B"),
    b"V": lambda m: m.push(m.line().decode("raw-unicode-escape")),
    b"X": lambda m: m.get_text("<I"),
    b"a": Machine.append,
    b"b": Machine.build,
    b"c": Machine.global_,
    b"d": Machine.dictionary,
    b"}": lambda m: m.push(Table()),
    b"e": Machine.appends,
    b"g": lambda m: m.remembered(m.decimal(m.line())),
    b"h": lambda m: m.remembered(m.number("<B")),
    b"i": Machine.instance,
    b"j": lambda m: m.remembered(m.number("<I")),
    b"l": lambda m: m.push(m.marked()),
    b"]": lambda m: m.push([]),
    b"o": Machine.object_of,
    b"p": lambda m: m.memo.__setitem__(m.decimal(m.line()), m.top()),
    b"q": lambda m: m.memo.__setitem__(m.number("<B"), m.top()),
    b"r": lambda m: m.memo.__setitem__(m.number("<I"), m.top()),
    b"s": Machine.set_item,
    b"t": lambda m: m.push(tuple(m.marked())),
    b")": lambda m: m.push(()),
    b"u": Machine.set_items,
    b"G": lambda m: m.push(m.number(">d")),
    b"\x80": Machine.protocol,
    b"\x81": lambda m: m.new(keywords=False),
    b"\x82": lambda m: m.extension("<B"),
    b"\x83": lambda m: m.extension("<H"),
    b"\x84": lambda m: m.extension("<i"),
    b"\x85": lambda m: m.tuple_of(1),
    b"\x86": lambda m: m.tuple_of(2),
    b"\x87": lambda m: m.tuple_of(3),
    b"\x88": lambda m: m.push(True),
    b"\x89": lambda m: m.push(False),
    b"\x8a": lambda m: m.long("<B"),
    b"\x8b": lambda m: m.long("<i"),
    b"B": lambda m: m.get_bytes("<I"),
    b"C": lambda m: m.get_bytes("<B"),
    b"\x8c": lambda m: m.get_text("<B"),
    b"\x8d": lambda m: m.get_text("<Q"),
    b"\x8e": lambda m: m.get_bytes("<Q"),
    b"\x8f": lambda m: m.empty_set([]),
    b"\x90": Machine.appends,
    b"\x91": lambda m: m.empty_set(m.marked()),
    b"\x92": lambda m: m.new(keywords=True),
    b"\x93": Machine.stack_global,
    b"\x94": lambda m: m.memo.__setitem__(len(m.memo), m.top()),
    b"\x95": lambda m: m.take(8),
    b"\x96": lambda m: m.get_bytes("<Q"),
    b"\x97": Machine.buffer,
    b"\x98": lambda m: None,
}
ACTIONS: tuple[Action | None, ...] = tuple(_TABLE.get(bytes([code])) for code in range(256))
"""What each opcode does, by its byte."""


_SYSTEM = """os posix nt subprocess sys shutil socket ctypes runpy importlib pty commands popen2 code codeop webbrowser
multiprocessing signal asyncio threading pickle _pickle cPickle marshal types inspect pip setuptools platform tempfile pathlib io urllib
urllib2 http timeit pdb bdb cProfile profile trace imp zipimport pkgutil site ensurepip venv distutils dill cloudpickle shelve"""
_BUILTINS = ("builtins", "__builtin__")
_RUN = "eval exec execfile compile open file __import__ input raw_input breakpoint exit quit help reload apply"
_RUN_BUILTINS = frozenset(_RUN.split())
_STANDARD = frozenset(_SYSTEM.split()) | getattr(sys, "stdlib_module_names", frozenset())
_CALM = """collections OrderedDict defaultdict deque Counter copy_reg copyreg _codecs datetime _pydatetime decimal _decimal _pydecimal
fractions functools operator _operator itertools array random uuid re sre_compile _sre enum numbers string time calendar ipaddress weakref
math cmath json struct _struct base64 binascii heapq bisect textwrap statistics typing abc dataclasses copy contextlib UserDict UserList
UserString sets queue _queue Queue StringIO cStringIO configparser ConfigParser warnings unicodedata zoneinfo optparse"""
_HARMLESS = frozenset(_CALM.split())
"""Modules of the standard library whose classes belong in models, and whose functions compute."""
_TYPES = """types.SimpleNamespace types.MappingProxyType types.MethodType argparse.Namespace argparse.ArgumentParser logging.getLogger
logging.Logger logging.RootLogger logging.Formatter io.BytesIO io.StringIO _io.BytesIO _io.StringIO"""
_HARMLESS_TYPES = frozenset(_TYPES.split())
_LOADERS = re.compile(
    r"_?(?:un)?(?:load|loads|load_\w+|loadtxt|genfromtxt|fromfile|memmap|open_memmap|DataSource|read_\w+|exec|exec_\w+|execute|eval|system|"
    r"popen\w*|run|run_\w+|call|check_\w+|spawn\w*|import_\w+|__import__|compile_command|runstring|getoutput|download\w*|urlopen|"
    r"install|save|savez|to_pickle|remove|unlink|rmtree|write\w*)"
)
"""Last names of functions that read, write, fetch or start something, in whichever package."""
_FRAMEWORKS = ("numpy", "scipy", "theano", "aesara", "pytensor", "lasagne", "keras", "blocks", "pylearn2", "nolearn", "sklearn", "__main__")


@dataclass(frozen=True)
class Call:
    """One name that a pickle calls, or only names."""

    name: str
    """Module and name."""
    at: int
    """Byte in the unpacked pickle."""
    inside: str
    """Name of the pickle in an archive; empty for a file that is one."""
    called: bool
    """Whether the pickle itself calls it."""
    sure: bool
    """Whether it is known to run, read, write or fetch something; else it is a function that is not known here."""


def judged(function: Global, at: int, inside: str, called: bool) -> Call | None:
    """The call, unless nothing of what it names could do harm."""
    if is_known(function):
        return None
    call = Call(str(function), at, inside, called, sure=True)
    root, last = function.module.partition(".")[0], function.name.rpartition(".")[2]
    if function.module in _BUILTINS:
        if last == "getattr":
            return Call(str(function), at, inside, called, sure=False) if called else None
        return call if last in _RUN_BUILTINS or "." in function.name else None
    is_path = root == "pathlib" and last.endswith("Path")
    if str(function) in _HARMLESS_TYPES or is_path or last.endswith(("Error", "Warning")):
        return None
    if root in _STANDARD and root not in _HARMLESS:
        return call
    if _LOADERS.fullmatch(last) and (called or root not in _FRAMEWORKS):
        return call
    if called and last[:1].islower() and root not in _HARMLESS and root not in _FRAMEWORKS:
        return Call(str(function), at, inside, called, sure=False)
    return None
