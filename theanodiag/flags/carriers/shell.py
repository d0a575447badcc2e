"""Flags that a shell script sets: assignments, `export`, `setenv`, `set -x`, `-e`, here-documents, `echo ... >> ~/.theanorc`.

Commands inside other commands (`bash -c '...'`, `$(...)`, `ssh host "..."`, the text of a job script) are parsed too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..model import Dialect
from .file_kinds import RC_NAME, FileKind, kind_of, rc_dialect
from .model import LONGEST_VALUE, UNKNOWN, AssignedOnce, Builder, Carried, Mapped, Room, constants, joined
from .shell_words import ShellCommand, Word, commands

_IN_CONTAINER = r"(?:(?:APPTAINER|SINGULARITY)ENV_)?"
"""Prefixes of variables that Apptainer and Singularity set in the container without the prefix."""
VARIABLE = rf"{_IN_CONTAINER}(?P<dialect>THEANO|AESARA|PYTENSOR)_FLAGS"
MENTIONS = re.compile(
    rf"(?<![A-Za-z0-9_]){_IN_CONTAINER}(?:THEANO|AESARA|PYTENSOR)_FLAGS(?!\w)|(?:theano|aesara|pytensor)rc", re.IGNORECASE
)
"""Matches texts that may set flags; other texts are not parsed."""
_ASSIGNED = re.compile(rf"{VARIABLE}(?::|(?P<plus>\+))?=")
"""`NAME=`, `NAME+=`, and `NAME:=` of `${NAME:=...}`."""
_NAMED = re.compile(rf"{VARIABLE}")
_INSIDE = re.compile(rf"(?<!\w){VARIABLE}(?P<plus>\+)?=")
_AZURE = re.compile(rf"##vso\[task\.setvariable variable={VARIABLE}[^\]\n]*\](?P<value>[^\n]*)")
"""Matches the line that sets a variable in Azure Pipelines when it is printed."""
_OTHER = re.compile(r"(\w+)(\+)?=")
_DIRECTIVE = re.compile(r"^#(?:SBATCH|PBS|BSUB|\$)[ \t]+(-.*)$", re.M)
"""A line with options for a scheduler, which may set variables: `--export=`, `-v`."""
_LITERAL = re.compile(
    r"^(?:(?:export|readonly)[ \t]+|(?P<set>set(?:env)?[ \t]+(?:-\w+[ \t]+)*))?(?P<name>[A-Za-z_]\w*)(?(set)(?:[ \t]*=[ \t]*|[ \t]+)|=)"
    r"(?P<quote>[\"']?)(?P<default>\$\{\w+:?[-=])?(?P<value>(?:[\w./:@+-]|\$\w+|\$\{\w+\})+)(?(default)\})(?P=quote)[ \t]*(?:$|[;#])",
    re.M,
)
"""A plain word, with variables in it or as a variable's default, that is assigned at the beginning of a line: outside of functions and
conditions."""
_VARIABLES = re.compile(r"\$\w+|\$\{\w+\}")
_GIVEN = re.compile(
    r"(?<![\w$.{-])([A-Za-z_]\w*)(?:[-+*/%]?=(?!=)|\+\+|--|[ \t]+in\b)|\b(?:read|getopts|mapfile|readarray|unset)\b([^\n;|&]*)|"
    r"\b(?:printf[ \t]+-v|foreach)[ \t]+(\w+)|(?:\+\+|\(\([ \t]*--|(?<!\$)@[ \t])[ \t]*([A-Za-z_]\w*)|"
    r"\bset(?:env)?[ \t]+(?:-\w+[ \t]+)*([A-Za-z_]\w*)\b(?!\+?=)"
)
"""What gives a variable a value: assignments, loops, `read`, `set` of csh and fish."""
_INCLUDES = re.compile(
    r"(?m)(?:^|[;&|({!`]|\b(?:then|do|else|if|elif|while|until|and|or|builtin|command)\b)[ \t]*(?:source|\.)[ \t]+\S|\beval\b|"
    r"\b(?:export|declare)[ \t]+[\"']?(?:\$\(|`)"
)
"""What may set any variable: a script that is read in, and a text that is run or assigned."""
_BEGINS = {"if", "while", "until", "for", "foreach", "select", "case", "switch", "function", "begin"}
_ENDS = {"fi", "done", "esac", "end", "endif", "endsw"}
_CONTINUES = {"then", "do", "else", "elif", "!", "time", "and", "or"}
"""Words before a command that neither begin nor end a block."""
_DECLARES = {"export", "declare", "typeset", "local", "readonly", "let"}
_READS = {"for", "foreach", "select", "read", "unset", "getopts", "mapfile", "readarray"}
_RESERVED = {
    "then", "do", "else", "elif", "if", "while", "until", "!", "sudo", "time", "nohup", "exec", "command", "env", "-E", "@",
    "begin", "and", "or",
}  # fmt: skip
_PROSE = {
    "echo", "printf", "print", "log", "logger", "die", "warn", "info", "error", "fail", "test", "[", "[[", "grep", "fgrep",
    "egrep", "sed", "Rem", "function", "complete",
}  # fmt: skip
"""Commands whose arguments are text or patterns and set no variable."""
_SHELLS = {"bash", "sh", "zsh", "ksh", "dash", "ssh", "csh", "tcsh", "qsub", "sbatch", "bsub", "su", "srun", "at", "batch"}
_SCHEDULERS = ("sbatch", "srun", "salloc", "qsub", "bsub")
"""Commands that take variables in a list with commas."""
_RUNS_WORDS = {
    *_SHELLS, "eval", "docker", "nvidia-docker", "podman", "singularity", "ENV", "export", "setenv", "set", "env", "screen",
    "tmux", "alias",
}  # fmt: skip
"""Commands that run their arguments or set variables: an assignment among their arguments counts even with `strict`."""
_TAKES_BLANKS = {
    "export", "ENV", "docker", "nvidia-docker", "podman", "declare", "typeset", "local", "readonly", "set", "setenv", "kubectl", "conda",
}  # fmt: skip
"""Commands whose arguments are values, even with blanks, not command lines."""
_TWO_WORDS = re.compile(r"[^,\s]\s+[^\s=-][^\s=]*(?:\s|$)")
"""Matches a word after a blank that is neither a flag (`name=value`) nor a compiler option (`-O2`)."""
_DEPTH = 8
"""Maximum nesting of commands in commands; deeper ones are not read."""


Other = Callable[[Mapped, FileKind, int], Iterator[Carried]]
"""Function that yields the flags values in a text, given its kind and nesting depth."""


@dataclass
class _Shell:
    """The state of reading one script."""

    other: Other
    depth: int
    strict: bool
    known: dict[str, Mapped] = field(default_factory=dict)
    files: dict[str, list[tuple[Mapped, Room]]] = field(default_factory=dict)
    """Path of an rc file -> the texts that are written to it."""
    group: list[Mapped] = field(default_factory=list)
    """Texts printed since the last `(` or `{`, which a redirection of the group writes to a file."""
    closed: bool = False
    """Whether the previous command ended with `)` or `}`."""
    constants: Mapping[str, AssignedOnce] = field(default_factory=dict)
    """Variables that the script assigns once, by a plain word."""
    blocks: list[str] = field(default_factory=list)
    """What began each block that is open: a bracket or a word."""
    outside: list[dict[str, Mapped]] = field(default_factory=list)
    """For each of these blocks, the flags variables where it began."""
    before: str = ""
    """The operator before the command."""
    piped: Mapped | None = None
    """Text that the previous command passes through a `|`; None without a pipe or if unknown."""

    def runs(self) -> bool:
        """Returns whether the command always runs when the script does, and in the script's own process."""
        return not self.blocks and self.before not in ("&&", "||", "|", "|&")

    def enter(self, block: str) -> None:
        """Begins a block."""
        self.blocks.append(block)
        self.outside.append({name: value for name, value in self.known.items() if _NAMED.fullmatch(name)})

    def leave(self) -> None:
        """Ends a block. A flags variable that the block changed is unknown after it."""
        self.blocks.pop()
        before = self.outside.pop()
        for name in [name for name in self.known if _NAMED.fullmatch(name) and self.known[name] is not before.get(name)]:
            del self.known[name]

    def branch(self) -> None:
        """Begins the next branch of a condition, with the flags variables from before it."""
        for name in [name for name in self.known if _NAMED.fullmatch(name)]:
            del self.known[name]
        self.known.update(self.outside[-1])

    def begin(self, words: Sequence[Word]) -> None:
        """Counts the blocks that the first words of a command begin and end."""
        for text in (word.text.text for word in words):
            if text in _ENDS and self.blocks[-1:] not in ([], ["("], ["{"]):
                self.leave()
            elif text in _BEGINS and not (text == "case" and self.blocks[-1:] == ["switch"]):
                self.enter(text)
            elif text in ("else", "elif", "case") and self.blocks[-1:] in (["if"], ["switch"]):
                self.branch()
            if text not in _ENDS and text not in _CONTINUES and text not in ("if", "while", "until"):
                return

    def end(self, command: ShellCommand) -> None:
        """Counts the block that the operator after a command begins or ends."""
        operator, inner = command.ended_by, self.blocks[-1:]
        if operator == "{" and inner == ["function"]:
            self.blocks[-1] = "{"
        elif operator in ("(", "{"):
            self.enter(operator)
        elif (operator == ")" and inner == ["("]) or (operator == "}" and inner == ["{"]):
            self.leave()
        elif operator == ";;" and inner == ["case"]:
            self.branch()
        self.before = operator if command.words or operator != "\n" else self.before

    def keep_flags(self, carried: Carried) -> None:
        """Stores the value that a flags variable has from here on, so that `NAME=$NAME,more` includes it; forgets it if the value depends
        on how the script runs. In a condition the value is known up to the end of the branch.
        """
        name, value = f"{carried.dialect.name}_FLAGS", carried.value
        before = self.known.pop(name, None)
        if carried.appended:
            value = joined((before, value)) if before is not None else Mapped("", (), ())
        once = all(block in ("if", "case", "switch") for block in self.blocks) and self.before not in ("&&", "||", "|", "|&")
        if value.text and once and len(value) <= LONGEST_VALUE:
            self.known[name] = value

    def give(self, name: str) -> None:
        """Sets the known value of a variable to the one assigned here, if the script assigns no other; otherwise the variable has no known
        value.
        """
        self.known.pop(name, None)
        if name in self.constants and self.runs():
            self.known[name] = self.constants[name].value


