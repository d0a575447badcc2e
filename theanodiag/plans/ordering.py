"""An order of the nodes with a lower peak, and a bound below which no order goes.

The model: each buffer lives from the node that makes it until the last node that reads any Variable in it; views and overwritten inputs
share the buffer of what they are made from; what the caller gets and the new values of shared variables stay. Arguments, shared variables
and constants are there all the time. What is live after some nodes depends on which they are, not on their order, so the search
goes over sets of nodes: always the set next that was reached with the lowest peak, which makes the first order that is complete one of
the best. A node that can run without a new highest point and leaves no more behind than there was runs at once: no order is
worse for that. Where there are too many sets only the best few of each size are kept, and the order is the best that was found.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

MOST_STATES = 4_000
"""So many sets are looked at before the search becomes a narrow one."""
WIDTH = 24
"""How many sets of each size the narrow search keeps."""


@dataclass(frozen=True)
class Task:
    """One node, by what it does to buffers."""

    makes: int
    """Bytes of the buffers that begin with it."""
    needs: int = 0
    """Bytes of the buffers that it makes or reads: they are live at once."""
    before: int = 0
    """The nodes that have to run first, a bit for each; those that one of these needs may be left out."""
    touches: tuple[int, ...] = ()
    """The buffers that may go after it."""


@dataclass(frozen=True)
class Buffer:
    """One piece of memory that is made during the call."""

    nbytes: int
    users: int
    """The nodes after which it can go, a bit for each: makers and readers, at least the last ones. 0 where it stays."""


@dataclass(frozen=True)
class Problem:
    """Tasks and their buffers."""

    tasks: tuple[Task, ...]
    buffers: tuple[Buffer, ...]

    def freed(self, task: int, done: int) -> int:
        """Bytes that go after `task` ran, which is in `done`."""
        buffers = self.buffers
        return sum(buffers[b].nbytes for b in self.tasks[task].touches if buffers[b].users and not buffers[b].users & ~done)

    def ready(self, done: int) -> list[int]:
        """The tasks that can run next."""
        return [k for k, t in enumerate(self.tasks) if not done >> k & 1 and not t.before & ~done]

    def peak(self, order: Sequence[int]) -> int:
        """The highest point of an order."""
        done = live = peak = 0
        for task in order:
            live += self.tasks[task].makes
            peak = max(peak, live)
            done |= 1 << task
            live -= self.freed(task, done)
        return peak

    def bound(self) -> int:
        """Below this no order goes: each task has what it makes and reads at once, and in the end all that stays is there."""
        stays = sum(b.nbytes for b in self.buffers if not b.users)
        return max([stays, *(t.needs for t in self.tasks)])


@dataclass(frozen=True)
class Found:
    """An order."""

    order: tuple[int, ...]
    peak: int
    exact: bool
    """Whether no order has a lower peak."""
    bound: int
    """No order has a lower peak than this; `peak` itself where the search was exact."""


State = tuple[int, int, int, tuple[int, ...]]
"""Peak so far, live bytes, the set of tasks that ran, and their order."""


def best_order(problem: Problem, most_states: int = MOST_STATES, width: int = WIDTH) -> Found:
    """The order with the lowest peak; where that takes too long a good one, and how far it may be off."""
    found = _exact(problem, most_states)
    if found is not None:
        return Found(found[3], found[0], True, found[0])
    state = _narrow(problem, width)
    bound = problem.bound()
    return Found(state[3], state[0], state[0] == bound, bound)


def _exact(problem: Problem, most_states: int) -> State | None:
    """Best first over sets; None after `most_states` of them."""
    whole = (1 << len(problem.tasks)) - 1
    pending: list[tuple[int, int, int, int]] = []
    reached: dict[int, State] = {}
    seen: set[int] = set()

    def push(state: State) -> None:
        known = reached.get(state[2])
        if known is None or state[0] < known[0]:
            reached[state[2]] = state
            heapq.heappush(pending, (state[0], -len(state[3]), state[1], state[2]))

    push(_settled(problem, (0, 0, 0, ())))
    while pending:
        peak, _, _, done = heapq.heappop(pending)
        if done in seen or reached[done][0] < peak:
            continue
        if done == whole:
            return reached[done]
        seen.add(done)
        if len(seen) > most_states:
            return None
        for task in problem.ready(done):
            push(_settled(problem, _run(problem, reached[done], task)))
    return None


def _narrow(problem: Problem, width: int) -> State:
    """The best few sets, task by task; what runs for nothing goes first."""
    best: list[State] = [_settled(problem, (0, 0, 0, ()))]
    done: list[State] = []
    while best:
        done += [state for state in best if len(state[3]) == len(problem.tasks)]
        new: dict[int, State] = {}
        for state in best:
            for task in problem.ready(state[2]):
                after = _settled(problem, _run(problem, state, task))
                if after[2] not in new or after[0] < new[after[2]][0]:
                    new[after[2]] = after
        best = heapq.nsmallest(width, new.values(), key=lambda s: (s[0], s[1], s[2]))
    return min(done, key=lambda s: s[0])


def _run(problem: Problem, state: State, task: int) -> State:
    peak, live, done, order = state
    live += problem.tasks[task].makes
    peak = max(peak, live)
    done |= 1 << task
    return peak, live - problem.freed(task, done), done, (*order, task)


def _settled(problem: Problem, state: State) -> State:
    """With all that runs at once for nothing."""
    while True:
        peak, live, done, _ = state
        low = (k for k in problem.ready(done) if live + problem.tasks[k].makes <= peak)
        free = (after for k in low if (after := _run(problem, state, k))[1] <= live)
        cheapest = next(free, None)
        if cheapest is None:
            return state
        state = cheapest
