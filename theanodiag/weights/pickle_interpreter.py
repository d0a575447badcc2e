"""Interprets the opcodes of a pickle from Python 2 or 3, without importing, calling, hashing or comparing anything that it names.

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

from .objects import Damaged, Dtype, Global, Record, StoredArray, Table, bytes_of, text_of

Args = tuple[object, ...]
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric", "numpy.ma.core")


def call(function: object, args: object, copied: Callable[[int], None]) -> object:
    """Makes a placeholder for the result of a call in a pickle; `copied` is called with the number of bytes copied.

    Raises Damaged unless `args` is a tuple.
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
    """Returns whether the result of this function can be rebuilt without calling it, such as an array."""
    return _named(function) is not None


def _named(function: Global) -> Callable[[Args], object] | None:
    if function.module in _NUMPY and function.name in _OF_NUMPY:
        return _OF_NUMPY[function.name]
    if function.name in ("CudaNdarray_unpickler", "GpuArray_unpickler"):
        return _first
    return _OTHERS.get((function.module, function.name))


def _array(_: Args) -> StoredArray:
    return StoredArray()


def _dtype(args: Args) -> Dtype:
    """`numpy.dtype("f4", False, True)` as a Dtype; without a name for a dtype of another package, which is given as a class."""
    return Dtype(text_of(args[0]) if args else None)


def _scalar(args: Args) -> StoredArray:
    array = StoredArray()
    array.set(args[1] if len(args) > 1 else b"", args[0] if args else None, (), False)
    return array


def _of_buffer(args: Args) -> StoredArray:
    """An array from the arguments (bytes, dtype, shape, order), as pickle protocol 5 stores it."""
    if len(args) < 3:
        raise Damaged("an array without dtype or shape")
    array = StoredArray()
    array.set(args[0], args[1], args[2], len(args) > 3 and args[3] == "F" and isinstance(args[3], str))
    return array


def _first(args: Args) -> object:
    """Returns the first argument: an array on a GPU is pickled as a call with a numpy array."""
    return args[0] if args else None


def _bytes(args: Args) -> object:
    """The result of `bytes(...)`: bytes for bytes or text, a record for a list. Raises Damaged for others, such as a length."""
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
        raise Damaged("an encoding of something that is not text")
    return text.encode("latin1" if encoding.lower() in ("latin1", "latin-1", "iso-8859-1") else "utf-8")


def _text(args: Args) -> object:
    """`str(text)` for a text; for anything else a record, because the length of the result is unknown."""
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
"""Maximum number of digits of a decimal number; CPython's own limit."""
LONG = 256
"""Size in bytes from which a Python 2 str is kept as bytes, because it is probably data."""
LINE = 64
"""Number of opcodes that are counted against the budget at a time."""


class PickleServices:
    """The services that a pickle interpreter needs from its surrounding file."""

    def step(self, count: int) -> None:
        """Counts an opcode against the budget."""

    def copied(self, count: int) -> None:
        """Counts copied bytes against the budget: a short opcode may refer to long data."""

    def made(self, array: StoredArray) -> None:
        """Reports an array that the pickle created."""

    def called(self, function: object, at: int) -> None:
        """Reports a call of `function` by the opcode at byte `at`."""

    def named(self, name: Global, at: int) -> None:
        """Reports that the opcode at byte `at` uses the class or function `name`."""

    def persistent(self, pid: object) -> object:
        """Returns the content of another file of the archive, to which the pickle refers by `pid`."""
        raise NotImplementedError

    def built(self, record: Record, machine: Machine) -> object:
        """Returns the placeholder for an object whose state is now known; may be `record` itself."""
        raise NotImplementedError