def read(
    source: Mapped, other: Other, *, depth: int = 0, strict: bool = False, known: Mapping[str, Mapped] | None = None
) -> Iterator[Carried]:
    """Yields the flags values that a script sets.

    Args:
        strict: For a string in a program, which may be a sentence: an assignment among the arguments of a command then counts only if the
            command is in `_RUNS_WORDS`.
        known: Values of variables where the script begins.
    """
    if depth > _DEPTH or not MENTIONS.search(source.text):
        return
    once = {} if _INCLUDES.search(source.text) else {n: _expanded(c) for n, c in constants(source, _LITERAL, _GIVEN).items()}
    shell = _Shell(other, depth, strict, dict(known or {}), constants=once)
    for line in _DIRECTIVE.finditer(source.text):
        for command in commands(source.part(*line.span(1)), shell.known):
            for word in command.words:
                if inside := _INSIDE.search(word.text.text):
                    yield _carried(word.text if word.quoted else _to_comma(word.text, inside), inside, word.quoted)
    for command in commands(source, shell.known):
        shell.begin(command.words)
        yield from _command(shell, command)
        shell.end(command)
        shell.group = [] if command.ended_by in ("(", "{") else shell.group
        shell.closed = command.ended_by in (")", "}")
    for path, texts in shell.files.items():
        room = texts[0][1] if len(texts) == 1 else Room.QUOTED
        yield Carried(rc_dialect(path), joined(text for text, _ in texts), room, None, target=path)


