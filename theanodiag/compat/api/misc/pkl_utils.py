"""Serves `theano.misc.pkl_utils`: pickles, also those of Python 2, and zip archives that hold a pickle and its arrays."""

import pickle
from pickle import HIGHEST_PROTOCOL
from typing import Any

from pytensor.misc.pkl_utils import StripPickler

DEFAULT_PROTOCOL = HIGHEST_PROTOCOL


class CompatUnpickler(pickle.Unpickler):
    """Unpickler that reads Python 2's strings as Latin-1."""

    def __init__(self, file: Any, **kwargs: Any) -> None:
        super().__init__(file, **{"encoding": "latin1", **kwargs})


def load(f: Any, persistent_load: Any = None) -> Any:
    """The object in a zip archive that `dump` wrote."""
    import zipfile

    import numpy

    with zipfile.ZipFile(f, "r") as archive:
        unpickler = CompatUnpickler(archive.open("pkl"))
        cache: dict = {}

        def array(persid: str) -> Any:
            name = persid.partition(".")[2] or persid
            if name not in cache:
                kind = persid.partition(".")[0]
                if kind not in ("array", "ndarray", "gpuarray"):
                    raise pickle.UnpicklingError("unknown persistent id " + persid)
                with archive.open(name if name in archive.namelist() else persid) as member:
                    cache[name] = numpy.lib.format.read_array(member)
            return cache[name]

        unpickler.persistent_load = persistent_load(archive) if persistent_load else array  # type: ignore[method-assign]
        return unpickler.load()


def dump(obj: Any, file_handler: Any, protocol: int = DEFAULT_PROTOCOL, persistent_id: Any = None) -> None:
    """Writes `obj` to a zip archive: a pickle, and each numpy array as a file of its own."""
    import io
    import zipfile

    import numpy
    from pytensor.compile.sharedvalue import SharedVariable

    with zipfile.ZipFile(file_handler, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        names: dict = {}

        def store(thing: Any) -> Any:
            if type(thing) is not numpy.ndarray:
                return None
            if id(thing) not in names:
                name = "array_%d" % len(names)
                names[id(thing)] = (name, thing)
                text = io.BytesIO()
                numpy.lib.format.write_array(text, thing)
                archive.writestr(name, text.getvalue())
            return "array." + names[id(thing)][0]

        out = io.BytesIO()
        pickler = pickle.Pickler(out, protocol=protocol)
        pickler.persistent_id = store  # type: ignore[method-assign]
        pickler.dump(obj)
        archive.writestr("pkl", out.getvalue())
