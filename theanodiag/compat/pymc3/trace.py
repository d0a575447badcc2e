"""`MultiTrace`: the draws of a sampler in PyMC3's form, based on PyMC's InferenceData or DataTree."""

import importlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

GROUPS = ("posterior", "unconstrained_posterior")
"""Groups whose variables form a trace; the second has the transformed variables, such as `sigma_log__`."""
OLD_STATS = {"tree_size": "n_steps", "mean_tree_accept": "acceptance_rate", "depth": "tree_depth", "model_logp": "lp"}
"""Sampler statistic of PyMC3 -> its name in InferenceData."""


class Report:
    """The attribute `report` of a trace of PyMC3 (3.11.5, backends/report.py): facts about the finished run."""

    def __init__(self, idata: Any, model: Any = None, by_chain: Optional[Dict[int, List[Any]]] = None) -> None:
        """`by_chain` has the warnings of the sampler."""
        posterior, stats = group_of(idata, "posterior"), group_of(idata, "sample_stats")
        self._idata, self._model = idata, model
        self._chain_warnings = by_chain or {}
        self.n_draws = int(posterior.sizes["draw"])
        """Number of draws of each chain."""
        self.n_tune = int(posterior.attrs.get("tuning_steps", 0))
        """Number of tuning steps of each chain."""
        self.t_sampling = posterior.attrs.get("sampling_time")
        """Seconds that sampling took; None if unknown."""
        if stats is not None and "log_marginal_likelihood" in stats:
            last = [np.ravel(np.ravel(chain)[-1])[-1] for chain in stats["log_marginal_likelihood"].values]
            self.log_marginal_likelihood = np.array(last, dtype=float)
            """The logarithm of the marginal likelihood, by each chain of sequential Monte Carlo."""

    @property
    def _global_warnings(self) -> List[Any]:
        """The warnings that PyMC finds in the draws of all chains: divergences, r_hat, ess."""
        convergence = importlib.import_module("pymc.stats.convergence")
        return list(convergence.run_convergence_checks(self._idata, self._model))

    @property
    def _warnings(self) -> List[Any]:
        return sum(self._chain_warnings.values(), []) + self._global_warnings

    @property
    def ok(self) -> bool:
        """Whether there are no warnings of the level `warn` or above."""
        return not any(warning.level in ("warn", "error", "critical") for warning in self._warnings)

    def raise_ok(self, level: str = "error") -> None:
        """Raises ValueError if there is a warning of this level or above."""
        levels = ("debug", "info", "warn", "error", "critical")
        if any(levels.index(warning.level) >= levels.index(level) for warning in self._warnings):
            raise ValueError("Serious convergence issues during sampling.")

    def __getattr__(self, name: str) -> Any:
        instead = "read trace['diverging'], arviz.rhat, arviz.ess"
        raise AttributeError("the report of this sampler has no {!r}: {}".format(name, instead))


def without_warnings(idata: Any) -> Tuple[Any, Dict[int, List[Any]]]:
    """Returns the draws without the statistic "warning", and the warnings by chain; `extra` of a divergence is the point before it, as in
    PyMC3 3.4 to 3.8 (step_methods/hmc/base_hmc.py).
    """
    stats = group_of(idata, "sample_stats")
    names = [name for name in (stats.data_vars if stats is not None else ()) if str(name).rpartition("__")[2] == "warning"]
    found = {}  # type: Dict[int, List[Any]]
    for name in names:
        for number, chain in zip(stats["chain"].values, stats[name].values):
            found.setdefault(int(number), []).extend(one for one in np.ravel(chain) if hasattr(one, "level"))
    for warning in sum(found.values(), []):
        if getattr(warning, "divergence_point_source", None) is not None:
            warning.extra = Values(warning.divergence_point_source)
    return importlib.import_module("pymc.util").drop_warning_stat(idata) if names else idata, found


class Values(Dict[str, Any]):
    """Values of variables by name; PyMC3 3.0's name `sigma_log_` is accepted for `sigma_log__`."""

    def __missing__(self, name: str) -> Any:
        """The value under the name of later releases. Raises KeyError if there is none."""
        later = "{}_".format(name)
        if later not in self:
            raise KeyError("Unknown variable {}".format(name))
        return self[later]