def _expanded(constant: AssignedOnce) -> AssignedOnce:
    """The constant with `UNKNOWN` in place of each variable in it."""
    value = constant.value
    return constant if "$" not in value.text else replace(constant, value=Mapped(_VARIABLES.sub(UNKNOWN, value.text), (), ()))


def _command(shell: _Shell, command: ShellCommand) -> Iterator[Carried]:
    """Yields the flags values that one command sets."""
    if not command.words and shell.closed:
        for operator, target in command.redirects:
            yield from _written(shell, joined(shell.group), target.text.text, operator)
    for word in command.words:
        for inner in word.inner:
            yield from read(inner, shell.other, depth=shell.depth + 1, known=shell.known)
    start, name = _name(command.words)
    for carried in _assignments(shell, command.words[:start]):
        yield carried
        if not name:
            shell.keep_flags(carried)
    words = command.words[start:]
    if name in _PROSE:
        yield from _printed(shell, name, words, command)
    else:
        _keep(shell, name, words)
        for carried in _words(shell, name, words):
            yield carried
            if name in _DECLARES or name in ("set", "setenv"):
                shell.keep_flags(carried)
        yield from _documents(shell, name, words, command)
    shell.piped = _output(name, words, command) if command.ended_by in ("|", "|&") else None


def _name(words: Sequence[Word]) -> tuple[int, str]:
    """(index, name without folder) of the command: the first word that is neither an assignment nor a reserved word. (number of words,
    `''`) if there is none.
    """
    for n, word in enumerate(words):
        text = word.text.text.lstrip("@-+")
        if text not in _RESERVED and not (_OTHER.match(text) and not word.text.text.startswith("-")):
            return n, text.rpartition("/")[2]
    return len(words), ""


