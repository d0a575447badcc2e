"""Messages of shells, of Python's own command line and of argparse about a command that they cannot run as it is written."""

from __future__ import annotations

from .model import Cause, template

ELSEWHERE = (
    "this machine has no network access, like most compute nodes of a cluster: install and clone on the login node, or set https_proxy "
    "(conda: proxy_servers in ~/.condarc)"
)
_SIGNED = (
    "a proxy signs this connection with its own certificate: pip config set global.cert /path/of/its.pem (conda config --set ssl_verify "
    "it), or pip install --trusted-host pypi.org --trusted-host files.pythonhosted.org"
)
NETWORK = (
    template("problem confirming the ssl certificate", "", Cause.FILE_ACCESS, "pip", _SIGNED),
    *(
        template(anchor, pattern, Cause.FILE_ACCESS, source, ELSEWHERE)
        for anchor, pattern, source in (
            ("Could not resolve host", r"Could not resolve host: (?P<what>[\w.-]{1,100})", "curl, for git and others"),
            ("CondaHTTPError: HTTP 000", "", "conda"),
            ("Failed to establish a new connection", "", "urllib3, for pip"),
            ("Temporary failure in name resolution", "", "glibc"),
            ("Failed to connect to ", r"Failed to connect to (?P<what>[\w.-]{1,100}) port", "curl, for git and others"),
            ("Network is unreachable", "", "the system"),
        )
    ),
)
"""What installers and git say where they reach no server."""

MESSAGES = (
    *NETWORK,
    template(
        "It is a distutils installed project",
        r"Cannot uninstall '(?P<what>[\w.-]{1,60})'",
        Cause.LIBRARIES,
        "pip",
        "another installer (conda, the system) installed that package: use a new environment, or pip install --ignore-installed with the "
        "package's name",
    ),
    template(
        "Invalid requirement: ",
        r"Invalid requirement: ['\"]?(?P<what>[^'\"\n]{1,100})",
        Cause.REFUSED,
        "pip",
        "pip takes NAME==VERSION or 'NAME>=VERSION' in quotation marks; NAME=VERSION is conda's",
    ),
    template(
        "can't open file",
        r"^\S{0,200}[Pp]ython[\d.]{0,6}(?:\.exe)?: can't open file '?(?P<what>[^'\n]{1,300}?)'?: \[Errno",
        Cause.FILE_ACCESS,
        "CPython, on its command line",
        "Python looks for the script in the folder where the job was started: cd into its folder first, or write its full path",
    ),
    template(
        " is not recognized as ",
        r"'(?!(?:[gc]\+\+|gcc|clang(?:\+\+)?|nvcc|cl)(?:\.exe)?')(?P<what>[^'\n]{1,100})' is not recognized as (?:an internal or|"
        r"the name of)",
        Cause.FILE_ACCESS,
        "the Windows shell and PowerShell",
        "its folder is not on PATH: for conda and programs of an environment open the Anaconda Prompt, or run conda init once and open a "
        "new window; for python write py, or the program's full path",
    ),
    template(
        ": no matches found: ",
        r"^(?:\S{0,100}/)?zsh: no matches found: (?P<what>[^\n]{1,200})",
        Cause.REFUSED,
        "zsh, of a word with brackets, a star or a question mark",
        "the shell reads brackets and stars as a pattern of file names: put the word in quotation marks, as in pip install 'jax[cuda12]'",
    ),
    *(
        template(
            anchor,
            rf"^(?P<what>[\w./-]{{1,100}}): error: (?:argument [^\n]{{1,100}})?{anchor}",
            Cause.REFUSED,
            "CPython, argparse",
            "this version of the script has other options: --help after its name lists them; a README may describe another version",
        )
        for anchor in (
            "unrecognized arguments: ",
            "the following arguments are required: ",
            ": invalid choice: ",
            ": expected one argument",
        )
    ),
)
"""From zsh 5, CPython 3.12."""
