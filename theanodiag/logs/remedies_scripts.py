"""Remedies for scripts that are older than PyMC or ArviZ: removed names, arguments and results, and their replacements."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Cause
from .remedy import remedy

_PYMC = r"pymc|\bpm\."
_LOG_LIKELIHOOD = "pm.compute_log_likelihood(idata), or sample(idata_kwargs={{'log_likelihood': True}}), before arviz.loo and compare"

NAMES: Mapping[str, str] = {
    **dict.fromkeys(("sample_ppc", "fast_sample_posterior_predictive"), "sample_posterior_predictive"),
    **dict.fromkeys(("traceplot", "plot_trace"), "arviz.plot_trace"),
    **dict.fromkeys(("forestplot", "plot_forest"), "arviz.plot_forest"),
    **dict.fromkeys(("plot_posterior", "kdeplot", "densityplot"), "arviz.plot_dist (ArviZ before 1: plot_posterior)"),
    **dict.fromkeys(("autocorr", "autocov"), "arviz.autocorr, arviz.autocov"),
    **dict.fromkeys(("autocorrplot", "energyplot", "pairplot", "compareplot"), "a plot_ function of arviz"),
    **dict.fromkeys(("hpd", "hdi"), "arviz.hdi"),
    **dict.fromkeys(("waic", "loo", "dic", "bpic"), "arviz.loo"),
    **dict.fromkeys(("gelman_rubin", "effective_n", "geweke", "diagnostics", "rhat", "ess"), "arviz.rhat, arviz.ess"),
    **dict.fromkeys(("mc_error", "quantiles", "df_summary", "summary", "stats", "plots", "compare"), "a function of arviz (summary, mcse)"),
    **dict.fromkeys(("GLM", "glm", "LinearComponent"), "the package bambi"),
    **dict.fromkeys(
        ("save_trace", "load_trace", "Text", "SQLite", "HDF5", "NDArray", "text", "sqlite"), "idata.to_netcdf and arviz.from_netcdf"
    ),
    **dict.fromkeys(("advi", "sample_vp"), "fit(method='advi')"),
    **dict.fromkeys(("logp", "logp_elemwise", "logp_sum"), "pm.logp(x, value), for a model model.compile_logp()"),
    **dict.fromkeys(("logpt", "logp_nojact", "varlogpt", "datalogpt", "observedlogpt"), "model.logp(), the variable; model.compile_logp()"),
    **dict.fromkeys(("fastlogp", "fastdlogp", "fastfn", "fastd2logp", "logp_dlogp_function"), "model.compile_logp(), compile_dlogp()"),
    **dict.fromkeys(("test_point", "testval", "test_value", "initial_values"), "model.initial_point()"),
    **dict.fromkeys(("vars", "cont_vars", "disc_vars"), "model.free_RVs and model.value_vars"),
    **dict.fromkeys(("dict_to_array", "array_to_dict", "bijection", "ArrayOrdering"), "DictToArrayBijection of pymc.blocking"),
    **dict.fromkeys(("MutableData", "ConstantData"), "pm.Data, which always can be set"),
    **dict.fromkeys(("Constant", "ConstantDist"), "DiracDelta"),
    **dict.fromkeys(("theanof", "aesaraf"), "pymc.pytensorf"),
    **dict.fromkeys(("set_tt_rng", "tt_rng"), "random_seed= of sample, draw and the predictive functions"),
    **dict.fromkeys(
        ("sample_numpyro_nuts", "sample_blackjax_nuts"), "sample(nuts_sampler='numpyro' or 'blackjax'), or of pymc.sampling.jax"
    ),
    "sampling_jax": "a module to import by its name (PyMC 4: import pymc.sampling_jax, later pymc.sampling.jax), or "
    "sample(nuts_sampler='numpyro')",
    "random": "pm.draw(x, draws=...)",
    "Bound": "Truncated, or a Censored distribution",
    "AR1": "AR(rho=..., sigma=...)",
    "DensityDist": "CustomDist",
    "SMC": "sample_smc()",
    "callbacks": "pymc.variational.callbacks",
    "trace_to_dataframe": "arviz.extract(idata).to_dataframe()",
    "check_test_point": "model.point_logps(), or model.debug()",
    "distribution": "pm.logp(x, value) and pm.draw(x), or x.owner.op",
    "transforms": "pm.distributions.transforms",
    "stick_breaking": "simplex",
    "set_shared": "pm.set_data",
    "tt": "pytensor.tensor",
    "theano": "pytensor",
    "BART": "the package pymc-bart",
}
"""PyMC3 name -> its name in PyMC 5 and 6 (pymc/__init__.py of both; confirmed with the real libraries)."""

PYMC2_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("MCMC", "MAP"), "pm.sample(), pm.find_MAP()"),
    **dict.fromkeys(("stochastic", "deterministic", "observed", "potential"), "pm.CustomDist, pm.Deterministic, observed=, pm.Potential"),
}
"""PyMC 2 name -> its replacement in PyMC (pymc/__init__.py of PyMC 2.3)."""

ARVIZ_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("hpd", "plot_hpd", "plot_hdi"), "hdi, and plot_lm for bands"),
    **dict.fromkeys(("plot_posterior", "plot_density", "plot_kde", "plot_violin", "plot_dot"), "plot_dist or plot_forest"),
    **dict.fromkeys(("from_pymc3", "from_pymc3_predictions"), "what sample() of PyMC 4 and later returns"),
    **dict.fromkeys(("plot_ppc", "plot_bpv", "plot_ts"), "plot_ppc_dist, plot_ppc_pit"),
    **dict.fromkeys(("convert_to_inference_data", "InferenceData", "concat"), "convert_to_datatree, xarray.DataTree"),
    **dict.fromkeys(("to_netcdf", "to_json", "to_zarr"), "idata.to_netcdf(path)"),
    **dict.fromkeys(("effective_n", "geweke", "gelman_rubin"), "ess, rhat"),
    **dict.fromkeys(("r2_score", "r2_samples"), "bayesian_r2"),
    "extract_dataset": "extract",
    "waic": "loo",
    "plot_joint": "plot_pair",
    "plot_elpd": "plot_compare, plot_khat",
    "plot_dist_comparison": "plot_prior_posterior",
}
"""Name in ArviZ before 1.0 -> its name in ArviZ 1 (dir() of 0.22 and 1.3)."""

ARGUMENTS: Mapping[str, str] = {
    "sd": "sigma",
    "states": "outputs_info of theano.scan (which takes the first state, and returns all)",
    "testval": "initval",
    "njobs": "cores",
    "nchains": "chains",
    "start": "initvals",
    "varnames": "var_names",
    "vars": "var_names (a list of names); for a step method, vars",
    "trace": "var_names (a list of names)",
    "samples": "draws, for the prior; for predictions there is one for each draw of the posterior: idata.sel(draw=slice(None, None, 5)) "
    "thins it",
    "size": "one prediction for each draw; arviz.extract(idata, num_samples=...) takes fewer",
    "keep_size": "always so",
    "nuts_kwargs": "arguments of sample itself (target_accept=...), or nuts={...}",
    "step_kwargs": "arguments of sample itself (target_accept=...), or nuts={...}",
    "live_plot": "removed",
    "progressbar_theme": "removed",
    "mutable": "removed: pm.Data can always be set",
    "total_size": "an argument of observed variables",
    "init": "init_dist of a random walk or AR",
    "fmin": "method (a name of scipy.optimize.minimize)",
    "lengthscales": "ls",
    "variance": "a factor before the covariance function",
    "noise": "sigma",
    "theta": "mu",
    "k": "rho",
    "tau_e": "tau",
    "n_steps": "threshold and correlation_threshold",
    "parallel": "cores",
    "kernel": "a class, pm.smc.IMH or pm.smc.MH",
    "credible_interval": "ci_prob (ArviZ before 1: hdi_prob)",
    "hdi_prob": "ci_prob",
    "alpha_level": "ci_prob",
    "figsize": "figure_kwargs={'figsize': ...} of ArviZ 1",
    "ax": "plot_collection of ArviZ 1",
    "axes": "plot_collection of ArviZ 1",
    "compact": "removed (ArviZ 1 draws by aesthetics, compact is the default), and not available before 0.4: pip install -U arviz",
    "kind": "another plot_ function of ArviZ 1",
    "ic": "removed: compare uses loo",
    "scale": "removed",
    "textsize": "removed: visuals={...}",
    "transform": "removed",
    "round_to": "round_to='none' or a number of digits",
}
"""Argument of PyMC3, or of ArviZ before 1.0 -> its present name (signatures of PyMC 5 and 6 and ArviZ 1.3; confirmed with the real
libraries)."""

SCRIPTS = (
    remedy(
        Cause.LIBRARY_FAULT,
        r"'(?:numpy\.)?(?P<type>ndarray|float\d*|int\d*|list)' object has no attribute '(?:eval|owner|dimshuffle|broadcastable|get_value)'",
        "a value ({type}) was passed where a symbolic variable is needed: theano.shared(x), tensor.as_tensor_variable(x), in Keras "
        "K.variable(x)",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"^(?:-+> ?\d+ | {4})[^\n]*?(?<![\w.])(?P<value>[a-z_]\w{0,40})\.(?P<name>\w{1,60})\b[^\n]*\n(?:(?!\s*File )[^\n]*\n){0,"
        r"5}?[^\n]{0,12}"
        r"AttributeError: '(?P<type>list|tuple|dict|str|int|float|function|(?:numpy\.)?ndarray|DataFrame|Series)' object has no attribute "
        r"'(?P=name)'",
        "{library} uses {value}.{name}, and {value} is a {type}: give {function} the kind of object that its documentation names for "
        "{value} (a function that returns several values returns a tuple, of which you need one: x[0], or a, b = f()), or install another "
        "release of {library}",
        r"-packages[/\\]",
        alone=True,
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"\A[^\n]{0,12}AttributeError: '(?P<type>tuple|list|dict|str|float|int|function)' object has no attribute '(?P<name>(?!_)\w+)'",
        "{function} got a {type} where {library} takes an object that has {name}: print the type of each argument; a function that "
        "returns several values returns a tuple, of which you need one (x[0], or a, b = f())",
        r"-packages[/\\]",
        alone=True,
    ),
    remedy(
        (Cause.REFUSED, Cause.OLD_INTERFACE),
        r"[Ii]nvalid (?:keyword )?argument ['\"](?P<name>\w+)['\"]",
        "{name} is not known there: leave it out, or use the back-end or the release that has it",
    ),
    remedy(
        (Cause.REFUSED, Cause.LIBRARY_FAULT),
        r"[Nn]o model on context stack|[Mm]odel context|\bget_contexts?\(",
        "a PyMC variable belongs in a model of the same library: write it inside `with pm.Model():`, or use Distribution.dist(...) "
        "outside; if a package creates it (exoplanet calls pymc3), import the library that this package imports as pm",
    ),
    remedy(
        Cause.REFUSED,
        r"(?P<name>\w{1,60}) already exists",
        "the model already has a variable {name}: start with a new model (run the cell with `with pm.Model():` again too), or use "
        "another name",
        _PYMC,
    ),
    remedy(
        (Cause.REFUSED, Cause.NO_IMPLEMENTATION),
        r"[Cc]annot sample from (?:the )?(?P<name>[Ff]lat|[Hh]alf[Ff]lat)",
        "{name} has no distribution to draw from: give the variable a proper prior, such as a wide Normal or HalfNormal",
    ),
    remedy(
        (Cause.REFUSED, Cause.NO_IMPLEMENTATION),
        r"only supported for univariate|[Ii]mputation[^\n]{0,80}univariate",
        "missing values (NaN, masked) are imputed for univariate distributions only: remove those rows, or write the likelihood of the "
        "observed part",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"Logprob method not implemented for (?P<name>\w+)|logprob[^\n]{0,60}could not be derived|logp[^\n]{0,40}not implemented",
        "PyMC cannot derive a log-probability through {name}: provide it with CustomDist(..., logp=...) or Potential, or observe the "
        "variable before that operation",
    ),
    remedy(
        Cause.REFUSED,
        r"Can only convert [^\n]{1,400} to (?P<kind>\w+), not (?P<name>\w+)",
        "ArviZ cannot read a {name}: install a release of the library that created it whose results are {kind} (pip install -U bambi, "
        "pymc), or pass to ArviZ a dictionary of arrays (chain, draw, ...)",
    ),
    remedy(
        Cause.REFUSED,
        r"Error evaluating factor: (?P<error>[^\n]{1,200})",
        "a part of the formula is Python code that fails ({error}): its names are looked up among the columns of the data, then among "
        "the script's variables; one called C, Q, I or np hides the function of that name; print(df.columns) lists the columns",
    ),
    remedy(
        Cause.REFUSED,
        r"\bNotConstantValueError|NotScalarConstantError",
        "a length or a number must be known when the model is built, but depends on data that may change (pm.Data) or on missing values: "
        "use constants there, coords without missing values, or the newest PyMC (pip install -U pymc)",
    ),
    remedy(
        Cause.REFUSED,
        r"does not contain any (?:free|unobserved)",
        "each variable of the model is observed or deterministic, so there is nothing to sample: sample_prior_predictive draws from such "
        "a model; a variable to be inferred has no observed=",
    ),
    remedy(
        (Cause.REFUSED, Cause.OLD_INTERFACE),
        r"(?:must have|has no|no) (?:the )?group \"?'?(?P<name>\w+)",
        "the draws have no group {name}: sample_posterior_predictive(idata, extend_inferencedata=True) adds posterior_predictive, "
        "sample_prior_predictive prior, compute_log_likelihood log_likelihood",
    ),
    remedy(
        Cause.REFUSED,
        r"Random variables detected in the logp graph: (?P<names>[\[{][^\n]{1,100})",
        "a logp function, or the bound of a variable, uses {names} from outside: pass it as an argument (CustomDist('x', parameter, "
        "logp=...)), or give the bounded variable transform=None",
    ),
    remedy(
        Cause.REFUSED,
        r"KeyError: '?(?P<name>\w{1,60}) ~ ",
        "{name} itself was passed where its name is needed: var_names=['{name}']",
    ),
    remedy(
        Cause.REFUSED,
        r"pandas[\\/][\w\\/]*(?:index|hashtable)[^\n]*\n(?:[^\n]*\n){0,4}?KeyError: (?P<name>\d{1,12})L?\s*$",
        "the data's index has no {name}: rows were left out, or it does not start at 0; df.reset_index(drop=True) makes it start at 0",
    ),
    remedy(
        Cause.REFUSED,
        r"(?:pandas|xarray)[\\/][\w\\/]*(?:index|hashtable)[^\n]*\n(?:[^\n]*\n){0,4}?KeyError: '?(?P<name>[^'\n]{1,60})'?",
        "the data has no column or label {name}: print(df.columns) lists them; look at the spelling, in a formula too",
    ),
    remedy(
        Cause.REFUSED,
        r"KeyError: '(?P<name>[^'\n~]{1,60})'",
        "this model has no variable {name}: print(model.named_vars) lists them; set_data takes names of pm.Data",
        _PYMC,
    ),
    remedy(
        (Cause.REFUSED, Cause.OLD_INTERFACE),
        r"Incompatible parameterization[^\n]{0,200}sigma",
        "sd is PyMC3's name: write sigma, as the message says",
        _PYMC,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:module '?arviz[\w.]*'? has no attribute|cannot import name(?= '?\w+'? from '?arviz)) '?(?P<name>\w+)",
        "{name} belongs to an older ArviZ; now it is {became}",
        r"",
        ARVIZ_NAMES,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:(?:has no attribute|cannot import name) '?|No module named '?pymc3?\.(?:\w+\.)*|"
        r"\bpm\.(?=\w+[^\n]{0,200}\n(?:[\s^~|]*\n)?TypeError: 'module' object is not callable))(?P<name>\w+)",
        "{name} is PyMC3's; in PyMC 4 and later it is {became}",
        _PYMC,
        NAMES,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:module 'pymc3?' has no attribute '|@(?:pm|pymc3?)\.)(?P<name>\w+)",
        "{name} is PyMC 2's: write the model inside of `with pm.Model():`, with {became}",
        "",
        PYMC2_NAMES,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:unexpected keyword argument |Keyword arguments \[)'(?P<name>\w+)'",
        "{name} is the argument of an older release; now it is {became}",
        "",
        ARGUMENTS,
    ),
    remedy(Cause.OLD_INTERFACE, r"use `var_names`", "sample(trace=[x]) is sample(var_names=['x']): a list of names"),
    remedy(
        Cause.OLD_INTERFACE,
        r"missing \d+ required [\w -]{1,40}: '(?P<name>batch_size)'",
        "Minibatch(data, 100) of PyMC3 is Minibatch(data, batch_size=100)",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?P<function>\w+)(?:\.__\w+__|\.\w+)?\(\) missing \d+ required [\w -]{1,40}: (?P<names>'\w+'[^\n]{0,60})",
        "{function} expects {names}: an argument was renamed since PyMC3 (theta of ZeroInflatedPoisson is mu, noise of gp is sigma)",
        alone=True,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"DensityDist API has changed|observed.{0,40} should be of type|Previous versions allowed",
        "write CustomDist('name', parameters..., logp=function, observed=array): logp is an argument by name, takes the value first, and "
        "observed is one array",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"expand_packed_triangular",
        "LKJCholeskyCov of PyMC 4 and later returns three values: chol, corr, stds = pm.LKJCholeskyCov(...); use chol, without "
        "expand_packed_triangular (or compute_corr=False)",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"unhashable type: 'dict'",
        "model.logp() is a variable of the graph since PyMC 4: model.compile_logp()(point) computes it",
    ),
    remedy(Cause.OLD_INTERFACE, r"log likelihood not found|log_likelihood", f"PyMC stores no log-likelihood by default: {_LOG_LIKELIHOOD}"),
    remedy(Cause.OLD_INTERFACE, r"\bkernel\(", "kernel= of sample_smc is a class (pm.smc.IMH, pm.smc.MH); a Simulator needs none", r"smc"),
    remedy(
        Cause.OLD_INTERFACE,
        r"start=start\[|\bstart\[i\]",
        "start= takes a dictionary for each chain; PyMC 4 and later have initvals={{...}} for all chains",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:KeyError: |attribute )'(?P<name>\w+__)'",
        "{name} is not a variable of the model since PyMC 4: model.rvs_to_values[x] is the transformed one, and idata has x itself",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"\b(?:\w*pp[cd]?\w*|\w*pred\w*|prior\w*)\[",
        "the predictive functions return InferenceData since PyMC 4: ppc['y'] is ppc.posterior_predictive['y'], prior['x'] is "
        "prior.prior['x'] (chain, draw, ...)",
        r"(?:Could not find node|KeyError|not subscriptable)",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"stat_names|get_sampler_stats|stat_exists",
        "statistics of the sampler are idata.sample_stats since PyMC 4; sample(return_inferencedata=False) returns the old MultiTrace",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"directly convert a DataTree",
        "a group of results is a DataTree since ArviZ 1: idata.posterior.to_dataset() is the Dataset that NumPy's functions take, and "
        "idata.posterior['x'] one variable",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"'(?:InferenceData|DataTree)' object|inference_data\.py|datatree\.py|treenode\.py|Could not find node",
        "results are InferenceData since PyMC 4: trace['x'] is trace.posterior['x'] (chain, draw, ...; prior and posterior_predictive of "
        "the predictive functions), trace[100:] is trace.sel(draw=slice(100, None)); sample(return_inferencedata=False) returns the old "
        "MultiTrace",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"test_value",
        "variables of PyMC 4 and later carry no test_value: model.initial_point() has start values, pm.draw(x) draws, x.eval() computes",
    ),
    remedy(
        (Cause.OLD_INTERFACE, Cause.REFUSED),
        r"Unused step method arguments: (?P<names>[^\n]{1,80})",
        "sample does not know {names}: PyMC3's njobs is now cores, nchains is chains, start is initvals; trace and live_plot were removed",
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"(?:has no attribute|cannot import name) '?(?P<name>\w+)",
        "{name} is not in this release: it was renamed, moved to another package or removed",
        alone=True,
    ),
    remedy(
        (Cause.OLD_INTERFACE, Cause.LIBRARIES),
        r"\b(?P<package>arviz|theano|aesara|pytensor|pymc3?|keras|numpyro|blackjax|nutpie|bambi|"
        r"xarray)\.(?:\w+\.)*(?P<function>\w+)\(\*?[^\n]*"
        r"\n(?:[^\n]*\n){0,2}?[^\n]{0,12}TypeError: (?P=function)\(\) got an unexpected keyword argument '(?P<name>\w+)'",
        "{function} of the installed {package} has no {name}: pip install -U {package}, or install a release as old as this code",
        alone=True,
    ),
    remedy(
        Cause.OLD_INTERFACE,
        r"\*\*\w+[^\n]*\n(?:[\s^~|]*\n)?[^\n]{0,12}TypeError: [\w.]+\(\) got an unexpected keyword argument '(?P<name>\w+)'",
        "{function} of the installed {library} has no {name}: install the newest {library} if the script is newer (Lasagne, nolearn, "
        "blocks: the development version), else a release as old as the script",
        alone=True,
    ),
    remedy(
        (Cause.REFUSED, Cause.OLD_INTERFACE),
        r"(?P<function>[\w.]{1,80})\(\) got an unexpected keyword argument '(?P<name>\w+)'",
        "{function} has no argument {name}: if it is a library's, install the release for which the script was written (pip install, or "
        "--upgrade if the script is newer); its help() lists the arguments that it has",
        alone=True,
    ),
    remedy(
        Cause.REFUSED,
        r"variable `?(?P<name>\w+)`? must be a `SharedVariable`",
        "set_data changes what pm.Data (MutableData in PyMC 4 and 5) created: {name} = pm.Data('{name}', values), and the model built "
        "with it",
    ),
    remedy(
        (Cause.REFUSED, Cause.LIBRARY_FAULT, Cause.DTYPES),
        r"netCDF4[\\/_.]|\bNetCDF: |h5netcdf",
        "netCDF stores numbers, strings and arrays of them: remove other attributes and objects (idata.posterior.attrs.clear()); else "
        "use another engine or no compression (to_netcdf(path, engine='h5netcdf', compress=False)), and reinstall netCDF4",
    ),
    remedy(
        (Cause.REFUSED, Cause.OLD_INTERFACE),
        r"(?P<function>[\w.]{1,80})\(\) (?:takes\b[^\n]{1,60}\barguments?\b|missing \d+ required[^\n:]{0,60}: (?P<names>'\w+'[^\n]{0,60}))",
        "the call does not match {function} in this release ({names}): write the arguments by name, as help lists them, or install the "
        "release for which the script was written",
        alone=True,
    ),
    remedy(
        Cause.OLD_GPU,
        r"sandbox(?:\.cuda\.use\(|' has no attribute 'cuda)",
        "remove theano.sandbox.cuda.use(...) from the script: Theano 1.0 takes the card from THEANO_FLAGS=device=cuda, which is set "
        "before theano is imported",
    ),
)
"""Remedies for scripts older than the library; more general advice on running them follows."""
