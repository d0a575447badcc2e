"""Flags in container files: `ENV` in both forms, `ARG`, and the commands of `RUN`, `CMD` and `ENTRYPOINT`, with here-documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..model import Dialect
from .file_kinds import FileKind, kind_of
from .model import LONGEST_VALUE, Builder, Carried, Mapped, Room, json_strings
from .shell import MENTIONS, VARIABLE, Other
from .shell import read as read_shell
from .shell_words import commands, expand

_INSTRUCTION = re.compile(r"[ \t]*(?:ONBUILD[ \t]+)?([A-Za-z]+)[ \t]+")
_PAIR = re.compile(r"[\w.-]+=")
_LEGACY = re.compile(rf"{VARIABLE}[ \t]+")
_SINGLE = re.compile(r"([\w.-]+)[ \t]")
"""Matches the old form of `ENV`: a name, a blank, a value."""
_ASSIGNED = re.compile(rf"{VARIABLE}=")
_HEREDOC = re.compile(r"<<-?(['\"]?)(\w+)\1")
_ESCAPE = re.compile(r"\A(?:#.*\n)*?#[ \t]*escape[ \t]*=[ \t]*`", re.I)


def read(source: Mapped, other: Other, *, depth: int = 0) -> Iterator[Carried]:
    """Yields the flags values that a container file, such as a Dockerfile, sets."""
    known, stages = dict[str, Mapped](), dict[str, dict[str, Mapped]]()
    outer: dict[str, Mapped] | None = None
    for line in _logical_lines(source):
        head = _INSTRUCTION.match(line.text)
        if head is None:
            continue
        name, rest = head[1].upper(), line.part(head.end())
        if name == "FROM":
            outer = known if outer is None else outer
            image, stage = _stage(rest.text)
            known = dict(stages.get(image, {}))
            stages.update({stage: known} if stage else {})
        elif name in ("ENV", "ARG"):
            later = "ONBUILD" in head[0].upper()
            yield from _environment(
                rest, known, lasts=name == "ENV" and not later, defaults=outer or {} if name == "ARG" and not later else None
            )
        elif not MENTIONS.search(line.text):
            continue
        if name in ("RUN", "CMD", "ENTRYPOINT", "SHELL", "HEALTHCHECK"):
            yield from _run(rest, other, depth)
        elif name in ("COPY", "ADD"):
            yield from _copied(rest, other, depth)


def _stage(text: str) -> tuple[str, str]:
    """(image, name of the stage or `''`) of a `FROM`, both lowercase: `FROM image AS name` begins with the variables of the image."""
    words = [word for word in text.lower().split() if not word.startswith("--")]
    return (words[0] if words else ""), (words[2] if len(words) > 2 and words[1] == "as" else "")


def _logical_lines(source: Mapped) -> Iterator[Mapped]:
    """Yields each instruction as one text: its continuation lines joined, without comment lines between them, and its here-documents."""
    escape = "`" if _ESCAPE.match(source.text) else "\\"
    builder, waiting, at = Builder(), list[str](), 0
    while at < len(source):
        end = source.text.find("\n", at) + 1 or len(source)
        line = source.text[at:end]
        if waiting:
            builder.extend(source.part(at, end))
            if line.strip() == waiting[0]:
                waiting.pop(0)
        elif builder.chars and line.lstrip().startswith("#"):
            at = end
            continue
        else:
            body = line.rstrip()
            goes_on = body.endswith(escape)
            builder.extend(source.part(at, at + len(body) - 1 if goes_on else end))
            waiting = [] if goes_on or not _may_have_document(builder) else [m[2] for m in _HEREDOC.finditer("".join(builder.chars))]
            if goes_on:
                at = end
                continue
        if not waiting:
            yield builder.mapped()
            builder = Builder()
        at = end
    yield builder.mapped()


def _may_have_document(builder: Builder) -> bool:
    """Whether the instruction collected so far is RUN, COPY or ADD, which accept here-documents."""
    return re.match(r"\s*(RUN|COPY|ADD)\b", "".join(builder.chars[:80]), re.I) is not None


def _environment(rest: Mapped, known: dict[str, Mapped], *, lasts: bool, defaults: Mapping[str, Mapped] | None) -> Iterator[Carried]:
    """Yields the flags values of an `ENV` or `ARG`, and adds the values that it gives to other variables to `known`.

    With `lasts` they replace others. With `defaults`, as for `ARG`, they are used where there are no others, though a build may pass
    another value; `defaults` are those before the first `FROM`, which `ARG NAME` takes. Values without `=` have no offsets.
    """
    legacy = _LEGACY.match(rest.text)
    if legacy and not _PAIR.match(rest.text):
        value = rest.part(legacy.end()).stripped()
        if value.text[:1] in ("'", '"') and value.text[-1:] == value.text[0] and len(value) > 1:
            value = value.part(1, -1)
        yield _carried(rest, legacy, expand(value, known), Room.QUOTED)
        return
    if lasts and (single := _SINGLE.match(rest.text)):
        known.pop(single[1], None)
        return
    for command in commands(rest, known):
        for word in command.words:
            match = _ASSIGNED.match(word.text.text)
            name, _, given = word.text.text.partition("=")
            if not match and (lasts or (defaults is not None and name not in known)):
                known.pop(name, None)
                if defaults and not given and name in defaults:
                    known[name] = defaults[name]
                if given and len(given) <= LONGEST_VALUE:
                    known[name] = word.text.part(len(name) + 1) if "=" in given else Mapped(given, (), ())
            if match:
                yield _carried(word.text, match, word.text.part(match.end()), Room.QUOTED if word.quoted else Room.BARE)


def _carried(text: Mapped, match: re.Match[str], value: Mapped, room: Room) -> Carried:
    start, end = match.start("dialect"), match.end("dialect") + len("_FLAGS")
    return Carried(Dialect(match["dialect"].lower()), value, room, (text.starts[start], text.ends[end - 1]))


def _run(rest: Mapped, other: Other, depth: int) -> Iterator[Carried]:
    if rest.text.lstrip().startswith("["):
        words = list(json_strings(rest))
        for word in words:
            if MENTIONS.search(word.text):
                yield from read_shell(word, other, depth=depth + 1, strict=True)
        return
    skip = re.match(r"(?:--[\w-]+=\S+\s+)*", rest.text)
    yield from read_shell(rest.part(skip.end() if skip else 0), other, depth=depth)


def _copied(rest: Mapped, other: Other, depth: int) -> Iterator[Carried]:
    """Yields the flags values in the here-documents of `COPY <<EOF path`, which are written to `path`."""
    for command in commands(rest, {}):
        target = command.words[-1].text.text if command.words else ""
        for document in command.documents:
            yield from embedded_flags(document.text, target, other, depth)


_RC = re.compile(rf"(?:{'|'.join(d.value for d in Dialect)})rc", re.I)


def rc_copies(text: str) -> Iterator[tuple[int, str]]:
    """Yields the offset of each `COPY` or `ADD` of a container file that copies an rc file from the build context, and that file's path."""
    for line in _logical_lines(Mapped.whole(text)):
        head = _INSTRUCTION.match(line.text)
        if head is None or head[1].upper() not in ("COPY", "ADD") or not _RC.search(line.text):
            continue
        rest = line.part(head.end())
        words = [word.text.text for command in commands(rest, {}) for word in command.words]
        if rest.text.lstrip().startswith("["):
            words = [word.text for word in json_strings(rest)]
        if any(word.startswith("--from") for word in words):
            continue
        *sources, target = [word for word in words if not word.startswith("--")] or [""]
        named = [source for source in sources if _RC.search(source.rpartition("/")[2])]
        renamed = sources if len(sources) == 1 and _RC.search(target.rpartition("/")[2]) else []
        yield from ((line.starts[head.start(1)], source) for source in named or renamed)


def embedded_flags(text: Mapped, path: str, other: Other, depth: int) -> Iterator[Carried]:
    """Yields the flags values in `text`, read as the kind of file that the name `path` and the text indicate."""
    name = path.rpartition("/")[2]
    kind = kind_of(name, text.text.encode("utf-8", "surrogateescape"))
    if kind is FileKind.RC:
        dialect = next((d for d in Dialect if d.value in name.lower()), Dialect.THEANO)
        yield Carried(dialect, text, Room.LINES, None, target=path)
    else:
        yield from other(text, kind, depth + 1)
