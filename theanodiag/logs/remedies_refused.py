"""Remedies for what a library checks and refuses: by what its sentence asks for, whatever the library and the argument are."""

from __future__ import annotations

from .model import Cause
from .remedy import Remedy, remedy

_CHECKED = (Cause.REFUSED, Cause.NO_IMPLEMENTATION)


def _says(pattern: str, words: str, causes: Cause | tuple[Cause, ...] = _CHECKED) -> Remedy:
    """A remedy for a message with this pattern in its first line, after the exception's name."""
    return remedy(causes, rf"\A[^\n]{{0,80}}?\b[A-Za-z]\w*: (?=[^\n]{{0,300}}?(?:{pattern}))", words)


_APART = r"mutually exclusive|at the same time|simultaneously|together|not both|\b(?:exactly|only|at most|just) one\b|\b[Cc]onflict"
_AND = r"['\"`]*,? (?:and|or|nor) (?!(?:the|an?|to|by|with|in|on|from|as|for)\b)['\"`]*"
_UNKNOWN = r"(?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Ii]nvalid|[Uu]nexpected|[Uu]ndefined|[Nn]o such|[Cc](?:ould|an)(?: ?not|'t) find)"
_GIVEN = r"(?:provid|specif|given|suppl|pass|defin|set\b|includ)\w*"
_FROM = r"(?:[Vv]alid|[Ss]upported|[Aa]vailable|[Aa]llowed|[Aa]ccepted|[Pp]ossible|[Kk]nown|[Ee]xisting|[Pp]ermitted)"
_MUST = r"(?:must|should|has to|have to|needs? to|ought to|may|can) (?:only |not |all |both )?"