def _assignments(shell: _Shell, words: Sequence[Word]) -> Iterator[Carried]:
    """Yields the flags values assigned in the words before a command's name. Adds other variables' values with `=` to `shell.known`."""
    for word in words:
        match = _ASSIGNED.match(word.text.text)
        other = None if match else _OTHER.match(word.text.text)
        if match:
            yield _carried(word.text, match, word.quoted)
        elif other:
            value = word.text.part(other.end())
            if other[2] and "=" in value.text:
                builder = Builder()
                builder.put(word.text, 0, other.end(), shell.known.get(other[1]) if shell.runs() else None)
                builder.extend(value)
                value = builder.mapped()
            shell.give(other[1])
            if "=" in value.text and len(value) <= LONGEST_VALUE:
                shell.known[other[1]] = value
            yield from _text(shell, value)


def _keep(shell: _Shell, name: str, words: Sequence[Word]) -> None:
    """Adds the value that `set` of csh or fish, or `setenv`, gives to another variable to `shell.known` if it has a `=` or is a constant;
    removes variables to which this or another command, such as `read`, gives other values.
    """
    given = [word for word in words[1:] if not word.text.text.startswith("-") and word.text.text != "="]
    sets = name in ("set", "setenv")
    for text in (word.text.text for word in (given[:1] if sets else given)):
        if sets or name in _READS or (name in _DECLARES and "=" in text):
            shell.give(text.partition("=")[0].rstrip("+"))
    if not sets or len(given) != 2 or not shell.runs() or len(given[1].text) > LONGEST_VALUE:
        return
    if given[0].text.text.isidentifier() and not _NAMED.fullmatch(given[0].text.text) and "=" in given[1].text.text:
        shell.known[given[0].text.text] = given[1].text


def _carried(text: Mapped, match: re.Match[str], quoted: bool) -> Carried:
    """The value that a match in a word sets: its group `value`, or the rest of the word."""
    start = match.start("dialect")
    name = (text.starts[start], text.ends[match.end("dialect") + len("_FLAGS") - 1])
    value = text.part(*match.span("value")) if "value" in match.re.groupindex else text.part(match.end())
    if not value.text:
        value = Mapped("", (), ())
    room = Room.QUOTED if quoted else Room.BARE
    return Carried(Dialect(match["dialect"].lower()), value, room, name, bool(match.groupdict().get("plus")))


def _to_comma(text: Mapped, match: re.Match[str]) -> Mapped:
    """A list of variables up to the end of the one that `match` begins: a comma ends a value that has no quotes of its own.

    Source: the manuals of sbatch (--export), qsub (-v) and bsub (-env). What follows the comma sets another variable.
    """
    end = text.text.find(",", match.end())
    return text if end < 0 or text.text[match.end() : match.end() + 1] in ("'", '"') else text.part(0, end)