class Machine:
    """An interpreter for one pickle, with its stack, memo and position. Its methods perform the opcodes."""

    def __init__(self, content: bytes, at: int, host: PickleServices, carriage: bool = False) -> None:
        """`carriage`: whether lines end with CR LF."""
        self.content = content
        self.view = memoryview(content)
        self.at = at
        self.host = host
        self.carriage = carriage
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, object] = {}

    def load(self) -> object:
        """Interprets the pickle and returns its object; afterwards `at` is just past the pickle's last byte. Raises Damaged."""
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
                raise Damaged(f"byte {self.at - 1} is not a pickle opcode")
            action(self)

    # what the opcodes are made of

    def pop(self) -> Any:
        """Removes and returns the top value of the stack."""
        if not self.stack:
            raise Damaged("the pickle pops more values than it pushed")
        return self.stack.pop()

    def top(self) -> Any:
        """Returns the top value of the stack."""
        if not self.stack:
            raise Damaged("the pickle pops more values than it pushed")
        return self.stack[-1]

    def marked(self) -> list[Any]:
        """Removes and returns all values above the last mark, and removes the mark."""
        if not self.marks:
            raise Damaged("the pickle ends a group that it never began")
        values, self.stack = self.stack, self.marks.pop()
        return values

    def take(self, count: int) -> memoryview:
        """Reads the next `count` bytes of the pickle."""
        if count > len(self.content) - self.at:
            raise Damaged(f"the pickle is cut off: {count} bytes are to follow byte {self.at}, and {len(self.content) - self.at} do")
        self.at += count
        return self.view[self.at - count : self.at]

    def number(self, form: str) -> Any:
        """Reads a number of fixed size; `form` is a `struct` format."""
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self) -> bytes:
        """Reads the bytes up to a line feed, which is dropped."""
        end = self.content.find(b"\n", self.at)
        if end < 0:
            raise Damaged("the pickle is cut off in a line")
        line = self.content[self.at : end]
        self.at = end + 1
        return line[:-1] if self.carriage and line.endswith(b"\r") else line

    def word(self) -> str:
        """Reads a line of the pickle as text."""
        return self.line().decode("utf-8", "surrogateescape")

    def decimal(self, line: bytes) -> int:
        """Parses the digits of an integer, with or without Python 2's `L`."""
        if len(line) > DIGITS:
            raise Damaged(f"a number of {len(line)} digits")
        return int(line.rstrip(b"L"))

    def push(self, value: object) -> None:
        """Puts a value on the stack."""
        self.stack.append(value)

    def remembered(self, index: int) -> None:
        """Pushes the value number `index` of the memo."""
        if index not in self.memo:
            raise Damaged(f"the pickle recalls value {index}, which it never stored")
        self.stack.append(self.memo[index])

    def name(self, module: object, name: object, start: int) -> Global:
        """Reports and returns the class or function called `name` in `module`; the opcode begins at byte `start`."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise Damaged("the pickle uses a name that is not text")
        reference = Global(module, name)
        self.host.named(reference, start)
        return reference

    def call(self, function: object, args: object) -> None:
        """Pushes the placeholder for a call's result."""
        self.host.called(function, self.at - 1)
        result = call(function, args, self.host.copied)
        if isinstance(result, StoredArray):
            self.host.made(result)
        self.stack.append(result)

    # the opcodes

    def mark(self) -> None:
        """Pushes a mark, which begins a group."""
        self.marks.append(self.stack)
        self.stack = []

    def drop(self) -> None:
        """Removes a value or a mark from the stack."""
        if self.stack:
            self.stack.pop()
        else:
            self.marked()

    def get_text(self, form: str) -> None:
        """Reads a UTF-8 text, whose length comes first as a number of the `struct` format `form`, and pushes it."""
        self.push(str(self.take(self.number(form)), "utf-8", "surrogatepass"))

    def get_bytes(self, form: str) -> None:
        """Pushes bytes; long ones as a view of the file."""
        count = self.number(form)
        data = self.take(count)
        self.push(data if count >= LONG else bytes(data))

    def get_old_text(self, form: str) -> None:
        """Pushes a Python 2 `str`: as Latin-1 text, or as data if it is long."""
        count = self.number(form)
        if count < 0:
            raise Damaged("a text of negative length")
        data = self.take(count)
        self.push(data if count >= LONG else str(data, "latin1"))

    def old_string(self) -> None:
        """Pushes a Python 2 `str` given by its `repr`."""
        line = self.line().rstrip()
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise Damaged("a text without its quotes")
        data = codecs.escape_decode(line[1:-1])[0]
        self.push(data if len(data) >= LONG else data.decode("latin1"))

    def integer(self) -> None:
        """Pushes an integer given as a line; `00` and `01` are booleans."""
        line = self.line()
        self.push({b"00": False, b"01": True}[line] if line in (b"00", b"01") else self.decimal(line))

    def long(self, form: str) -> None:
        """Pushes an integer stored as a variable number of bytes."""
        count = self.number(form)
        if count < 0:
            raise Damaged("a number of negative length")
        self.push(int.from_bytes(self.take(count), "little", signed=True))

    def tuple_of(self, count: int) -> None:
        """Pushes a tuple of the last `count` values."""
        if len(self.stack) < count:
            raise Damaged("the pickle pops more values than it pushed")
        values = tuple(self.stack[-count:])
        self.stack[-count:] = [values]

    def dictionary(self) -> None:
        """Pushes a dictionary of all values above the mark."""
        table, items = Table(), self.marked()
        self.fill(table, items)
        self.push(table)

    def fill(self, target: object, items: list[Any]) -> None:
        """Adds alternating keys and values to the dictionary, or dictionary-like object, `target`."""
        table = target.entries if isinstance(target, Record) else target
        if not isinstance(table, Table) or len(items) % 2:
            raise Damaged("items for what takes none")
        for key, value in zip(items[::2], items[1::2]):
            table.put(key, value)

    def extend(self, target: object, items: list[Any]) -> None:
        """Adds values to the list, or list-like object, `target`."""
        into = target.items if isinstance(target, Record) else target
        if not isinstance(into, list):
            raise Damaged("values for what takes none")
        into += items

    def set_item(self) -> None:
        """Sets one item of the dictionary below the top two values, key and value."""
        value, key = self.pop(), self.pop()
        self.fill(self.top(), [key, value])

    def set_items(self) -> None:
        """Adds all keys and values above the mark to the dictionary below it."""
        items = self.marked()
        self.fill(self.top(), items)

    def append(self) -> None:
        """Appends the top value to the list below it."""
        value = self.pop()
        self.extend(self.top(), [value])

    def appends(self) -> None:
        """Appends all values above the mark to the list below it."""
        items = self.marked()
        self.extend(self.top(), items)

    def empty_set(self, items: list[Any]) -> None:
        """Pushes a set of `items`; its elements are not compared with each other."""
        record = Record(Global("builtins", "set"))
        record.items = items
        self.push(record)

    def reduce(self) -> None:
        """Performs a call: the arguments are on top of the stack, the function below them."""
        args, function = self.pop(), self.pop()
        self.call(function, args)

    def new(self, keywords: bool) -> None:
        """Performs the creation of an object from a class and arguments on the stack, with `keywords` also keyword arguments."""
        named = self.pop() if keywords else None
        args, kind = self.pop(), self.pop()
        self.call(kind, args if named is None else (args, named))

    def instance(self) -> None:
        """Performs the creation of an object of a class whose name follows in the pickle."""
        start = self.at - 1
        kind = self.name(self.word(), self.word(), start)
        self.call(kind, tuple(self.marked()))

    def object_of(self) -> None:
        """Performs the creation of an object of the class just above the mark."""
        kind, *args = self.marked() or [None]
        self.call(kind, tuple(args))

    def build(self) -> None:
        """Sets the state of an object (the opcode BUILD)."""
        state, target = self.pop(), self.top()
        if isinstance(target, (StoredArray, Dtype)):
            if isinstance(target, StoredArray) and isinstance(state, tuple) and state and isinstance(state[-1], str):
                self.host.copied(len(state[-1]))
            target.set_state(state)
        elif isinstance(target, Record):
            target.state = state
            self.stack[-1] = self.host.built(target, self)
        else:
            raise Damaged("a state for what has none")

    def global_(self) -> None:
        """Pushes a class or function whose name follows in the pickle."""
        start = self.at - 1
        self.push(self.name(self.word(), self.word(), start))

    def stack_global(self) -> None:
        """Pushes a class or function whose name is on the stack."""
        name, module = self.pop(), self.pop()
        self.push(self.name(module, name, self.at - 1))

    def extension(self, form: str) -> None:
        """Pushes a class given by a number. Only the program that wrote the pickle knows the class's name."""
        self.push(Global("copyreg", f"extension {self.number(form)}"))

    def kept_elsewhere(self, pid: object) -> None:
        """Pushes the content of another file of the archive; the file's name is a string, or (in torch) a tuple."""
        self.push(self.host.persistent(text_of(pid)))

    def protocol(self) -> None:
        """Reads the protocol number, which has no effect here."""
        if self.number("<B") > 5:
            raise Damaged("a pickle of a protocol that is not known")

    def buffer(self) -> None:
        """Raises Damaged: the writing program stored a buffer outside the pickle."""
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
"""Opcode byte -> the method that performs it."""


