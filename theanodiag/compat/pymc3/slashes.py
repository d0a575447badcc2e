"""Variables with a slash in their name, `log(a / b)`, which xarray's DataTree takes for a path.

Source: xarray 2026.9, core/datatree.py: names with a slash are refused in a dataset, and `tree["a / b"] = array` makes the nodes of a path.
"""

import functools
import sys
from types import ModuleType
from typing import Any


def follow(module: ModuleType) -> None:
    """Makes a DataTree, of xarray's module, keep such a variable under its name, as an InferenceData did."""
    tree = module.DataTree
    inner: Any = sys.modules[tree.__module__]
    if not hasattr(inner, "_check_for_slashes_in_names"):
        return
    inner._check_for_slashes_in_names = lambda variables: None
    get, set_ = tree.__getitem__, tree.__setitem__

    @functools.wraps(get)
    def item(self: Any, key: Any) -> Any:
        return self.dataset[key] if _is_name(key) and key in self.dataset.data_vars else get(self, key)

    @functools.wraps(set_)
    def changed(self: Any, key: Any, value: Any) -> None:
        is_array = hasattr(value, "dims") and not hasattr(value, "data_vars")
        if _is_name(key) and is_array and self.dataset.data_vars and key.partition("/")[0] not in self.children:
            self.update({key: value})
        else:
            set_(self, key, value)

    tree.__getitem__, tree.__setitem__ = item, changed


def _is_name(key: Any) -> bool:
    """Whether a key can be the name of a variable, and could be a path."""
    return isinstance(key, str) and "/" in key and not key.startswith(("/", "."))
