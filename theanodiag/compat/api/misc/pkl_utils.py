"""Serves `theano.misc.pkl_utils`: pickles, also those of Python 2, and zip archives that hold a pickle and its arrays.

The archive is as Theano 1.0.5 writes it: the pickle is the file `pkl`, each array a npy file under the name of the shared variable
that holds it (`W`, a second one `W_2`), else `array_0` and so on; the pickle calls them `ndarray.NAME`. So `numpy.load(archive)["W"]` is
an array.
"""

import io
import pickle
import zipfile
from collections import Counter
from pickle import HIGHEST_PROTOCOL, Pickler
from typing import Any, Callable, Optional

import numpy
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.misc.pkl_utils import StripPickler

DEFAULT_PROTOCOL = pickle.DEFAULT_PROTOCOL
min_recursion = 3000


class CompatUnpickler(pickle.Unpickler):
    """Unpickler that reads Python 2's strings as Latin-1."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **{"encoding": "latin1", **kwargs})


class _Pickler(pickle.Pickler):
    """A pickler whose `persistent_id` is a method from the start: CPython 3.13 lets nobody set it later."""

    def __init__(self, file: Any, protocol: int, persist: Callable[[Any], Any]) -> None:
        super().__init__(file, protocol=protocol)
        self._persist = persist

    def persistent_id(self, obj: Any) -> Any:
        """The name under which another file holds it; None for what is pickled."""
        return self._persist(obj)


class _Unpickler(CompatUnpickler):
    """The unpickler of `load`."""

    def __init__(self, file: Any, restore: Callable[[Any], Any]) -> None:
        super().__init__(file)
        self._restore = restore

    def persistent_load(self, pid: Any) -> Any:
        """What another file holds."""
        return self._restore(pid)


class PersistentNdarrayID:
    """Keeps arrays of numpy in the archive, each once, as `array_0`, `array_1` ..."""

    def __init__(self, zip_file: Any) -> None:
        self.zip_file = zip_file
        self.count = 0
        self.seen: dict = {}
        self._kept: list = []  # so that no other array gets the id of one that was seen

    def _resolve_name(self, obj: Any) -> str:
        name = "array_{}".format(self.count)
        self.count += 1
        return name

    def __call__(self, obj: Any) -> Optional[str]:
        """`ndarray.NAME` for an array, None for what is pickled."""
        if type(obj) is not numpy.ndarray:
            return None
        if id(obj) not in self.seen:
            name = self._resolve_name(obj)
            zipadd(lambda file: numpy.lib.format.write_array(file, obj), self.zip_file, name)
            self.seen[id(obj)] = "ndarray." + name
            self._kept.append(obj)
        return str(self.seen[id(obj)])


class PersistentGpuArrayID(PersistentNdarrayID):
    """As `PersistentNdarrayID`: over PyTensor no array is on a GPU."""


class PersistentSharedVariableID(PersistentGpuArrayID):
    """Keeps the arrays of shared variables under the variables' names, the second of a name as `NAME_2`."""

    def __init__(self, zip_file: Any, allow_unnamed: bool = True, allow_duplicates: bool = True) -> None:
        super().__init__(zip_file)
        self.name_counter: Counter = Counter()
        self.ndarray_names: dict = {}
        self.allow_unnamed = allow_unnamed
        self.allow_duplicates = allow_duplicates

    def _resolve_name(self, obj: Any) -> str:
        name = self.ndarray_names.get(id(obj))
        if name is None:
            return super()._resolve_name(obj)
        self.name_counter[name] += 1
        count = self.name_counter[name]
        if count > 1 and not self.allow_duplicates:
            raise ValueError("multiple shared variables with the name `{}` found".format(name))
        return str(name) if count == 1 else "{}_{}".format(name, count)

    def __call__(self, obj: Any) -> Optional[str]:
        """`ndarray.NAME` for an array, None for what is pickled; the name of a shared variable is remembered for its array."""
        if isinstance(obj, SharedVariable):
            if obj.name:
                self.ndarray_names[id(obj.container.storage[0])] = obj.name
            elif not self.allow_unnamed:
                raise ValueError("unnamed shared variable, {}".format(obj))
        return super().__call__(obj)


class PersistentNdarrayLoad:
    """Gives the arrays of an archive by what the pickle calls them, each once."""

    def __init__(self, zip_file: Any) -> None:
        self.zip_file = zip_file
        self.cache: dict = {}

    def __call__(self, persid: str) -> Any:
        """The array. Archives of earlier releases of ours call it `array.NAME`."""
        kind, _, name = persid.partition(".")
        if kind not in ("array", "ndarray", "gpuarray"):
            raise pickle.UnpicklingError("unknown persistent id " + persid)
        if name not in self.cache:
            with self.zip_file.open(name) as member:
                content = io.BytesIO(member.read())
            if kind == "gpuarray":
                pickle.load(content)  # the name of its context
            self.cache[name] = numpy.lib.format.read_array(content, allow_pickle=True)
        return self.cache[name]


def zipadd(func: Callable[[Any], Any], zip_file: Any, name: str) -> None:
    """Writes what `func(file)` writes as the file `name` of an archive."""
    out = io.BytesIO()
    func(out)
    zip_file.writestr(name, out.getvalue())


def dump(obj: Any, file_handler: Any, protocol: int = DEFAULT_PROTOCOL, persistent_id: Any = PersistentSharedVariableID) -> None:
    """Writes `obj` to a zip archive: a pickle, and what `persistent_id(archive)` keeps as files of their own."""
    with zipfile.ZipFile(file_handler, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        zipadd(lambda file: _Pickler(file, protocol, persistent_id(archive)).dump(obj), archive, "pkl")


def load(f: Any, persistent_load: Any = PersistentNdarrayLoad) -> Any:
    """The object in a zip archive that `dump` wrote."""
    with zipfile.ZipFile(f, "r") as archive:
        return _Unpickler(io.BytesIO(archive.read("pkl")), persistent_load(archive)).load()


__all__ = [
    "CompatUnpickler", "DEFAULT_PROTOCOL", "HIGHEST_PROTOCOL", "PersistentGpuArrayID", "PersistentNdarrayID", "PersistentNdarrayLoad",
    "PersistentSharedVariableID", "Pickler", "StripPickler", "dump", "load", "min_recursion", "zipadd",
]  # fmt: skip