_SYSTEM = """os posix nt subprocess sys shutil socket ctypes runpy importlib pty commands popen2 code codeop webbrowser
multiprocessing signal asyncio threading pickle _pickle cPickle marshal types inspect pip setuptools platform tempfile pathlib io urllib
urllib2 http timeit pdb bdb cProfile profile trace imp zipimport pkgutil site ensurepip venv distutils dill cloudpickle shelve"""
_RUN = "eval exec execfile compile open file __import__ input raw_input breakpoint exit quit help reload apply"
_RUN_BUILTINS = frozenset(_RUN.split())
_STANDARD = frozenset(_SYSTEM.split()) | getattr(sys, "stdlib_module_names", frozenset())
_CALM = """collections OrderedDict defaultdict deque Counter copy_reg copyreg _codecs datetime _pydatetime decimal _decimal _pydecimal
fractions functools operator _operator itertools array random uuid re sre_compile _sre enum numbers string time calendar ipaddress weakref
math cmath json struct _struct base64 binascii heapq bisect textwrap statistics typing abc dataclasses copy contextlib UserDict UserList
UserString sets queue _queue Queue StringIO cStringIO configparser ConfigParser warnings unicodedata zoneinfo optparse"""
_HARMLESS = frozenset(_CALM.split())
"""Modules of the standard library whose classes occur in models and whose functions only compute."""
_TYPES = """types.SimpleNamespace types.MappingProxyType types.MethodType argparse.Namespace argparse.ArgumentParser logging.getLogger
logging.Logger logging.RootLogger logging.Formatter io.BytesIO io.StringIO _io.BytesIO _io.StringIO"""
_HARMLESS_TYPES = frozenset(_TYPES.split())
_LOADERS = re.compile(
    r"_?(?:un)?(?:load|loads|load_\w+|loadtxt|genfromtxt|fromfile|memmap|open_memmap|DataSource|read_\w+|exec|exec_\w+|execute|eval|system|"
    r"popen\w*|run|run_\w+|call|check_\w+|spawn\w*|import_\w+|__import__|compile_command|runstring|getoutput|download\w*|urlopen|"
    r"install|save|savez|to_pickle|remove|unlink|rmtree|write\w*)"
)
"""Matches the last names of functions that read, write, fetch or start something, in whichever package."""
_FRAMEWORKS = ("numpy", "scipy", "theano", "aesara", "pytensor", "lasagne", "keras", "blocks", "pylearn2", "nolearn", "sklearn", "__main__")


