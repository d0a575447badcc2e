"""The user's folders."""

from __future__ import annotations

from pathlib import Path

from theanodiag.files import user_cache, user_config


def test_settings_and_caches_are_where_xdg_has_them() -> None:
    """The variables go before the usual places; a path that is not absolute is none."""
    assert user_cache({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/theanodiag")
    assert user_config({"XDG_CONFIG_HOME": "/c"}) == Path("/c/theanodiag")
    assert user_cache({"HOME": "/h", "XDG_CACHE_HOME": "c"}) == Path("/h/.cache/theanodiag")
    assert user_config({"HOME": "/h", "XDG_CONFIG_HOME": ""}) == Path("/h/.config/theanodiag")
