"""What XLA says of the functions of a script, asked as a user would: compiled in mode JAX, called, and lowered for the card from there.

    python oracle.py SCRIPT TARGET [FLAGS]

TARGET is a file with the description of the GPU, or `cpu`. Prints a JSON list of [name, argument, output, temporary], one row a function:
that of its call with the highest sum.
"""

import json
import os
import runpy
import sys

script, target = sys.argv[1:3]
os.environ["PYTENSOR_FLAGS"] = "mode=JAX," + ",".join(sys.argv[3:])
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"

import jax  # noqa: E402
import pytensor  # noqa: E402
from jax.experimental import topologies  # noqa: E402
from jax.sharding import SingleDeviceSharding  # noqa: E402

place = platforms = None
if target != "cpu":
    with open(target) as file:
        described = topologies.get_topology_desc(platform="cuda", topology_name="", target_config=file.read(), topology="1x1x1")
    place, platforms = SingleDeviceSharding(described.devices[0]), ("cuda",)
rows = {}
make = pytensor.function


def spec(value):
    """An array that is not there."""
    return jax.ShapeDtypeStruct(value.shape, jax.dtypes.canonicalize_dtype(value.dtype), sharding=place)


def function(*args, **kwargs):
    """One that tells what was compiled for each call."""
    name = kwargs.get("name")
    try:
        made = make(*args, **kwargs)
    except Exception as error:
        rows[name] = (type(error).__name__, 0, 0)
        return lambda *values: None

    def call(*values):
        for cell, value in zip(made.input_storage, values):
            cell.storage[0] = cell.type.filter(value, allow_downcast=True)
        try:
            given = [jax.tree_util.tree_map(spec, jax.tree_util.tree_map(jax.numpy.asarray, c.storage[0])) for c in made.input_storage]
            traced = made.vm.jit_fn.trace(*given)
            found = (traced.lower(lowering_platforms=platforms) if platforms else traced.lower()).compile().memory_analysis()
        except Exception as error:
            rows.setdefault(name, (type(error).__name__, 0, 0))
            return None
        row = found.argument_size_in_bytes, found.output_size_in_bytes, found.temp_size_in_bytes
        if name not in rows or isinstance(rows[name][0], str) or sum(row) > sum(rows[name]):
            rows[name] = row
        return None

    return call


pytensor.function = function
sys.argv = [script]
out = os.dup(1)
os.dup2(2, 1)
runpy.run_path(script, run_name="__main__")
os.write(out, json.dumps([[name, *row] for name, row in rows.items()]).encode())