@dataclass(frozen=True)
class PickledCall:
    """A function or class that a pickle calls or refers to."""

    name: str
    """Module and name of the called object."""
    at: int
    """Byte position of the call in the unpacked pickle."""
    inside: str
    """Name of the pickle in an archive; empty for a file that is a single pickle."""
    called: bool
    """Whether the pickle itself calls it."""
    sure: bool
    """Whether it is known to run, read, write or download something; otherwise it is an unknown function."""


def judged(function: Global, at: int, inside: str, called: bool) -> PickledCall | None:
    """Rates a function that a pickle names by the harm that it can do; None if it can do none."""
    if is_known(function):
        return None
    call = PickledCall(str(function), at, inside, called, sure=True)
    root, last = function.module.partition(".")[0], function.name.rpartition(".")[2]
    if function.module in ("builtins", "__builtin__"):
        if last == "getattr":
            return PickledCall(str(function), at, inside, called, sure=False) if called else None
        return call if last in _RUN_BUILTINS or "." in function.name else None
    is_path = root == "pathlib" and last.endswith("Path")
    if str(function) in _HARMLESS_TYPES or is_path or last.endswith(("Error", "Warning")):
        return None
    if root in _STANDARD and root not in _HARMLESS:
        return call
    if _LOADERS.fullmatch(last) and (called or root not in _FRAMEWORKS):
        return call
    if called and last[:1].islower() and root not in _HARMLESS and root not in _FRAMEWORKS:
        return PickledCall(str(function), at, inside, called, sure=False)
    return None
