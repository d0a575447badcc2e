"""Reads, sets and changes each flag that comes in FLAGS (JSON) on `theano.config`, and prints what became of each. Runs after install()."""

import contextlib
import io
import json
import os

import theano


def step(config, name):
    """The flag's holder and last part."""
    *parents, last = name.split(".")
    for part in parents:
        config = getattr(config, part)
    return config, last


def message(action):
    """Nothing, or the error of an action."""
    try:
        action()
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def outcome(flag):
    """What went wrong, by step; the messages about two settings of one value."""
    name, found, before = flag["name"], {}, []
    found["read"] = message(lambda: before.append(getattr(*step(theano.config, name))))
    found["default"] = repr(before[0]) if before else ""
    for value in flag["values"]:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            failed = message(lambda v=value: setattr(*step(theano.config, name), v))
            again = message(lambda v=value: setattr(*step(theano.config, name), v))
        if failed or again:
            found[f"set {value!r}"] = failed or again
        elif getattr(*step(theano.config, name)) != value:
            found[f"set {value!r}"] = f"is {getattr(*step(theano.config, name))!r}"
        found["said"] = max(found.get("said", 0), said.getvalue().count("has no effect"))
    if before and flag["values"]:
        failed = message(lambda: setattr(*step(theano.config, name), before[0]))
        if failed:
            found["back"] = failed

        def within():
            with theano.configparser.change_flags({name: flag["values"][0]}):
                assert getattr(*step(theano.config, name)) == flag["values"][0]
            assert getattr(*step(theano.config, name)) == before[0]

        found["change_flags"] = message(within)
    return found


if __name__ == "__main__":
    print(json.dumps({flag["name"]: outcome(flag) for flag in json.loads(os.environ["FLAGS"])}))
