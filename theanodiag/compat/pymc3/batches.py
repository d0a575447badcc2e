"""PyMC3's containers of data: `Data`, `Minibatch`."""

from typing import Any, Dict, Tuple

import numpy as np
import pymc
import pytensor
import pytensor.tensor as pt
from pymc.data import MinibatchOp, minibatch_index
from pymc.pytensorf import rvs_in_graph
from pytensor.graph.basic import Variable
from pytensor.graph.replace import clone_replace
from pytensor.graph.traversal import ancestors

_generators: Dict[Tuple[int, Any, Any], Any] = {}
"""(rows, batch size, seed) -> the generator that draws the row numbers of all such minibatches."""


def Data(name: str, value: Any, *, dims: Any = None, export_index_as_coords: bool = False, **kwargs: Any) -> Any:
    """Returns a shared variable of the model, whose value `set_data` changes."""
    return pymc.Data(name, value, dims=dims, infer_dims_and_coords=export_index_as_coords, **kwargs)


def Minibatch(data: Any, batch_size: Any = 128, dtype: Any = None, broadcastable: Any = None, name: str = "Minibatch",
              random_seed: Any = 42, update_shared_f: Any = None, in_memory_size: Any = None) -> Any:  # fmt: skip
    """Returns random rows of `data`, drawn anew at each step.

    Two minibatches with the same number of rows, batch size and seed (default 42) draw the same rows, as in PyMC3 (data.py, 3.11.5), so
    that predictors and outcomes match.
    """
    if not isinstance(batch_size, (int, np.integer)) or in_memory_size is not None or update_shared_f is not None:
        raise NotImplementedError("Minibatch over other axes than the first, or of data that changes: PyMC draws only rows")
    values = np.asarray(data if dtype is None else np.asarray(data, dtype=dtype))
    tensor = pt.as_tensor(values)
    key = (len(values), int(batch_size), random_seed)
    generator = _generators.get(key)
    if generator is None:
        generator = _generators[key] = pytensor.shared(np.random.default_rng(random_seed if isinstance(random_seed, int) else None))
    following, rows = minibatch_index(0, tensor.shape[0], size=int(batch_size), rng=generator).owner.outputs
    batch, update = MinibatchOp([tensor, generator], [tensor[rows], following])(tensor, generator)
    generator.default_update = update
    batch.name = name
    return batch


def as_data(observed: Any) -> Any:
    """Converts the data of an observed variable to a form that PyMC accepts: an expression of minibatches (`batch[:, 0]`, a cast) becomes a
    minibatch itself.
    """
    batches = [v for v in ancestors([observed]) if _is_batch(v)] if isinstance(observed, Variable) and not _is_batch(observed) else []
    if not batches:
        return observed
    inner = [batch.type() for batch in batches]
    outputs = clone_replace([observed], dict(zip(batches, inner)))
    return observed if rvs_in_graph(outputs) else MinibatchOp(inner, outputs)(*batches)


def _is_batch(variable: Any) -> bool:
    return variable.owner is not None and isinstance(variable.owner.op, MinibatchOp)


def align_minibatches(batches: Any = None) -> None:
    """Does nothing: batches with the same number of rows are always aligned."""