def _words(shell: _Shell, name: str, words: Sequence[Word]) -> Iterator[Carried]:
    """The flags that a command's words set: `export NAME=...`, `docker run -e NAME=...`, `setenv NAME ...`, `bash -c '...'`."""
    certain = not shell.strict or name in _RUNS_WORDS
    setter = name in {"setenv", "setx", "SetEnv", "set"}
    for n, word in enumerate(words):
        text = word.text.text
        match = _ASSIGNED.match(text)
        if match and n and word.quoted and _is_text(name, words[n - 1].text.text, text):
            yield from read(word.text, shell.other, depth=shell.depth + 1)
        elif match and certain:
            in_list = n and name in _SCHEDULERS and words[n - 1].text.text in ("-v", "-env", "--export")
            yield _carried(_to_comma(word.text, match) if in_list else word.text, match, word.quoted)
        elif setter and n and _NAMED.fullmatch(text) and n + 1 < len(words):
            if shell.strict and "=" not in "".join(after.text.text for after in words[n + 1 :]):
                continue  # a sentence
            yield _carried_words(word, words[n + 1 :], name)
        elif text.startswith("-") and (inside := _INSIDE.search(text)) and certain:
            if _is_text(name, "", text):  # sbatch --wrap="..."
                yield from read(word.text.part(text.index("=") + 1), shell.other, depth=shell.depth + 1)
            else:
                yield _carried(_to_comma(word.text, inside) if name in _SCHEDULERS else word.text, inside, word.quoted)
        elif not match and n and MENTIONS.search(text):
            before = words[n - 1].text.text
            if before == "-c" and name.startswith("python"):
                yield from shell.other(word.text, FileKind.PYTHON, shell.depth + 1)
            else:
                other = _OTHER.match(text)
                inner = word.text.part(other.end()) if other else word.text
                yield from read(inner, shell.other, depth=shell.depth + 1) if name == "alias" else _text(shell, inner)


def _is_text(command: str, before: str, word: str) -> bool:
    """Whether an argument of `command` is itself a command line: `bash -c '...'`, `ssh host '...'`, `tmux new '...'`. `before` is the
    argument before it. A value of `export` is none, even with blanks.
    """
    return before == "-c" or command in ("eval", "ssh") or (command not in _TAKES_BLANKS and _TWO_WORDS.search(word) is not None)


def _text(shell: _Shell, text: Mapped) -> Iterator[Carried]:
    """Yields the flags values set by commands in a word with blanks."""
    if " " in text.text.strip() and MENTIONS.search(text.text):
        yield from read(text, shell.other, depth=shell.depth + 1, strict=True)


def _carried_words(name: Word, values: Sequence[Word], command: str) -> Carried:
    """The value set by `setenv NAME VALUE` (csh, Windows) or `set -x NAME VALUE...` (fish, which joins the values by blanks)."""
    value = joined((w.text for w in values), " ") if command == "set" else values[0].text
    match = _NAMED.fullmatch(name.text.text)
    assert match is not None  # its caller saw it
    start = match.start("dialect")
    place = (name.text.starts[start], name.text.ends[-1])
    return Carried(Dialect(match["dialect"].lower()), value, Room.QUOTED if values[0].quoted else Room.BARE, place)


def _printed(shell: _Shell, name: str, words: Sequence[Word], command: ShellCommand) -> Iterator[Carried]:
    """Yields the flags values in what `echo` or `printf` writes to a file, or prints as a command to Azure Pipelines. Text that is printed
    is added to `shell.group`.
    """
    text = _output(name, words, command)
    if text is None:
        return
    if azure := _AZURE.search(text.text):
        yield _carried(text, azure, True)
    if not command.redirects and command.ended_by not in ("|", "|&"):
        shell.group.append(text)
    for operator, target in command.redirects:
        yield from _written(shell, text, target.text.text, operator)


