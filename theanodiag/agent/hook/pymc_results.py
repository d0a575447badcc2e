"""Results of PyMC, a DataTree (PyMC 6) or an InferenceData (PyMC 5): their arrays of one draw, and one draw repeated as many.

Also PyMC's storage backend `pymc.backends.zarr.ZarrTrace`: it must not write into the store that the script's own run will use. Source:
PyMC 5.28.5 and 6.4.0, pymc/backends/zarr.py. The constructor of `ZarrTrace` empties its store; each chain writes `draws_per_chunk` draws at
once. Arrays without written values take no memory.
"""

import copy
import functools
import inspect
import sys
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


def row(name: str, kind: str, value: "Live") -> "dict[str, object]":
    """Makes the row of an event for one array of a draw, with its size in `bytes`."""
    return {"name": name, "kind": kind, "dtype": str(value.dtype), "shape": list(value.shape), "bytes": int(value.nbytes)}


def kinds(model: "Live") -> "dict[str, str]":
    """Returns a mapping: Variable name -> kind: "deterministic", "free" or "transformed"."""
    table = dict((v.name, "deterministic") for v in model.deterministics)
    table.update((v.name, "free") for v in model.free_RVs)
    table.update((v.name, "transformed") for v in model.value_vars if v.name not in table)
    return table


def traced(trace: "Live", model: "Live") -> "dict[str, object]":
    """Returns rows for the event: the arrays that a chain stores for each draw."""
    of, moved = kinds(model), set(v.name for v in model.value_vars)
    rows = [dict(row(name, of.get(name, "free"), values[0]), sampled=name in moved) for name, values in trace.samples.items()]
    return {"variables": rows}


def mapped(result: "Live", change: "Callable[[Live], Live]") -> "Live":
    """Applies `change` to each group of a result, or to a single Dataset; other objects are returned unchanged."""
    if hasattr(result, "map_over_datasets"):
        return type(result).from_dict(dict((node.path, change(node.to_dataset(inherit=False))) for node in result.subtree))
    if hasattr(result, "data_vars"):
        return change(result)
    if hasattr(result, "map"):
        return result.map(change)
    return result


def groups(result: "Live") -> "dict[str, Live]":
    """Returns the name of each group of a result -> its Dataset."""
    if hasattr(result, "subtree"):
        return dict((name, node.to_dataset(inherit=False)) for name, node in result.children.items())
    return dict((name, result[name]) for name in result.groups())


FULL, LEFT = "theanodiag_draws", "theanodiag_draws_held"
"""Names of attributes of a group that has fewer draws than the real one: the real number and the number left."""


def repeated(result: "Live", draws: int, held: int, chains: int) -> "Live":
    """Repeats the one draw of a result, as `held` of `draws` draws, with values that vary."""
    import numpy

    random = numpy.random.RandomState(0)

    if hasattr(result, "_straces"):
        return chains_of(result, held, chains)

    def every(dataset: "Live") -> "Live":
        if "draw" not in dataset.sizes:
            return dataset
        first = dataset.isel(chain=0, draw=0, drop=True)
        longer = first.expand_dims({"chain": numpy.arange(chains), "draw": numpy.arange(held)}, axis=(0, 1))
        variables = dict((name, v) for name, v in longer.data_vars.items() if "draw" in v.dims)
        longer = longer.assign(dict((name, v.copy(data=varied(random, first[name].values, chains, held))) for name, v in variables.items()))
        return longer.assign_attrs({FULL: draws, LEFT: held}) if held < draws else longer

    return mapped(result, every)


def alike(result: "Live", draws: int, chains: int) -> "Live":
    """Returns a result with as many draws as the real one, whose values depend on the names of the variables alone: they are the same in
    two libraries.
    """
    import numpy

    if hasattr(result, "_straces"):
        first = result._straces[min(result._straces)]
        samples = dict((name, draws_named(numpy, name, values[0], draws, chains)) for name, values in first.samples.items())
        for number, chain in chains_of(result, draws, chains)._straces.items():
            chain.samples = dict((name, values[number]) for name, values in samples.items())
        return result

    def every(dataset: "Live") -> "Live":
        if "draw" not in dataset.sizes:
            return dataset
        first = dataset.isel(chain=0, draw=0, drop=True)
        longer = first.expand_dims({"chain": numpy.arange(chains), "draw": numpy.arange(draws)}, axis=(0, 1))
        variables = dict((name, v) for name, v in longer.data_vars.items() if "draw" in v.dims)
        return longer.assign(
            dict((name, v.copy(data=draws_named(numpy, str(name), first[name].values, draws, chains))) for name, v in variables.items())
        )

    return mapped(result, every)


