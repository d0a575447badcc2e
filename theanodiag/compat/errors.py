"""What is raised for a name that has no counterpart: it names the replacement."""


class NoCounterpart(Exception):
    """A name of Theano or Aesara that the installed framework does not have, and what to write instead."""

    __module__ = "theanodiag.compat"  # by whatever name this file was loaded

    def __init__(self, name: str, framework: str, advice: str = "", why: str = "") -> None:
        message = "{} has no counterpart in {}".format(name, framework) + (": " + why if why else "")
        super().__init__(message + ("; instead: " + advice if advice else ""))


class NoSuchAttribute(NoCounterpart, AttributeError):
    """Raised where the name is read as an attribute: `hasattr` is false."""

    __module__ = NoCounterpart.__module__


class NoSuchImport(NoCounterpart, ImportError):
    """Raised where the name is imported: `except ImportError` catches it."""

    __module__ = NoCounterpart.__module__
