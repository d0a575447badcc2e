"""Remedies for what a library checks and refuses, by what its sentence asks for, whatever the library and the argument are."""

from __future__ import annotations

from .model import Cause
from .remedy import Remedy, remedy

_CHECKED = (Cause.REFUSED, Cause.NO_IMPLEMENTATION)


def _says(pattern: str, words: str, causes: Cause | tuple[Cause, ...] = _CHECKED) -> Remedy:
    """A remedy for a message with this pattern in its first line, after the exception's name."""
    return remedy(causes, rf"\A[^\n]{{0,80}}?\b[A-Za-z]\w*: (?=[^\n]{{0,300}}?(?:{pattern}))", words)


_APART = r"mutually exclusive|at the same time|simultaneously|together|not both|\b(?:exactly|only|at most|just) one\b|\b[Cc]onflict"
_AND = r"['\"`]*,? (?:and|or|nor) (?!the\b|an?\b|to\b)['\"`]*"
_UNKNOWN = r"(?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Ii]nvalid|[Uu]nexpected|[Uu]ndefined|[Nn]o such|[Cc](?:ould|an)(?: ?not|'t) find)"
_GIVEN = r"(?:provid|specif|given|suppl|pass|defin|set\b|includ)\w*"
_FROM = r"(?:[Vv]alid|[Ss]upported|[Aa]vailable|[Aa]llowed|[Aa]ccepted|[Pp]ossible|[Kk]nown|[Ee]xisting|[Pp]ermitted)"
_MUST = r"(?:must|should|has to|have to|needs? to|ought to|may|can) (?:only |not |all |both )?"