def draws_named(numpy: "Live", name: str, value: "Live", draws: int, chains: int) -> "Live":
    """Returns an array (chains, draws, ...) of draws of a variable, whose values depend on its name."""
    return varied(numpy.random.RandomState(zlib.crc32(name.encode("utf-8")) & 0xFFFFFFFF), value, chains, draws)


DIFFERENT = 64 << 20
"""Maximum bytes of an array of draws whose values are all its own."""


def varied(random: "Live", value: "Live", chains: int, draws: int) -> "Live":
    """Returns an array (chains, draws, ...) of draws like `value`, whose values vary from draw to draw. Above `DIFFERENT` bytes it is a
    read-only view that takes no memory: each draw is a part of one row of values, a place further than the draw before.
    """
    import numpy

    value = numpy.asarray(value)
    if value.nbytes * chains * draws <= DIFFERENT:
        return plausible(random, numpy.broadcast_to(value, (chains, draws) + value.shape))
    row = plausible(random, numpy.resize(value, chains * draws + value.size))
    size = row.itemsize
    shifted = numpy.lib.stride_tricks.as_strided(row, (chains, draws, value.size), (draws * size, size, size), writeable=False)
    return shifted.reshape((chains, draws) + value.shape)


def stored_bytes(sizes: "list[int]", count: int) -> int:
    """Returns the bytes of memory that `count` repeated draws take, for variables of these sizes."""
    return sum(size * count for size in sizes if size * count <= DIFFERENT)


def plausible(random: "Live", values: "Live") -> "Live":
    """Replaces zeros by random values: floats from 0.3 to 0.7 (valid as probability, scale or location), counts 0 and 1."""
    if values.dtype.kind == "f":
        part = random.uniform(0.3, 0.7, values.shape)
        return ((values == 0) * part + values * (0.5 + part)).astype(values.dtype)
    if values.dtype.kind in "iu":
        return values + random.randint(0, 2, values.shape).astype(values.dtype)
    return values


def chains_of(result: "Live", held: int, chains: int) -> "Live":
    """Returns a MultiTrace whose first draw is repeated as `held` draws of each chain. Source: PyMC3 3.11.5 and PyMC 5.28.5,
    backends/ndarray.py.
    """
    import numpy

    first = result._straces[min(result._straces)]
    for number in range(chains):
        chain = copy.copy(first)
        chain.chain, chain.draw_idx = number, held
        if hasattr(first, "samples"):
            chain.samples = every_draw(numpy, first.samples, held)
            chain._stats = first._stats and [every_draw(numpy, stats, held) for stats in first._stats]
        result._straces[number] = chain
    return result


def every_draw(numpy: "Live", arrays: "Live", held: int) -> "Live":
    """Returns a mapping: name -> the first entry of an array, repeated `held` times without copying."""
    return dict((name, numpy.broadcast_to(values[0], (held,) + values.shape[1:])) for name, values in arrays.items())


def draws_of(group: "Live") -> int:
    """Returns the number of draws of each chain that the real group would have. If the script has thinned the group, the number is reduced
    accordingly.
    """
    return int(group.sizes["draw"]) * int(group.attrs.get(FULL, 1)) // int(group.attrs.get(LEFT, 1))


def shortened(result: "Live") -> "Live":
    """Returns a copy of the result with only its first draw."""
    return mapped(result, lambda dataset: dataset.isel(chain=[0], draw=[0]) if "draw" in dataset.sizes else dataset)


def start_method(context: "Live") -> str:
    """Returns how worker processes start under this multiprocessing context: `fork`, `forkserver` or `spawn`."""
    import multiprocessing

    if context is None or isinstance(context, str):
        context = multiprocessing.get_context(context)
    return str(context.get_start_method())