REFUSALS = (
    _says(
        r"Scan cannot parse the return value|[Tt]he return value of your scan",
        "the function of scan must return variables: one, or a flat list or tuple with as many as outputs_info has entries, and a "
        "dictionary of updates; no nested lists, arrays or numbers",
        (Cause.REFUSED, Cause.SYMBOLIC),
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"\A[^\n]*(?:[Oo]nly (?:the )?C (?:op|code|implementation|version)|[Oo]nly implemented in C\b)",
        "only C code computes this: it needs a C++ compiler (Linux: apt-get install g++; conda install -c conda-forge gxx; Windows: "
        "m2w64-toolchain; macOS: xcode-select --install), a cxx that is not empty, and no pure Python mode (FAST_COMPILE, linker=py)",
    ),
    remedy(
        Cause.REFUSED,
        r"[/\\]pymc3?[/\\][^\n]*\n(?:[^\n]*\n){1,12}?[^\n]*[/\\](?P<below>aesara|pytensor|theano)[/\\]compile[/\\]function[/\\]pfunc",
        "PyMC made this call, and {below} rejects it: their releases do not match; pip install -U pymc installs a {below} that it "
        "accepts, or install the {below} that this PyMC's requirements name",
    ),
    _says(
        r"not a valid JAX type|as an abstract array",
        "JAX accepts numbers and arrays, but not None, strings, objects or NumPy's random generators (of a random variable that is left "
        "in the function, as in a Scan): look for one among the arguments of {function}; if your line "
        "passes none, the releases of {caller} and jax do not match: pip install -U jax jaxlib {caller}",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"\A[^\n]{0,40}?\bAssertionError:?[ \t]*(?:\n|\Z)",
        "an assertion without a message failed in {library}: {function} got an argument that its author did not expect, or has a bug "
        "that the newest release of {library} may have fixed; the line above states the condition",
    ),
    _says(
        r"\b(?:requires?|needs?|requested) (?P<wants>\d+)\b (?P<what>[\w ]{1,40}?),? [^\n]{0,20}?\bonly (?P<has>\d+)\b",
        "{wants} {what} are requested, but there are only {has}: pass a smaller number to {function} (chains, cores, devices), or provide "
        "more; JAX treats one CPU as several devices with XLA_FLAGS=--xla_force_host_platform_device_count={wants}",
    ),
    _says(
        r"(?:\b[Ss]aved?\b|\b[Ww]eights?\b)[^\n]{0,160}\b(?:shape|expects?|contain\w*|differ)\b",
        "the file does not match this network: build it with the layers, settings and library release with which it was saved, and print "
        "the shapes of both",
        (Cause.REFUSED, Cause.SHAPES),
    ),
    _says(
        r"\b(?P<number>[1-6]|one|two|three|four|five)[- ]?(?:[dD]\b|dim(?:s|ension\w*)?\b)|\bndim\b\D{0,12}(?P<ndim>[1-6])",
        "an array of {number}{ndim} dimensions is needed: print x.ndim and x.shape of the arguments of {function}; x[None] or reshape "
        "adds an axis, x[0], flatten or squeeze removes one; for symbolic variables use dimshuffle",
        Cause.SHAPES,
    ),
    _says(
        r"\b(?:same|different|equal|unequal|differing) (?:lengths?|sizes?|number)\b|\bvary in length\b|"
        r"\b(?:lengths?|sizes?) [^\n]{0,40}\b(?:same|match|differ|equal)",
        "{function} takes these with equal lengths: print len() or .shape of each",
        (Cause.SHAPES, Cause.REFUSED),
    ),
    _says(
        r"too many indices",
        "the array has fewer axes than the index uses: print x.ndim of the arguments of {function}; x[:, None] or reshape(-1, 1) makes a "
        "column of a vector",
        Cause.SHAPES,
    ),
    _says(
        r"(?P<shape>\([^()\n]{1,80}\)),? and (?P=shape)",
        "both shapes print as {shape}, so only their types differ (a tuple, a list, a TensorShape): install the release of {library} that "
        "the script's requirements name",
        Cause.SHAPES,
    ),
    _says(
        r"\bsquare\b",
        "{function} takes a square matrix: print its shape; the data's covariance is numpy.cov(x, rowvar=False)",
        Cause.SHAPES,
    ),
    _says(
        r"\b(?:out of (?:bounds|range)|axis|axes|index)\b",
        "an axis or index is beyond the array: both count from 0; print x.ndim and x.shape of the arguments of {function}",
        Cause.SHAPES,
    ),
    _says(
        r"\b[Dd]id you mean:? ['\"`]?(?P<name>[\w.-]*\w)",
        "the name does not exist: it was renamed or is misspelt; write {name}, or install the release of {library} that has it",
        (*_CHECKED, Cause.OWN_CODE, Cause.LIBRARY_FAULT, Cause.OLD_INTERFACE, Cause.LIBRARIES),
    ),
    _says(
        r"\b(?:already(?! installed)|twice|[Dd]uplicate[sd]?|more than once|not unique)\b",
        "it exists already: use another name, pass each once (for a table: x[~x.index.duplicated()]), or start with a new object; running "
        "a notebook's cell twice causes this",
        (*_CHECKED, Cause.LIBRARY_FAULT),
    ),
    _says(
        rf"(?:\b[Bb]oth\b|\b[Ee]ither\b|\b[Nn]either\b|{_APART})[^\n]{{0,40}}?\b(?P<one>[\w.=]+){_AND}(?P<other>[\w.=]+)|"
        rf"\b(?P<first>[\w.=]+){_AND}(?P<second>[\w.=]+)['\"`]*[^\n]{{0,60}}(?:{_APART})",
        "pass one of these to {function} and leave the other out: {one}{first}, {other}{second}",
    ),
    _says(
        rf"\b(?:one of|{_FROM} (?:\w+ ){{0,3}}(?:are|is|values|include)\b:?|[Oo]ptions(?: are)?:?|[Cc]hoose (?:from|between)|"
        r"(?:not|be) in(?= ?[\[({'\"`])|[Aa]vailable:|not among):? (?P<options>[^\n]{2,160})",
        "{function} takes one of these, spelt exactly like this: {options}",
    ),
    _says(
        r"\b(?:before|(?<![Tt]he )[Ff]irst(?! \w*(?:argument|value|dim|axis))|(?:not|never) (?:yet )?(?:been )?(?:built|compiled|fitted|"
        r"initiali[sz]ed|set|started|created|called|run|"
        r"tuned|allocated|computed|bound|registered)|hasn't|haven't|(?:must|need to|have to|[Pp]lease) (?:\w+ )?call)\b",
        "a step before {function} is missing: make the call that the message names first, on the same object",
    ),
    _says(
        rf"\b[Mm]issing (?:an? |the )?(?:required |keyword )?['\"`]?(?P<name>[\w.-]+)|['\"`]*(?P<given>[\w.=]+)['\"`]* (?:must|should) "
        rf"be {_GIVEN}|"
        r"\b(?:[Pp]lease|[Mm]ust|[Nn]eeds? to) (?:provide|specify|give|supply|pass|set) (?:an? |the )?"
        r"['\"`]?(?P<asked>[\w.-]+(?: (?!instead|to|in|for|or|and)\w+)?)",
        "an argument of {function} is missing: add {name}{given}{asked} to its call, or to the object that you pass to it",
    ),
    _says(
        rf"\b(?:{_MUST}be|ha(?:s|ve) not been|(?:was|were) not|not|[Pp]lease|to|if|when) {_GIVEN}|\b[Mm]issing\b|\b[Rr]equire[sd]?\b|"
        rf"\b[Nn]eeds? (?:an?|the)\b|\b[Nn]o \w+ (?:was |were )?{_GIVEN}|\bspecify\b",
        "an argument of {function} is missing: add the argument or the part that the message names to its call, or to the object that "
        "you pass to it",
    ),
    remedy(
        _CHECKED,
        rf"\A[^\n]{{0,80}}?\b[A-Za-z]\w*: (?P<rule>[^\n]{{0,120}}?(?:\b{_MUST}\w+|\b[Ee]xpect(?:s|ed)\b|[<>]=? ?-?\d|\bcannot be\b|"
        rf"\bexceeds?\b|\b(?:greater|less|larger|smaller|longer|shorter) than\b|"
        r"\bonly (?:accept|take|work|appl|support|valid|allow|possible|used)\w*)[^\n]{0,160})",
        "change what your line passes to {function} so that this is true: {rule}",
    ),
    _says(
        rf"\b{_UNKNOWN}\b[^\n]{{0,40}}?['\"`](?P<name>[\w.-]{{1,60}})|(?<!got )\b{_UNKNOWN}(?: \w+)?:? (?P<bare>[\w.-]{{1,60}})|"
        r"(?<!class )['\"`](?P<quoted>[\w.-]{1,60})['\"`]"
        r"[^\n]{0,20}\b(?:not (?:a|in|exist|found|known|defined|present|recogni[sz]ed)|unknown)\b",
        "{function} does not know {name}{bare}{quoted}: check its spelling, including capitals, and the names that help({function}) lists",
    ),
    _says(
        r"\b(?:[Nn]ot (?:yet |currently )?(?:supported|allowed|possible|available|implemented|valid|applicable)|[Cc]an ?(?:not|'t)|"
        r"[Dd]o(?:es)?(?: not|n't)|[Uu]nable to|[Uu]nsupported|[Uu]nimplemented|[Ii]ncompatible|[Ii]llegal|not permitted|disallowed)\b",
        "{library} cannot do this with {function}: leave out or change what the message names, use another function for that step, or a "
        "newer release of {library}",
    ),
    _says(
        r"\b(?:[Ee]mpty|at least|[Nn]o \w+|zero|nothing|not enough|too (?:few|many|small|large|short|long)|[Gg]ot (?:\w+ )?\d+)\b",
        "print the arguments of {function} before that line (type, len, shape): the message says what is missing or superfluous",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"",
        "use a mode that has it: mode=FAST_RUN (C), or NUMBA",
        r"(?:theano|aesara|pytensor)[\\/](?:link|gof|tensor|scalar|sandbox|gpuarray|graph|compile|scan\w*|sparse)[\\/]",
    ),
    remedy(
        Cause.NO_IMPLEMENTATION,
        r"",
        "{library} has no code for this: write it with functions that it has, add the missing method to the object's class, or install a "
        "newer release",
    ),
    remedy(
        Cause.REFUSED,
        r"",
        "{function} of {library} checks its arguments and rejected one: print those of your line, and compare them with help({function}) "
        "in the installed release",
    ),
)
"""From the particular to the general; the first that holds is given where nothing else is."""
