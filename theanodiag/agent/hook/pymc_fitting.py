"""Intercepts `pymc.fit`, `Approximation.sample` and `pymc.find_MAP`: PyMC compiles the functions, but no iteration runs.

Source: PyMC 5.28.5 and 6.4.0. pymc/variational/inference.py: `Inference.fit` compiles the step and passes it to `_iterate_with_loss` or
`_iterate_without_loss`, as `refine` does. pymc/variational/opvi.py: `Approximation.sample` draws all samples at once, then records them one
by one in a trace. pymc/tuning/starting.py: `find_MAP` calls scipy's `minimize`, in PyMC 6 that of better_optimize. pymc-extras 0.15.1,
pymc_extras/inference/laplace_approx: `fit_laplace` also minimizes, inverts the Hessian, and compiles a function of all draws;
inference/dadvi: `fit_dadvi` minimizes over means and scales, and calls a function of one draw for each.
"""

import functools
import sys

from . import pymc_results
from .pymc_results import row, traced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .pymc_sampling import PymcSampling


class PymcFitting(object):
    """Patches `pymc.variational` and `pymc.tuning`, so that no iteration runs."""

    def __init__(self, sampling: "PymcSampling") -> None:
        self.sampling = sampling
        self.moved = 0  # number of values that the running optimizer changes
        self.steps = {}  # type: dict[int, list[int]]  # id of a compiled step -> its functions

    def actions(self) -> "dict[str, Live]":
        """Returns a mapping: module name -> function to call after its import."""
        return {
            "pymc.variational.inference": self._inference,
            "pymc.variational.opvi": self._opvi,
            "pymc.tuning.starting": self._starting,
            "better_optimize": self._minimizers,
            "pymc_extras.inference.laplace_approx.find_map": self._hessians,
            "pymc_extras.inference.laplace_approx.laplace": self._laplace,
            "pymc_extras.inference.dadvi.dadvi": self._dadvi,
        }

    def _inference(self, module: "Live") -> None:
        own = getattr(module, "Inference", None)
        if own is None or not hasattr(own, "_iterate_with_loss") or not hasattr(own, "_iterate_without_loss"):
            self.sampling.skipped("calls of pymc.fit", "this PyMC has no Inference._iterate_with_loss: they run dry")
            return
        own.fit = functools.wraps(own.fit)(self._fit(own.fit))
        for name, scored in (("_iterate_with_loss", True), ("_iterate_without_loss", False)):
            setattr(own, name, self._iterated(module.State, scored))

    def _fit(self, own: "Live") -> "Live":
        """Wraps `fit`: records the call with the script's line, and compiles the step inside it."""

        def fit(*args: "Live", **kwargs: "Live") -> "Live":
            with self.sampling.call("fit"):
                return own(*args, **kwargs)

        return fit

    def _iterated(self, state: "Live", scored: bool) -> "Live":
        def iterate(inference: "Live", s: int, n: int, step: "Live", *args: "Live", **kwargs: "Live") -> "Live":
            callbacks = kwargs["callbacks"] if "callbacks" in kwargs else args[-1]
            with self.sampling.call("fit", again=True) as call:
                if call is not None:
                    tracked = self._tracked(inference.approx, callbacks, n)
                    step()
                    self.steps[id(step)] = call.functions.setdefault("step", self.steps.get(id(step), []))
                    held = parameters(inference.approx, step)
                    call.fields.update(sampler=type(inference).__name__.lower(), draws=n, variables=tracked, held=held, scored=scored)
                    call.fields.update(rows=observed_rows(inference.approx.model))
                    self.sampling.send(call)
            if scored:
                numpy = sys.modules["numpy"]
                inference.hist = numpy.concatenate([inference.hist, numpy.zeros(n)])
            return state(s + max(0, n - 1), step=step, callbacks=callbacks, score=scored)

        return iterate

    def _tracked(self, approx: "Live", callbacks: "Live", n: int) -> "list[dict[str, object]]":
        """The event's rows for what `Tracker` stores at each iteration; the tracker gets as many entries as a real run would give it."""
        numpy, rows = sys.modules["numpy"], []
        for callback in callbacks or ():
            if type(callback).__name__ == "Tracker" and n > 0:
                callback(approx, numpy.zeros(1), 1)
                for name, entries in callback.hist.items():
                    rows.append(row(str(name), "tracked", numpy.asarray(entries[-1])))
                    entries.extend(entries[-1:] * (n - 1))
        return rows

    def _opvi(self, module: "Live") -> None:
        objective = getattr(module, "ObjectiveFunction", None)  # type: Live
        approximation = getattr(module, "Approximation", None)  # type: Live
        if hasattr(objective, "step_function"):
            objective.step_function = functools.wraps(objective.step_function)(self.sampling.named(objective.step_function, "step"))
        if hasattr(approximation, "sample") and hasattr(module, "NDArray"):
            approximation.sample = functools.wraps(approximation.sample)(self._sample(module, approximation.sample))

    def _sample(self, module: "Live", own: "Live") -> "Live":
        sampling = self.sampling

        def sample(approx: "Live", draws: int = 500, **kwargs: "Live") -> "Live":
            with sampling.call("Approximation.sample", converts=True) as call:
                if call is None:
                    return own(approx, draws, **kwargs)
                drawn = sampling.named(lambda: approx.sample_dict_fn(draws), "drawing")()
                traces = []  # type: list[Live]
                real = module.NDArray
                module.NDArray = functools.partial(create_and_keep, traces, real)
                try:
                    result = own(approx, 1, **kwargs)
                finally:
                    module.NDArray = real
                call.fields.update(
                    traced(traces[-1], approx.model),
                    sampler=family(approx),
                    draws=draws,
                    made=[row(str(name), "drawn", values[0]) for name, values in drawn.items()],
                    converted=bool(kwargs.get("return_inferencedata", True)),
                )
                sampling.send(call)
                return sampling.handed_out(call, result)

        return sample

    def _starting(self, module: "Live") -> None:
        own = getattr(module, "find_MAP", None)
        if own is None:
            return
        module.find_MAP = functools.wraps(own)(self._find(own))
        if hasattr(module, "minimize"):  # PyMC 5
            module.minimize = self._minimized(module.minimize, "minimize")
        self._hessians(module)

    def _hessians(self, module: "Live") -> None:
        if hasattr(module, "_compute_inverse_hessian"):
            module._compute_inverse_hessian = self._inverse(module._compute_inverse_hessian)

    def _laplace(self, module: "Live") -> None:
        self._hessians(module)
        self._optimum_and_draws(module, "fit_laplace", "draws", "fit")

    def _dadvi(self, module: "Live") -> None:
        for name, role in (("scipy_optimize_funcs_from_loss", "fit"), ("draws_from_laplace_approx", "drawing")):
            if hasattr(module, name):
                setattr(module, name, self.sampling.named(getattr(module, name), role))
        self._optimum_and_draws(module, "fit_dadvi", "n_draws", None)

    def _optimum_and_draws(self, module: "Live", name: str, count: str, role: "str | None") -> None:
        """Wraps a function that finds an optimum as `find_MAP` does, then draws from a normal distribution around it.

        `count`: its argument that is the number of draws. `role`: of the functions that it compiles, if they have none yet.
        """
        sampling, own = self.sampling, getattr(module, name, None)
        if own is None:
            return
        prepare = own if role is None else sampling.named(own, role)

        def fit(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            with sampling.call(name, converts=True) as call:
                if call is None:
                    return own(*args, **kwargs)
                draws = int(given[count])
                # False: a loop over draws, which fills their arrays. Releases of `fit_laplace` without this argument have no loop.
                if not given.get("vectorize_draws", name == "fit_laplace"):
                    given[count] = 1
                prepare(**given)
                call.fields.update(
                    entry="pymc_extras." + name, draws=draws, converted=True, include_transformed=bool(given.get("include_transformed"))
                )
                return sampling.result_alone(call, sys.modules["pymc.model"].modelcontext(given.get("model")))

        setattr(module, name, functools.wraps(own)(fit))

    def _minimizers(self, module: "Live") -> None:
        for name in ("minimize", "basinhopping"):
            if hasattr(module, name):
                setattr(module, name, self._minimized(getattr(module, name), name))

    def _find(self, own: "Live") -> "Live":
        sampling = self.sampling

        def find_map(*args: "Live", **kwargs: "Live") -> "Live":
            with sampling.call("find_MAP", converts=bool(kwargs.get("return_inferencedata"))) as call:
                if call is None:
                    return own(*args, **kwargs)
                result = sampling.named(own, "logp and gradient")(*args, **kwargs)
                call.fields.update(made=values(result), converted=bool(kwargs.get("return_inferencedata")))
                sampling.send(call)
                return sampling.watched(call, result, 1)

        return find_map

    def _minimized(self, own: "Live", name: str) -> "Live":
        """Replaces scipy's minimizer: calls the function once and returns the start as the optimum."""
        sampling = self.sampling

        def minimized(*args: "Live", **kwargs: "Live") -> "Live":
            if not sampling.calls:
                return own(*args, **kwargs)
            given = dict(zip(("f", "x0"), args), **kwargs)
            x0, inner = given["x0"], given.get("minimizer_kwargs") or given
            fields, method = sampling.calls[-1].fields, str(inner.get("method") or "L-BFGS-B")
            given["f" if "f" in given else "func"](x0)
            if inner.get("hessp") is not None:
                inner["hessp"](x0, x0)
            self.moved = len(x0)
            if fields.get("kind") in ("find_MAP", "fit_laplace", "fit_dadvi"):
                fields.update(sampler=method if name == "minimize" else "basinhopping of %s" % method)
                fields.setdefault("held", []).append(dict(row("x", "optimized", x0)))  # type: ignore[attr-defined]
            result = sys.modules["scipy.optimize"].OptimizeResult
            return result(x=x0.copy(), fun=0.0, success=True, message="not run", nit=0, nfev=1, jac=x0 * 0)

        return minimized

    def _inverse(self, own: "Live") -> "Live":
        sampling = self.sampling

        def inverse(*args: "Live", **kwargs: "Live") -> "Live":
            if not sampling.calls:
                return own(*args, **kwargs)
            numpy, n = sys.modules["numpy"], self.moved
            hessian = {"name": "inverse Hessian", "kind": "inverse Hessian", "dtype": "float64", "shape": [n, n], "bytes": 8 * n * n}
            sampling.calls[-1].fields.setdefault("held", []).append(hessian)  # type: ignore[attr-defined]
            return numpy.broadcast_to(numpy.zeros(()), (n, n))

        return inverse


def create_and_keep(created: "list[Live]", real: "Live", *args: "Live", **kwargs: "Live") -> "Live":
    """Creates an object with `real` and appends it to `created`."""
    created.append(real(*args, **kwargs))
    return created[-1]


def parameters(approx: "Live", step: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the shared variables that the step updates, which are the fitted parameters and the optimizer's state."""
    fitted, pairs = list(approx.params), []
    for shared in step.get_shared():
        value = shared.get_value(borrow=True)
        if hasattr(value, "nbytes"):
            is_fitted = any(shared is p for p in fitted)
            if is_fitted or value.ndim:
                pairs.append((row(str(shared.name or "accumulator"), "fitted" if is_fitted else "data", value), shared))
    updated = [v.variable for v in step.maker.inputs if getattr(v, "update", None) is not None]
    for entry, shared in pairs:
        if entry["kind"] == "data" and any(shared is v for v in updated):
            entry["kind"] = "optimizer"
    return [entry for entry, _ in pairs if entry["kind"] != "data"]


def observed_rows(model: "Live") -> "int | None":
    """Returns the largest number of rows of an observed variable; None for minibatches or if it is unknown."""
    lengths = []  # type: list[int]
    for variable in model.observed_RVs:
        if "Minibatch" in type(getattr(variable.owner, "op", None)).__name__:
            return None
        data = getattr(model.rvs_to_values[variable], "data", None)
        shape = getattr(data, "shape", None) or model.rvs_to_values[variable].type.shape
        lengths.extend(int(n) for n in shape[:1] if n is not None)
    return max(lengths) if lengths else None


def family(approx: "Live") -> str:
    """Returns the class name of the approximation in lower case, such as `meanfield`."""
    return type(approx).__name__.lower()


def values(result: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the arrays of the optimum that `result` contains."""
    numpy = sys.modules["numpy"]
    if isinstance(result, tuple):
        result = result[0]
    if isinstance(result, dict):
        return [row(str(k), "optimum", numpy.asarray(v)) for k, v in result.items()]
    posterior = result["posterior"]
    return [row(str(k), "optimum", posterior[k].values[0, 0]) for k in posterior.data_vars]
