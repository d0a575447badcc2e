"""Errors for legacy names without a counterpart; their text says what to write instead."""


class NoCounterpart(Exception):
    """Base class: a name of Theano or Aesara that the installed framework does not have."""

    __module__ = "theanodiag.compat"  # one name in tracebacks, under whatever name this file was loaded

    def __init__(self, name: str, framework: str, advice: str = "", why: str = "") -> None:
        message = "{} has no counterpart in {}".format(name, framework) + (": " + why if why else "")
        super().__init__(message + ("; instead: " + advice if advice else ""))


class NoSuchAttribute(NoCounterpart, AttributeError):
    """Raised where the name is read as an attribute, so that `hasattr` is false."""

    __module__ = NoCounterpart.__module__


class NoSuchImport(NoCounterpart, ImportError):
    """Raised where the name is imported, so that `except ImportError` catches it."""

    __module__ = NoCounterpart.__module__