class MultiTrace:
    """Draws by variable and chain.

    `trace["x"]` has the draws of all chains one after the other: shape (chains * draws, ...). `trace[100:]` is a trace of later draws,
    `trace[7]` a dict of the values of one draw in the last chain, `len(trace)` the number of draws in a chain.
    """

    def __init__(self, idata: Any, keep: slice = slice(None), model: Any = None, by_chain: Optional[Dict[int, List[Any]]] = None) -> None:
        """`by_chain` has the warnings of the sampler for each chain."""
        self.idata = idata
        self._chain_warnings = by_chain
        self.model = model
        self._keep = keep
        self._added = {}  # type: Dict[str, np.ndarray]

    def _arrays(self) -> Values:
        """Variable -> xarray of (chain, draw, ...)."""
        arrays = Values()
        for group in GROUPS:
            held = group_of(self.idata, group)
            if held is not None:
                arrays.update({str(name): held[name] for name in held.data_vars})
        return arrays

    @property
    def kept(self) -> slice:
        """The draws of each chain of `idata` that belong to the trace."""
        return self._keep

    @property
    def varnames(self) -> List[str]:
        """The names of all variables, including transformed ones."""
        return [*self._arrays(), *self._added]

    @property
    def chains(self) -> List[int]:
        """The numbers of the chains."""
        return [int(c) for c in group_of(self.idata, "posterior")["chain"].values]

    @property
    def nchains(self) -> int:
        """Number of chains."""
        return len(self.chains)

    @property
    def report(self) -> Report:
        """Numbers of draws and tuning steps, time, warnings, the marginal likelihood of sequential Monte Carlo."""
        return Report(self.idata, self.model, self._chain_warnings)

    _report = report

    @property
    def stat_names(self) -> "set[str]":
        """The names of the sampler's statistics, including PyMC3's names."""
        stats = group_of(self.idata, "sample_stats")
        names = {str(name) for name in stats.data_vars} if stats is not None else set()
        return names | {old for old, new in OLD_STATS.items() if new in names}

    def __len__(self) -> int:
        return len(range(group_of(self.idata, "posterior").sizes["draw"])[self._keep])

    def _values(self, name: Any) -> np.ndarray:
        """Array of (chain, draw, ...)."""
        key = str(getattr(name, "name", name))
        if key in self._added:
            return self._added[key]
        values = np.asarray(self._arrays()[key].transpose("chain", "draw", ...).values)[:, self._keep]
        return values

    def get_values(
        self, varname: Any, burn: int = 0, thin: int = 1, combine: bool = True, chains: Union[int, Sequence[int], None] = None,
        squeeze: bool = True,
    ) -> Any:  # fmt: skip
        """Returns the values of a variable: an array of (draws of all chains, ...); with combine=False, a list with one array for each
        chain.

        `chains` selects chains and their order. A list of a single chain is reduced to its array unless `squeeze` is False.
        """
        return self._select(self._values(varname), burn, thin, combine, chains, squeeze)

    def get_sampler_stats(
        self, stat_name: str, burn: int = 0, thin: int = 1, combine: bool = True, chains: Union[int, Sequence[int], None] = None,
        squeeze: bool = True,
    ) -> Any:  # fmt: skip
        """Returns the values of a statistic of the sampler, arranged as by `get_values`. Raises KeyError for an unknown statistic."""
        stats = group_of(self.idata, "sample_stats")
        name = next((n for n in (stat_name, OLD_STATS.get(stat_name)) if stats is not None and n in stats.data_vars), None)
        if name is None:
            raise KeyError("Unknown sampler statistic {}".format(stat_name))
        return self._select(np.asarray(stats[name].values)[:, self._keep], burn, thin, combine, chains, squeeze)

    def _select(self, values: np.ndarray, burn: int, thin: int, combine: bool, chains: Any, squeeze: bool) -> Any:
        numbers = self.chains if chains is None else [int(chains)] if isinstance(chains, (int, np.integer)) else list(chains)
        each = [values[self.chains.index(number), burn or 0 :: thin] for number in numbers]
        if combine:
            return np.concatenate(each)
        return each[0] if squeeze and len(each) == 1 else each

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, (int, np.integer)):
            return self.point(int(key))
        if isinstance(key, tuple):
            name, *rest = key
            if len(rest) == 1 and isinstance(rest[0], slice):
                part = rest[0]
                return self.get_values(name, burn=part.start or 0, thin=part.step or 1) if part.stop is None else self._slice(part)[name]
            raise KeyError("a trace takes a variable, a slice of draws, or both")
        name = str(getattr(key, "name", key))
        if name in self.stat_names and name not in self.varnames:
            return self.get_sampler_stats(name)
        return self.get_values(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.varnames:
            return self.get_values(name)
        if name in self.stat_names:
            return self.get_sampler_stats(name)
        raise AttributeError("'MultiTrace' object has no attribute {!r}".format(name))

    def _slice(self, part: slice) -> "MultiTrace":
        """A trace with a slice of the draws."""
        whole = range(group_of(self.idata, "posterior").sizes["draw"])
        kept = whole[self._keep][part]
        new = MultiTrace(self.idata, slice(kept.start, kept.stop if kept.stop >= 0 else None, kept.step), self.model, self._chain_warnings)
        new._added = {name: values[:, part] for name, values in self._added.items()}
        return new

    def point(self, idx: int, chain: Optional[int] = None) -> Dict[str, np.ndarray]:
        """Returns a mapping: Variable -> value at draw `idx` of a chain; the default is the last chain, as in PyMC3."""
        at = self.chains.index(self.chains[-1] if chain is None else chain)
        return Values({name: self._values(name)[at, idx] for name in self.varnames})

    def points(self, chains: Optional[Sequence[int]] = None) -> Iterator[Dict[str, np.ndarray]]:
        """Yields the points of all draws, chain after chain."""
        arrays = {name: self._values(name) for name in self.varnames}
        for number in self.chains if chains is None else chains:
            at = self.chains.index(number)
            for idx in range(len(self)):
                yield Values({name: values[at, idx] for name, values in arrays.items()})

    def __iter__(self) -> Iterator[Dict[str, np.ndarray]]:
        return (self.point(idx) for idx in range(len(self)))

    def add_values(self, vals: Dict[str, Any], overwrite: bool = False) -> None:
        """Adds variables: each an array of (draws of all chains, ...), or of (draws, ...) for a single chain."""
        for name, values in vals.items():
            if name in self.varnames and not overwrite:
                raise ValueError("Variable name {} already exists.".format(name))
            array = np.asarray(values)
            self._added[name] = array.reshape((self.nchains, len(self), *array.shape[1:]))

    def remove_values(self, name: str) -> None:
        """Removes a variable that was added. Raises KeyError for others."""
        if name not in self._added:
            raise KeyError("Unknown variable {}: only what add_values added can be removed".format(name))
        del self._added[name]

    def __repr__(self) -> str:
        return "<MultiTrace: {} chains, {} iterations, {} variables>".format(self.nchains, len(self), len(self.varnames))

    def to_inference_data(self) -> Any:
        """Returns the draws as an object that ArviZ reads, including the added variables."""
        if self._keep == slice(None) and not self._added:
            return self.idata
        kept = self.idata.isel(draw=self._keep) if hasattr(self.idata, "isel") else self.idata
        posterior = getattr(kept, "posterior", kept)  # of a DataTree the node: its Dataset cannot be changed
        for name, values in self._added.items():
            dims = ["chain", "draw", *("{}_dim_{}".format(name, i) for i in range(values.ndim - 2))]
            posterior[name] = type(posterior[next(iter(posterior.data_vars))])(values, dims=dims)
        return kept


def group_of(idata: Any, name: str) -> Any:
    """Returns a group of an InferenceData or a DataTree as a Dataset; None if there is none. PyMC3 takes a posterior itself, too."""
    try:
        held = getattr(idata, name)
    except AttributeError:
        if name != "posterior" or "draw" not in getattr(idata, "sizes", ()):
            return None
        held = idata
    return held.ds if hasattr(held, "ds") else held


def apart(idata: Any) -> Any:
    """Moves the transformed variables of draws to a separate group, so that ArviZ does not show them, as with PyMC3."""
    held = group_of(idata, "posterior")
    transformed = [name for name in held.data_vars if str(name).endswith("__")]
    if not transformed:
        return idata
    groups = {GROUPS[0]: held[[name for name in held.data_vars if name not in transformed]], GROUPS[1]: held[transformed]}
    if type(idata).__name__ == "InferenceData":
        del idata.posterior
        idata.add_groups(groups)
    else:
        for group, variables in groups.items():
            idata[group] = type(idata)(variables)
    return idata


def as_inference_data(trace: Any) -> Any:
    """Converts a MultiTrace to an object that ArviZ reads; other objects are returned unchanged."""
    return trace.to_inference_data() if isinstance(trace, MultiTrace) else trace


def trace_to_dataframe(trace: Any, chains: Any = None, varnames: Any = None, include_transformed: bool = False) -> Any:
    """Returns a DataFrame with one row for each draw and one column for each scalar: `x`, `beta__0`, `beta__1_2` (PyMC3 3.11.5,
    backends/tracetab.py).
    """
    import pandas

    transformed = {name for name in trace.varnames if name.endswith("__")}
    names = varnames or [name for name in trace.varnames if include_transformed or name not in transformed]
    columns = {}  # type: Dict[str, np.ndarray]
    for name in names:
        values = trace.get_values(name, combine=True, chains=chains)
        if values.ndim == 1:
            columns[str(name)] = values
        for index in np.ndindex(*values.shape[1:]) if values.ndim > 1 else ():
            columns["{}__{}".format(name, "_".join(map(str, index)))] = values[(slice(None),) + index]
    return pandas.DataFrame(columns)
