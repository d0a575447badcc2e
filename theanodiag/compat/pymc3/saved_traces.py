"""Traces in files, in PyMC3's formats: `save_trace` and `load_trace` (3.11.5, backends/ndarray.py), `Text` (3.10, backends/text.py)."""

import csv
import glob
import json
import os
import re
import shutil
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from .installed_arviz import is_one
from .trace import MultiTrace, apart, group_of, trace_to_dataframe


def save_trace(trace: Any, directory: Optional[str] = None, overwrite: bool = False) -> str:
    """Writes the draws of each chain to a folder below `directory` (default `.pymc_1.trace`, or the next number). Returns `directory`.

    Raises OSError if the folder exists, unless `overwrite`.
    """
    if directory is None:
        number = 1
        while os.path.exists(".pymc_{}.trace".format(number)):
            number += 1
        directory = ".pymc_{}.trace".format(number)
    if os.path.isdir(directory):
        if not overwrite:
            raise OSError("Cautiously refusing to overwrite the already existing {}! Please supply a different directory, or set "
                          "`overwrite=True`".format(directory))  # fmt: skip
        shutil.rmtree(directory)
    stats = group_of(trace.idata, "sample_stats")
    names = [] if stats is None else [str(n) for n in stats.data_vars if stats[n].dtype.kind in "biuf" and stats[n].ndim == 2]
    for number, chain in enumerate(trace.chains):
        folder = os.path.join(directory, str(chain))
        os.makedirs(folder)
        own = {n: np.asarray(stats[n].values)[number, trace.kept] for n in names}
        metadata = {
            "draw_idx": len(trace), "draws": len(trace), "_stats": [{n: values.tolist() for n, values in own.items()}], "chain": chain,
            "sampler_vars": [{n: str(values.dtype) for n, values in own.items()}],
        }  # fmt: skip
        with open(os.path.join(folder, "metadata.json"), "w") as file:
            json.dump(metadata, file)
        arrays = {name: trace.get_values(name, chains=chain) for name in trace.varnames}
        np.savez_compressed(os.path.join(folder, "samples.npz"), **arrays)
    return directory


def load_trace(directory: str, model: Any = None) -> Any:
    """Reads a trace that `save_trace` wrote, here or in PyMC3. Raises OSError if there is none."""
    folders = sorted((f for f in glob.glob(os.path.join(directory, "*")) if f.rpartition(os.sep)[2].isdigit()), key=_number)
    if not folders:
        raise OSError("{} is not a trace directory".format(directory))
    draws, stats = [], []
    for folder in folders:
        with np.load(os.path.join(folder, "samples.npz")) as samples:
            draws.append({name: samples[name] for name in samples.files})
        with open(os.path.join(folder, "metadata.json")) as file:
            found = json.load(file).get("_stats") or []
        stats.append({name: np.asarray(values) for one in found[:1] for name, values in one.items()})
    return trace_of([_number(f) for f in folders], draws, stats, model)


def _number(folder: str) -> int:
    return int(folder.rpartition(os.sep)[2])


def trace_of(chains: Sequence[int], draws: List[Dict[str, Any]], stats: List[Dict[str, Any]], model: Any = None) -> MultiTrace:
    """Returns a trace of the draws (and statistics) of each chain, by name; of chains of different lengths the last draws that all have."""
    import arviz

    least = min(len(values) for chain in draws for values in chain.values())
    groups = {"posterior": _stacked(draws, least)}
    if all(stats) and all(np.ndim(values) == 1 for chain in stats for values in chain.values()):
        groups["sample_stats"] = _stacked(stats, least)
    idata = arviz.from_dict(groups) if is_one() else arviz.from_dict(**groups)
    for group in groups:
        held = group_of(idata, group).assign_coords(chain=np.asarray(chains))
        if hasattr(idata, "subtree"):
            idata[group] = type(idata)(held)
        else:
            setattr(idata, group, held)
    return MultiTrace(apart(idata), model=model)


def _stacked(chains: List[Dict[str, Any]], least: int) -> Dict[str, np.ndarray]:
    names = [name for name in chains[0] if all(name in chain for chain in chains)]
    return {name: np.stack([np.asarray(chain[name])[-least:] for chain in chains]) for name in names}


class Text:
    """`sample(trace=Text("folder"))`: the draws are in the trace, and after sampling in one file of text for each chain in the folder."""

    def __init__(self, name: str, model: Any = None, vars: Any = None, test_point: Any = None) -> None:
        self.name = name
        self.vars = vars

    def written(self, trace: MultiTrace) -> MultiTrace:
        """Returns the trace, after it was written."""
        dump(self.name, trace)
        return trace


def dump(name: str, trace: MultiTrace, chains: Any = None) -> None:
    """Writes `chain-0.csv` ... to the folder `name`: a column for each scalar, `x`, `beta__0`, `beta__1_2`."""
    os.makedirs(name, exist_ok=True)
    for chain in trace.chains if chains is None else chains:
        table = trace_to_dataframe(trace, chains=[chain], include_transformed=True)
        table.to_csv(os.path.join(name, "chain-{}.csv".format(chain)), index=False)


def load(name: str, model: Any = None) -> MultiTrace:
    """Reads the files that `dump` or `Text` wrote, here or in PyMC3. Raises ValueError if there are none."""
    files = sorted(glob.glob(os.path.join(name, "chain-*.csv")), key=lambda path: int(re.findall(r"\d+", path)[-1]))
    if not files:
        raise ValueError("No files present in directory {}".format(name))
    draws = [_read(path) for path in files]
    return trace_of([int(re.findall(r"\d+", path)[-1]) for path in files], draws, [{} for _ in draws], model)


def _read(path: str) -> Dict[str, np.ndarray]:
    """Variable -> draws, of one file; whole numbers stay integers."""
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    columns = {}  # type: Dict[str, Dict[Any, np.ndarray]]
    for number, flat in enumerate(header):
        match = re.fullmatch(r"(.+?)__(\d+(?:_\d+)*)", flat)
        name, index = (match.group(1), tuple(map(int, match.group(2).split("_")))) if match else (flat, ())
        texts = [row[number] for row in rows]
        whole = all(re.fullmatch(r"[+-]?\d+", text) for text in texts)
        columns.setdefault(name, {})[index] = np.array([int(t) for t in texts] if whole else [float(t) for t in texts])
    found = {}
    for name, parts in columns.items():
        shape = tuple(1 + max(index[axis] for index in parts) for axis in range(len(next(iter(parts)))))
        array = np.empty((len(rows), *shape), dtype=np.result_type(*parts.values()))
        for index, values in parts.items():
            array[(slice(None),) + index] = values
        found[name] = array
    return found
