"""What PyMC computes for every draw, one after the other: it is asked for one draw, whose arrays tell what all would take.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/forward.py `sample_prior_predictive`, `sample_posterior_predictive`; pymc/stats/log_density.py.
"""

import inspect

from .pymc_results import draws_of, groups, row, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def arguments(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, Live]":
    """The arguments by their names, those of `**kwargs` among them."""
    bound = inspect.signature(own).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    given.update(given.pop("kwargs", {}))
    return given


def source(given: "dict[str, Live]") -> "Live":
    """The result whose draws the call iterates over; None for the prior."""
    return given.get("trace", given.get("idata"))


def understood(name: str, given: "dict[str, Live]") -> bool:
    """Whether the draws come from where we can count them, and go where we can put them."""
    if not given.get("return_inferencedata", True):
        return False
    if name == "sample_prior_predictive":
        return True
    posterior = groups(source(given)).get("posterior") if hasattr(source(given), "groups") else None
    return posterior is not None and set(("chain", "draw")).issubset(posterior.sizes)


def of_one_draw(name: str, given: "dict[str, Live]") -> "tuple[dict[str, Live], int, int, list[dict[str, object]]]":
    """The arguments for one draw; how many chains and draws there are; and the arrays of a draw that is gone through."""
    if name == "sample_prior_predictive":
        return dict(given, draws=1), 1, int(given["draws"]), []
    posterior = groups(source(given))["posterior"]
    key = "trace" if "trace" in given else "idata"
    one = dict(given, extend_inferencedata=False)
    one[key] = shortened(source(given))
    points = [row(str(k), "free", v.values[0, 0]) for k, v in posterior.data_vars.items()]
    return one, int(posterior.sizes["chain"]), draws_of(posterior), points


def arrays_of_draw(result: "Live") -> "list[dict[str, object]]":
    """The arrays that were computed for the one draw."""
    datasets = groups(result) if hasattr(result, "groups") else {"": result}
    return [
        row(str(k), name or "log-likelihood", v.values[0, 0])
        for name, group in datasets.items()
        if "draw" in group.sizes
        for k, v in group.data_vars.items()
    ]


def handed_back(given: "dict[str, Live]", result: "Live") -> "Live":
    """What the script gets: the result, or what it gave with the result in it."""
    if not given.get("extend_inferencedata", False):
        return result
    whole = source(given)
    for name, group in (groups(result) if hasattr(result, "groups") else {"log_likelihood": result}).items():
        if name not in groups(whole):
            put(whole, name, group)
    return whole


def put(whole: "Live", name: str, group: "Live") -> None:
    """Adds a group to a DataTree or an InferenceData."""
    if hasattr(whole, "subtree"):
        whole[name] = type(whole)(group)
    else:
        whole.add_groups({name: group})
