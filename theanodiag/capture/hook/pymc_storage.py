"""PyMC's storage backend for draws, `pymc.backends.zarr.ZarrTrace`: `check` writes nothing where the script's own run will.

Source: PyMC 5.28.5 and 6.4.0, pymc/backends/zarr.py. The constructor of `ZarrTrace` empties the store that it is given; each chain writes
`draws_per_chunk` draws at once. Arrays in which nothing was written take no memory.
"""

import functools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live

IN_MEMORY = ("NoneType", "MemoryStore", "KVStore", "dict")
"""Classes of stores that are in the process's memory."""
ASKED = "_theanodiag_store"
"""Attribute of a trace with the class of the store that the script gave it."""


def without_store(module: "Live") -> None:
    """Has `ZarrTrace` keep in memory what it would write into the script's store, which may hold the draws of an earlier run."""
    own = getattr(module, "ZarrTrace", None)
    if own is None:
        return
    create = own.__init__

    def __init__(trace: "Live", store: "Live" = None, *args: "Live", **kwargs: "Live") -> None:
        create(trace, None, *args, **kwargs)
        setattr(trace, ASKED, type(store).__name__)

    own.__init__ = functools.wraps(create)(__init__)


def is_storage(backend: "Live") -> bool:
    """Whether it is a `ZarrTrace`."""
    return hasattr(backend, ASKED)


def told(backend: "Live") -> "dict[str, object]":
    """The storage in the words of an event."""
    if backend is None:
        return {"storage": None}
    name = "%s.%s" % (type(backend).__module__, type(backend).__name__)
    if not is_storage(backend):
        return {"storage": name}
    return {
        "storage": name,
        "storage_chunk": int(backend.draws_per_chunk),
        "storage_in_memory": getattr(backend, ASKED) in IN_MEMORY,
        "storage_transformed": bool(backend.include_transformed),
    }


def filled(backend: "Live", asked: "dict[str, Live]", draws: int) -> "Live":
    """The script's trace with arrays for so many draws of each chain, in which nothing was written."""
    backend.init_trace(
        chains=asked["chains"], draws=draws, tune=0, step=asked["step"], model=asked["model"], vars=asked.get("trace_vars"),
        test_point=asked["initial_point"],
    )  # fmt: skip
    backend.sampling_time = 0.0
    numpy = sys.modules["numpy"]
    backend._sampling_state.draw_idx[:] = numpy.full(asked["chains"], draws)
    return backend
