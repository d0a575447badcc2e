"""Functions with which PyMC computes something for each draw in turn: they run for one draw, whose arrays give the memory of all.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/forward.py `sample_prior_predictive`, `sample_posterior_predictive`; pymc/stats/log_density.py.
"""

import inspect

from .pymc_results import draws_of, groups, row, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def arguments(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, Live]":
    """The arguments of a call by name, including those that the function collects in `**kwargs`, whatever it calls them."""
    bound = inspect.signature(own).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given.update(given.pop(parameter.name))
    return given


def source(given: "dict[str, Live]") -> "Live":
    """The posterior whose draws the call iterates over; None for the prior."""
    return given.get("trace", given.get("idata"))


def understood(name: str, given: "dict[str, Live]") -> bool:
    """Whether the draws can be counted: the source has chains and draws, and the result is an InferenceData."""
    if not given.get("return_inferencedata", True):
        return False
    if name == "sample_prior_predictive":
        return True
    posterior = groups(source(given)).get("posterior") if hasattr(source(given), "groups") else None
    return posterior is not None and set(("chain", "draw")).issubset(posterior.sizes)


def arguments_for_one_draw(name: str, given: "dict[str, Live]") -> "tuple[dict[str, Live], int, int, list[dict[str, object]]]":
    """(arguments for one draw, chains, draws, the event's rows for one draw of the posterior)."""
    if name == "sample_prior_predictive":
        return dict(given, draws=1), 1, int(given["draws"]), []
    posterior = groups(source(given))["posterior"]
    key = "trace" if "trace" in given else "idata"
    one = dict(given, extend_inferencedata=False)
    one[key] = shortened(source(given))
    points = [row(str(k), "free", v.values[0, 0]) for k, v in posterior.data_vars.items()]
    return one, int(posterior.sizes["chain"]), draws_of(posterior), points


def arrays_of_draw(result: "Live") -> "list[dict[str, object]]":
    """The event's rows for the arrays computed for one draw."""
    datasets = groups(result) if hasattr(result, "groups") else {"": result}
    return [
        row(str(k), name or "log-likelihood", v.values[0, 0])
        for name, group in datasets.items()
        if "draw" in group.sizes
        for k, v in group.data_vars.items()
    ]


def handed_back(given: "dict[str, Live]", result: "Live") -> "Live":
    """The value returned to the script: the result, or the script's own object extended with it."""
    if not given.get("extend_inferencedata", False):
        return result
    whole = source(given)
    for name, group in (groups(result) if hasattr(result, "groups") else {"log_likelihood": result}).items():
        if name not in groups(whole):
            add_group(whole, name, group)
    return whole


def add_group(whole: "Live", name: str, group: "Live") -> None:
    """Adds a group to a DataTree or an InferenceData."""
    if hasattr(whole, "subtree"):
        whole[name] = type(whole)(group)
    else:
        whole.add_groups({name: group})
