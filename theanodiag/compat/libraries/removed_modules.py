"""Modules that later releases of CPython and of libraries removed, and a finder for those whose names are elsewhere now."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import types
from typing import Any, Mapping

REMOVED_MODULES: Mapping[str, str] = {
    **dict.fromkeys(("asynchat", "asyncore", "distutils", "imp", "smtpd"), "3.12"),
    **dict.fromkeys(
        (
            "aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev",
            "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
        ),
        "3.13",
    ),
    **dict.fromkeys(("binhex", "formatter", "parser", "symbol"), "3.10"),
    "dummy_threading": "3.9",
    "macpath": "3.8",
}  # fmt: skip
"""Module of the standard library -> release of CPython that removed it (its documents "What's new")."""


_RENAMED_MODULES = {
    "numpy.linalg.linalg": "numpy.linalg", "numpy.fft.helper": "numpy.fft", "numpy.fft.fftpack": "numpy.fft",
    **{f"numpy.lib.{name}": "numpy" for name in (
        "arraysetops", "function_base", "index_tricks", "nanfunctions", "polynomial", "shape_base", "twodim_base", "type_check",
        "ufunclike",
    )},
    "scipy.misc.pilutil": "scipy.misc", "scipy.misc.common": "scipy.misc",
    "sklearn.externals.joblib": "joblib", "sklearn.externals.six": "six", "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.learning_curve": "sklearn.model_selection", "sklearn.lda": "sklearn.discriminant_analysis",
    "sklearn.qda": "sklearn.discriminant_analysis", "sklearn.utils.testing": "sklearn.utils._testing",
    "sklearn.datasets.base": "sklearn.datasets._base", "sklearn.linear_model.logistic": "sklearn.linear_model._logistic",
    "sklearn.manifold.t_sne": "sklearn.manifold._t_sne", "sklearn.metrics.classification": "sklearn.metrics._classification",
    "sklearn.metrics.ranking": "sklearn.metrics._ranking", "sklearn.preprocessing.data": "sklearn.preprocessing._data",
    "sklearn.preprocessing.label": "sklearn.preprocessing._label", "sklearn.metrics.scorer": "sklearn.metrics._scorer",
    "sklearn.cluster.k_means_": "sklearn.cluster._kmeans", "pandas.tools.plotting": "pandas.plotting",
}  # fmt: skip
"""Module that a later release removed -> the module that has its names now."""
_OWN_MODULES = {"imp": "old_imp", "sklearn.cross_validation": "old_cross_validation"}
"""Module that a later release removed -> the file in this folder that has its names."""


class OldModules:
    """Finds modules that later releases of CPython and of libraries removed."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of a module of `_OWN_MODULES` or `_RENAMED_MODULES`; None for others."""
        if name in _OWN_MODULES:
            folder = os.path.dirname(os.path.abspath(__file__))
            return importlib.util.spec_from_file_location(name, os.path.join(folder, _OWN_MODULES[name] + ".py"))
        if name in _RENAMED_MODULES or name == "sklearn.externals":
            return importlib.util.spec_from_loader(name, OldModules, is_package=name == "sklearn.externals")  # type: ignore[arg-type]
        return None

    @staticmethod
    def create_module(spec: Any) -> Any:
        """Returns a module with the names of the module that has them now; None (an empty one) for the package `sklearn.externals`."""
        if spec.name not in _RENAMED_MODULES:
            return None
        module, found = types.ModuleType(spec.name), importlib.import_module(_RENAMED_MODULES[spec.name])
        vars(module).update({name: value for name, value in vars(found).items() if not name.startswith("__")})
        return module

    @staticmethod
    def exec_module(module: Any) -> None:
        """Does nothing: the module has its names. The names of a package of NumPy that are found when they are used are found so too."""
        found = sys.modules.get(_RENAMED_MODULES.get(module.__name__, ""))
        if found is not None:
            module.__getattr__ = functools.partial(getattr, found)
