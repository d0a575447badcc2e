"""Serves `theano.misc.pkl_utils`: pickles, including those of Python 2, and zip archives that contain a pickle and its arrays.

The archive has the format of Theano 1.0.5. The pickle is the file `pkl`. Each array is an npy file, named after the shared variable that
holds it (`W`, a second one `W_2`), else `array_0` and so on; the pickle refers to it as `ndarray.NAME`. So `numpy.load(archive)["W"]` is an
array.
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
    """An unpickler that decodes Python 2's strings as Latin-1."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **{"encoding": "latin1", **kwargs})


class _Pickler(pickle.Pickler):
    """A pickler with `persistent_id` as a method: CPython 3.13 does not allow setting it on an instance."""

    def __init__(self, file: Any, protocol: int, persist: Callable[[Any], Any]) -> None:
        super().__init__(file, protocol=protocol)
        self._persist = persist

    def persistent_id(self, obj: Any) -> Any:
        """Returns the name of the file in the archive that stores `obj`; None if `obj` is pickled."""
        return self._persist(obj)


class _Unpickler(CompatUnpickler):
    """The unpickler of `load`."""

    def __init__(self, file: Any, restore: Callable[[Any], Any]) -> None:
        super().__init__(file)
        self._restore = restore

    def persistent_load(self, pid: Any) -> Any:
        """Returns the object stored in another file of the archive."""
        return self._restore(pid)


class PersistentNdarrayID:
    """Stores numpy arrays in the archive, each once, as `array_0`, `array_1`, ..."""

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
        """`ndarray.NAME` for an array, which it writes to the archive; None for other objects, which are pickled."""
        if type(obj) is not numpy.ndarray:
            return None
        if id(obj) not in self.seen:
            name = self._resolve_name(obj)
            zipadd(lambda file: numpy.lib.format.write_array(file, obj), self.zip_file, name)
            self.seen[id(obj)] = "ndarray." + name
            self._kept.append(obj)
        return str(self.seen[id(obj)])


class PersistentGpuArrayID(PersistentNdarrayID):
    """Same as `PersistentNdarrayID`: with PyTensor no array is on a GPU."""


PersistentCudaNdarrayID = PersistentGpuArrayID
"""Its name in Theano 0.8 and 0.9."""


class PersistentSharedVariableID(PersistentGpuArrayID):
    """Stores the arrays of shared variables under the variables' names; the second array of a name is `NAME_2`."""

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
        """`ndarray.NAME` for an array, None for other objects, which are pickled. Records the name of a shared variable for its array."""
        if isinstance(obj, SharedVariable):
            if obj.name:
                self.ndarray_names[id(obj.container.storage[0])] = obj.name
            elif not self.allow_unnamed:
                raise ValueError("unnamed shared variable, {}".format(obj))
        return super().__call__(obj)


class PersistentNdarrayLoad:
    """Loads the arrays of an archive by their names in the pickle, each once."""

    def __init__(self, zip_file: Any) -> None:
        self.zip_file = zip_file
        self.cache: dict = {}

    def __call__(self, persid: str) -> Any:
        """The array for `kind.NAME`, where the kind is `ndarray`, `gpuarray`, or `array` in archives of earlier releases of this layer."""
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
    """Writes the output of `func(file)` to the archive as the file `name`."""
    out = io.BytesIO()
    func(out)
    zip_file.writestr(name, out.getvalue())


def dump(obj: Any, file_handler: Any, protocol: int = DEFAULT_PROTOCOL, persistent_id: Any = PersistentSharedVariableID) -> None:
    """Writes `obj` to a zip archive: a pickle, and the objects that `persistent_id(archive)` stores in separate files."""
    with zipfile.ZipFile(file_handler, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        zipadd(lambda file: _Pickler(file, protocol, persistent_id(archive)).dump(obj), archive, "pkl")


def load(f: Any, persistent_load: Any = PersistentNdarrayLoad) -> Any:
    """Reads the object from a zip archive written by `dump`."""
    with zipfile.ZipFile(f, "r") as archive:
        return _Unpickler(io.BytesIO(archive.read("pkl")), persistent_load(archive)).load()


__all__ = [
    "CompatUnpickler", "DEFAULT_PROTOCOL", "HIGHEST_PROTOCOL", "PersistentCudaNdarrayID", "PersistentGpuArrayID", "PersistentNdarrayID",
    "PersistentNdarrayLoad", "PersistentSharedVariableID", "Pickler", "StripPickler", "dump", "load", "min_recursion", "zipadd",
]  # fmt: skip