def statistics(trace: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the statistics that the trace records for each draw."""
    return [
        {"name": name, "dtype": str(values.dtype), "bytes": int(values.itemsize)}
        for sampler in trace._stats or []
        for name, values in sampler.items()
    ]


IN_MEMORY = ("NoneType", "MemoryStore", "KVStore", "dict")
"""Classes of stores that keep data in the process's memory."""
ASKED = "_theanodiag_store"
"""Name of the attribute of a trace with the class of the store that the script gave it."""


def without_store(module: "Live") -> None:
    """Makes `ZarrTrace` store in memory instead of in the script's store, which may hold the draws of an earlier run."""
    own = getattr(module, "ZarrTrace", None)
    if own is None:
        return
    create = own.__init__

    def __init__(trace: "Live", store: "Live" = None, *args: "Live", **kwargs: "Live") -> None:
        create(trace, None, *args, **kwargs)
        setattr(trace, ASKED, type(store).__name__)

    own.__init__ = functools.wraps(create)(__init__)


def is_storage(backend: "Live") -> bool:
    """Returns whether a backend is a `ZarrTrace`."""
    return hasattr(backend, ASKED)


def storage_fields(backend: "Live") -> "dict[str, object]":
    """Returns the storage backend as fields of the event."""
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


def filled(backend: "Live", arguments: "dict[str, Live]", draws: int) -> "Live":
    """Returns the script's trace with empty arrays for `draws` draws of each chain."""
    backend.init_trace(
        chains=arguments["chains"], draws=draws, tune=0, step=arguments["step"], model=arguments["model"], vars=arguments.get("trace_vars"),
        test_point=arguments["initial_point"],
    )  # fmt: skip
    backend.sampling_time = 0.0
    numpy = sys.modules["numpy"]
    backend._sampling_state.draw_idx[:] = numpy.full(arguments["chains"], draws)
    return backend


# Functions with which PyMC computes something for each draw in turn: they run for one draw, whose arrays give the memory of all.
#
# Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/forward.py `sample_prior_predictive`, `sample_posterior_predictive`;
# pymc/stats/log_density.py.


def arguments(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, Live]":
    """Returns the arguments of a call by name. Arguments that the function collects in `**kwargs`, under whatever name, are included."""
    bound = inspect.signature(own).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given.update(given.pop(parameter.name))
    return given


def source(given: "dict[str, Live]") -> "Live":
    """Returns the posterior whose draws the call iterates over, from its arguments; None for the prior."""
    return given.get("trace", given.get("idata"))


def understood(name: str, given: "dict[str, Live]") -> bool:
    """Returns whether theanodiag can determine the draws of a call: its source has chains and draws, and the result is an InferenceData."""
    if not given.get("return_inferencedata", True):
        return False
    if name == "sample_prior_predictive":
        return True
    posterior = groups(source(given)).get("posterior") if hasattr(source(given), "groups") else None
    return posterior is not None and set(("chain", "draw")).issubset(posterior.sizes)


def arguments_for_one_draw(name: str, given: "dict[str, Live]") -> "tuple[dict[str, Live], int, int, list[dict[str, object]]]":
    """Returns the arguments that make a call use one draw, the numbers of chains and draws, and rows for the event with one draw of the
    posterior.
    """
    if name == "sample_prior_predictive":
        return dict(given, draws=1), 1, int(given["draws"]), []
    posterior = groups(source(given))["posterior"]
    key = "trace" if "trace" in given else "idata"
    one = dict(given, extend_inferencedata=False)
    one[key] = shortened(source(given))
    points = [row(str(k), "free", v.values[0, 0]) for k, v in posterior.data_vars.items()]
    return one, int(posterior.sizes["chain"]), draws_of(posterior), points


def arrays_of_draw(result: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the arrays computed for one draw."""
    datasets = groups(result) if hasattr(result, "groups") else {"": result}
    return [
        row(str(k), name or "log-likelihood", v.values[0, 0])
        for name, group in datasets.items()
        if "draw" in group.sizes
        for k, v in group.data_vars.items()
    ]


def handed_back(given: "dict[str, Live]", result: "Live") -> "Live":
    """Returns the value that the script gets: the result, or the script's own object with the result added."""
    if not given.get("extend_inferencedata", False):
        return result
    whole = source(given)
    for name, group in (groups(result) if hasattr(result, "groups") else {"log_likelihood": result}).items():
        if name not in groups(whole):
            add_group(whole, name, group)
    return whole


def add_group(whole: "Live", name: str, group: "Live") -> None:
    """Adds a group to a DataTree or an InferenceData, in place of one with this name."""
    if hasattr(whole, "subtree"):
        whole[name] = type(whole)(group)
    else:
        if name in whole.groups():
            delattr(whole, name)
        whole.add_groups({name: group})