def _output(name: str, words: Sequence[Word], command: ShellCommand) -> Mapped | None:
    """The text that `echo`, `printf`, or `cat` with here-documents prints; None for other commands."""
    if name == "echo":
        start = 1
        while start < len(words) and re.fullmatch(r"-[neE]+", words[start].text.text):
            start += 1
        plain = "n" in "".join(w.text.text for w in words[1:start])
        line = _escapes(joined((w.text for w in words[start:]), " "))
        return line if plain else _with_line_end(line)
    if name == "printf" and len(words) > 1:
        return _formatted(_escapes(words[1].text), [w.text for w in words[2:]])
    if name == "cat" and command.documents:
        return joined([d.text for d in command.documents])
    return None


def _with_line_end(text: Mapped) -> Mapped:
    """`text` followed by a line end, which gets the offset of the text's end."""
    builder, place = Builder(), text.ends[-1] if text.text else 0
    builder.extend(text)
    builder.add("\n", place, place)
    return builder.mapped()


def _escapes(text: Mapped) -> Mapped:
    r"""`text` with `\n`, `\t`, `\r`, `\\` and `\"` decoded: `sh` of common containers does so in `echo` without `-e`."""
    builder, at = Builder(), 0
    stands_for = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", '"': '"'}
    while at < len(text):
        follows = text.text[at + 1 : at + 2]
        if text.text[at] == "\\" and follows and follows in stands_for:
            builder.take(text, at, at + 2, stands_for[follows])
            at += 2
        else:
            builder.take(text, at)
            at += 1
    return builder.mapped()


def _formatted(pattern: Mapped, values: list[Mapped]) -> Mapped:
    """The output of `printf`, which repeats its pattern until all values are used."""
    builder, left = Builder(), list(reversed(values))
    while True:
        for piece in re.finditer(r"%[-\d.]*[a-zA-Z]|%%|.", pattern.text, re.S):
            if piece[0] == "%%":
                builder.take(pattern, piece.start(), piece.end(), "%")
            elif len(piece[0]) > 1:
                builder.extend(left.pop() if left else Mapped("", (), ()))
            else:
                builder.take(pattern, piece.start())
        if not left or "%" not in pattern.text.replace("%%", ""):
            return builder.mapped()
        if len(left) == len(values):
            return builder.mapped()
        values = list(left)


def _documents(shell: _Shell, name: str, words: Sequence[Word], command: ShellCommand) -> Iterator[Carried]:
    """Yields the flags values in a command's here-documents: those written to a file, also by `tee`, and those run by a shell or Python.
    `tee` also writes what a pipe passes to it.
    """
    targets = [(op, t.text.text) for op, t in command.redirects if op.startswith((">", "&"))]
    if name == "tee":
        append = ">>" if any(w.text.text in ("-a", "--append") for w in words) else ">"
        targets = [(append, w.text.text) for w in words[1:] if not w.text.text.startswith("-")]
        if shell.piped is not None:
            for operator, target in targets:
                yield from _written(shell, shell.piped, target, operator)
    elif shell.piped is not None and name in _SHELLS:
        yield from read(shell.piped, shell.other, depth=shell.depth + 1)
    for document in command.documents:
        for operator, target in targets:
            yield from _written(shell, document.text, target, operator, Room.LINES)
        if not targets:
            if name.startswith("python"):
                yield from shell.other(document.text, FileKind.PYTHON, shell.depth + 1)
            elif name in _SHELLS or not name:
                yield from read(document.text, shell.other, depth=shell.depth + 1)


def _written(shell: _Shell, text: Mapped, path: str, operator: str, room: Room = Room.QUOTED) -> Iterator[Carried]:
    """Yields the flags values in a text that is written to the file `path`. Texts for an rc file are collected in `shell.files` until the
    script ends or `>` replaces the file.
    """
    name = path.replace("\\", "/").rpartition("/")[2]
    if RC_NAME.match(name):
        if operator == ">" and path in shell.files:
            before = shell.files.pop(path)
            yield Carried(rc_dialect(path), joined(text for text, _ in before), Room.QUOTED, None, target=path)
        shell.files.setdefault(path, []).append((text, room))
    elif MENTIONS.search(text.text):
        kind = kind_of(name, text.text.encode("utf-8", "surrogateescape"))
        yield from shell.other(text, FileKind.SHELL if kind is FileKind.RC else kind, shell.depth + 1)
