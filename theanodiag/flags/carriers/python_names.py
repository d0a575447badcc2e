"""Names to which a Python source gives strings, with the values that each may have: assigned, added to, or chosen by `if` and `else`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from .python_tokens import Token

Range = tuple[int, int]
"""(First token, token after the last) of a value."""
Parts = tuple[tuple[Range, ...], ...]
"""The values that follow each other in a text (`x = a`, `x += b`), each with those between which the source chooses."""
_FAR = 400
"""Maximum number of tokens between the statements that give one name its value."""
_MOST = 20
"""Maximum number of such statements."""


_CONDITIONS = ("if", "elif", "not", "and", "or", "in")
"""Words before a name whose value a condition reads, which does not use it up as another statement may (`if flags: flags += ","`)."""


class NameSearch:
    """Searches one source for the statements that give values to names."""

    def __init__(self, text: str, tokens: Sequence[Token], end_of: Callable[[int], int]) -> None:
        self.text, self.tokens, self.end_of = text, tokens, end_of
        first = (n for n, t in enumerate(tokens) if not t.depth and t.kind != "newline" and (not n or tokens[n - 1].kind == "newline"))
        self.lines = {n: tokens[n].start - text.rfind("\n", 0, tokens[n].start) - 1 for n in first}
        """First token of each statement's line -> number of blanks before it."""

    def names(self) -> Iterator[tuple[str, Parts]]:
        """Yields each name whose value is known, with the tokens of its values (strings, numbers, and names that have a string or a number
        as value).

        The value is known if the name is assigned once, or if its assignments stand in one block, or in the branches of an `if` of that
        block, before it is used. Of `x = x + ...` the added value counts.
        """
        places: dict[str, list[int]] = {}
        before: dict[str, int] = {}
        mentions = Counter[str]()
        known = set[str]()
        for n, token in enumerate(self.tokens[:-1]):
            if (token.kind == "name" and self._text(n - 1) not in _CONDITIONS) or "f" in token.prefix:
                mentions.update(re.findall(r"\w+", token.text))
            if token.kind != "name" or token.depth:
                continue
            if self._text(n + 1) in ("=", "+=") or (self._text(n + 1) == ":" and self._text(n + 3) == "="):
                places.setdefault(token.text, []).append(n)
                before[token.text] = mentions[token.text] - 1
        for name, at in places.items():
            if len(at) > 1 and (len(at) > _MOST or before[name] != len(at) - 1):
                continue
            parts = self._parts(name, at)
            used = [t for part in parts for value in part for t in self.tokens[slice(*value)]]
            if self._text(at[0] + 1) != "+=" and any(t.kind in ("string", "number") or t.text in known for t in used):
                known.add(name)
                yield name, parts

    def _parts(self, name: str, at: Sequence[int]) -> Parts:
        """The values of a name from the statements that begin with these tokens; empty where they do not determine them."""
        values = {n: self._value(n) for n in at}
        if len(at) == 1:
            return ((values[at[0]],),)
        if any(n not in self.lines for n in at) or at[-1] - at[0] > _FAR:
            return ()
        block = self._block(at)
        if block is None or any(0 <= indent < block for n, indent in self.lines.items() if at[0] < n < at[-1]):
            return ()
        if len(at) == 2 and self._text(at[1] + 1) == "=" and any(t.text == name for t in self.tokens[slice(*values[at[1]])]):
            if self.lines[at[1]] == block:
                return ((values[at[1]],),)
            return ((values[at[0]], values[at[1]]),) if len(self._branches(at[1], block)) == 1 else ()
        parts, left = list[tuple[Range, ...]](), list(at)
        while left:
            if self.lines[left[0]] == block:
                n = left.pop(0)
                parts = [*(parts if self._text(n + 1) == "+=" else []), (values[n],)]
                continue
            branches = self._branches(left[0], block)
            chosen = {branches[bisect_right(branches, n) - 1]: n for n in left if branches and branches[0] < n < self._end(branches[-1])}
            adds = {self._text(n + 1) == "+=" for n in chosen.values()}
            all_of = len(chosen) == len(branches) and self._text(branches[-1]) == "else" if branches else False
            if list(chosen.values()) != left[: len(chosen)] or len(adds) != 1:
                return ()
            options = tuple(values[n] for n in chosen.values())
            if adds == {True}:
                parts.append(options if all_of else (*options, (at[0], at[0])))
            elif all_of or len(parts) == 1:
                parts = [options if all_of else (*parts[0], *options)]
            else:
                return ()
            left = left[len(chosen) :]
        return tuple(parts)

    def _value(self, n: int) -> Range:
        """The tokens of the value in the statement that begins with token `n`, which may have a type."""
        start = n + (4 if self._text(n + 1) == ":" else 2)
        return start, self.end_of(start)

    def _block(self, at: Sequence[int]) -> int | None:
        """Number of blanks before the lines of the block in which statements begin: the smallest, or that of the `if` above where they
        stand in several of its branches; None if the first one is not in that block or below an `if` of it.
        """
        n, least = at[0], min(self.lines[n] for n in at)
        if self.lines[n] > least:
            return least if self._branches(n, least) else None
        above = next((m for m in reversed(self.lines) if m < n and self.lines[m] < self.lines[n]), None)
        return least if above is None or at[-1] < self._end(above) else self.lines[above]

    def _branches(self, n: int, block: int) -> list[int]:
        """First tokens of the `if`, `elif` and `else` of `block` below one of which token `n` stands directly; empty without these."""
        lines = list(self.lines)
        at = lines.index(n)
        above = next((k for k in range(at - 1, -1, -1) if self.lines[lines[k]] < self.lines[n]), -1)
        if above < 0 or self.lines[lines[above]] != block:
            return []
        first = above
        while self._text(lines[first]) in ("elif", "else"):
            first = next((k for k in range(first - 1, -1, -1) if self.lines[lines[k]] <= block), -1)
            if first < 0 or self.lines[lines[first]] < block:
                return []
        if self._text(lines[first]) != "if":
            return []
        branches = [lines[first]]
        for m in lines[first + 1 :]:
            if self.lines[m] <= block:
                if self.lines[m] < block or self._text(m) not in ("elif", "else"):
                    break
                branches.append(m)
        return branches

    def _end(self, branch: int) -> int:
        """First token after what stands below a branch."""
        return next((m for m in self.lines if m > branch and self.lines[m] <= self.lines[branch]), len(self.tokens))

    def _text(self, n: int) -> str:
        """Text of token `n`; `''` outside the source."""
        return self.tokens[n].text if 0 <= n < len(self.tokens) else ""


def names(text: str, tokens: Sequence[Token], end_of: Callable[[int], int]) -> Mapping[str, Parts]:
    """Returns the names of a source whose values are known. `end_of` gives the token after the expression that begins with a token."""
    return dict(NameSearch(text, tokens, end_of).names())