REFUSALS = (
    remedy(
        _CHECKED,
        r"\A[^\n]{0,40}?\bAssertionError:?[ \t]*(?:\n|\Z)",
        "an assertion in {library} failed, which has no words: {function} was given what its author did not expect, or it has a fault that "
        "the newest release of {library} may not have; the line above says what has to hold",
    ),
    _says(
        r"(?:\b[Ss]aved?\b|\b[Ww]eights?\b)[^\n]{0,160}\b(?:shape|expects?|contain\w*|differ)\b",
        "the file does not fit this network: build it with the layers, settings and release of the library with which it was saved, and "
        "print the shapes of both",
        (Cause.REFUSED, Cause.SHAPES),
    ),
    _says(
        r"\b(?P<number>[1-6]|one|two|three|four|five)[- ]?(?:[dD]\b|dim(?:s|ension\w*)?\b)|\bndim\b\D{0,12}(?P<ndim>[1-6])",
        "an array of {number}{ndim} dimensions is wanted: print x.ndim and x.shape of what {function} is given; x[None] or reshape adds an "
        "axis, x[0], flatten or squeeze takes one away, of symbolic ones dimshuffle",
        Cause.SHAPES,
    ),
    _says(
        r"\b(?:same|different|equal|unequal|differing) (?:lengths?|sizes?|number)\b|\bvary in length\b|"
        r"\b(?:lengths?|sizes?) [^\n]{0,40}\b(?:same|match|differ|equal)",
        "{function} takes these of one length: print len() or .shape of each, and look for the one that was cut or has an axis too many",
        (Cause.SHAPES, Cause.REFUSED),
    ),
    _says(
        r"\bsquare\b",
        "{function} takes a matrix of as many rows as columns: print its shape; the data's covariance is numpy.cov(x, rowvar=False)",
        Cause.SHAPES,
    ),
    _says(
        r"\b(?:out of (?:bounds|range)|axis|axes|index)\b",
        "an axis or index lies beyond the array: both count from 0; print x.ndim and x.shape of what {function} is given",
        Cause.SHAPES,
    ),
    _says(
        r"\b[Dd]id you mean:? ['\"`]?(?P<name>[\w.-]*\w)",
        "the name is not there, renamed or misspelt: write {name}, or take the release of {library} that has it",
        (*_CHECKED, Cause.OWN_CODE, Cause.LIBRARY_FAULT, Cause.OLD_INTERFACE, Cause.LIBRARIES),
    ),
    _says(
        r"\b(?:already|twice|[Dd]uplicate[sd]?|more than once|not unique)\b",
        "it is there already: take another name, give each once, or begin with a new object; a notebook's cell that runs twice does this",
        (*_CHECKED, Cause.LIBRARY_FAULT),
    ),
    _says(
        rf"(?:\b[Bb]oth\b|\b[Ee]ither\b|\b[Nn]either\b|{_APART})[^\n]{{0,40}}?\b(?P<one>[\w.=]+){_AND}(?P<other>[\w.=]+)|"
        rf"\b(?P<first>[\w.=]+){_AND}(?P<second>[\w.=]+)['\"`]*[^\n]{{0,60}}(?:{_APART})",
        "give {function} one of these and leave the other out: {one}{first}, {other}{second}",
    ),
    _says(
        rf"\b(?:one of|{_FROM} (?:\w+ ){{0,3}}(?:are|is|values|include)\b:?|[Oo]ptions(?: are)?:?|[Cc]hoose (?:from|between)|"
        r"(?:not|be) in|[Aa]vailable:|not among):? (?P<options>[^\n]{2,160})",
        "{function} takes one of these, so spelled: {options}",
    ),
    _says(
        r"\b(?:before|(?<![Tt]he )[Ff]irst(?! \w*(?:argument|value|dim|axis))|(?:not|never) (?:yet )?(?:been )?(?:built|compiled|fitted|"
        r"initiali[sz]ed|set|started|created|called|run|"
        r"tuned|allocated|computed|bound|registered)|hasn't|haven't|(?:must|need to|have to|[Pp]lease) (?:\w+ )?call)\b",
        "a step is left out before {function}: make the call that the message names first, on the same object",
    ),
    _says(
        rf"\b[Mm]issing (?:an? |the )?(?:required |keyword )?['\"`]?(?P<name>[\w.-]+)|['\"`]*(?P<given>[\w.=]+)['\"`]* (?:must|should) "
        rf"be {_GIVEN}|"
        r"\b(?:[Pp]lease|[Mm]ust|[Nn]eeds? to) (?:provide|specify|give|supply|pass|set) (?:an? |the )?"
        r"['\"`]?(?P<asked>[\w.-]+(?: (?!instead|to|in|for|or|and)\w+)?)",
        "{function} was given too little: add {name}{given}{asked} to its call, or to what you give it",
    ),
    _says(
        rf"\b(?:{_MUST}be|ha(?:s|ve) not been|(?:was|were) not|not|[Pp]lease|to|if|when) {_GIVEN}|\b[Mm]issing\b|\b[Rr]equire[sd]?\b|"
        rf"\b[Nn]eeds? (?:an?|the)\b|\b[Nn]o \w+ (?:was |were )?{_GIVEN}|\bspecify\b",
        "{function} was given too little: add the argument or the part that the message names to its call, or to what you give it",
    ),
    remedy(
        _CHECKED,
        rf"\A[^\n]{{0,80}}?\b[A-Za-z]\w*: (?P<rule>[^\n]{{0,120}}?(?:\b{_MUST}\w+|\b[Ee]xpect(?:s|ed)\b|[<>]=? ?-?\d|\bcannot be\b|"
        rf"\bexceeds?\b|\b(?:greater|less|larger|smaller|longer|shorter) than\b|"
        r"\bonly (?:accept|take|work|appl|support|valid|allow|possible|used)\w*)[^\n]{0,160})",
        "change what your line gives to {function} so that this holds: {rule}",
    ),
    _says(
        rf"\b{_UNKNOWN}\b[^\n]{{0,40}}?['\"`](?P<name>[\w.-]{{1,60}})|\b{_UNKNOWN}(?: \w+)?:? (?P<bare>[\w.-]{{1,60}})|"
        r"['\"`](?P<quoted>[\w.-]{1,60})['\"`][^\n]{0,20}\b(?:not (?:a|in|exist|found|known|defined|present|recogni[sz]ed)|unknown)\b",
        "{function} knows no {name}{bare}{quoted}: look at its spelling, capitals too, and at the names that help({function}) lists",
    ),
    _says(
        r"\b(?:[Nn]ot (?:yet |currently )?(?:supported|allowed|possible|available|implemented|valid|applicable)|[Cc]an(?:not| not|'t)|"
        r"[Dd]o(?:es)?(?: not|n't)|[Uu]nable to|[Uu]nsupported|[Uu]nimplemented|[Ii]ncompatible|[Ii]llegal|not permitted|disallowed)\b",
        "{library} cannot do this with {function}: leave out or change what the message names, do that step by another function, or take "
        "a newer release of {library}",
    ),
    _says(
        r"\b(?:[Ee]mpty|at least|[Nn]o \w+|zero|nothing|not enough|too (?:few|many|small|large|short|long)|[Gg]ot (?:\w+ )?\d+)\b",
        "print what {function} is given before that line (type, len, shape): the message says of what there is too little or too much",
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
        "{library} has no code for this: write it by functions that it has, give the object that lacks the method one of its own, or take "
        "a newer release",
    ),
    remedy(
        Cause.REFUSED,
        r"",
        "{function} of {library} checks its arguments and refuses one: print those of your line, and compare them with help({function}) "
        "of the release that is installed",
    ),
)
"""From the particular to the general; the first that holds is given where nothing else is."""
