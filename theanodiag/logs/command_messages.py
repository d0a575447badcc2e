"""Messages of shells, of Python's own command line and of argparse about a command that they cannot run as it is written."""

from __future__ import annotations

from .model import Cause, template

MESSAGES = (
    template(
        "can't open file",
        r"^\S{0,200}[Pp]ython[\d.]{0,6}(?:\.exe)?: can't open file '?(?P<what>[^'\n]{1,300}?)'?: \[Errno",
        Cause.FILE_ACCESS,
        "CPython, on its command line",
        "Python looks for the script from the folder where the job was started: cd into its folder first, or write its whole path",
    ),
    template(
        " is not recognized as ",
        r"'(?!(?:[gc]\+\+|gcc|clang(?:\+\+)?|nvcc|cl)(?:\.exe)?')(?P<what>[^'\n]{1,100})' is not recognized as (?:an internal or|"
        r"the name of)",
        Cause.FILE_ACCESS,
        "the Windows shell and PowerShell",
        "its folder is not on PATH: for conda and what an environment has open the Anaconda Prompt, or run conda init once and open a new "
        "window; for python write py, or the program's whole path",
    ),
    template(
        ": no matches found: ",
        r"^(?:\S{0,100}/)?zsh: no matches found: (?P<what>[^\n]{1,200})",
        Cause.REFUSED,
        "zsh, of a word with brackets, a star or a question mark",
        "the shell takes brackets and stars for a pattern of file names: put the word in quotation marks, as in pip install 'jax[cuda12]'",
    ),
    *(
        template(
            anchor,
            rf"^(?P<what>[\w./-]{{1,100}}): error: (?:argument [^\n]{{1,100}})?{anchor}",
            Cause.REFUSED,
            "CPython, argparse",
            "the options of this version of the script are others: --help after its name lists them; a README may be of another version",
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
