"""When enough was seen."""

from __future__ import annotations

import pytest

from theanodiag.agent.hook.call_limits import LIMITS, SIGNATURES, CallLimits, Limit


def patient(*functions: int, max_calls: int = 3) -> CallLimits:
    """A CallLimits that never gets bored by time alone, with these functions compiled."""
    limits = CallLimits("dry", max_calls)
    limits.short, limits.long = Limit(5, 5, 0.0), Limit(20, 20, 0.0)
    for function in functions:
        limits.compiled(function)
    return limits


def test_calls_that_hand_out_device_arrays_are_recorded_for_longer() -> None:
    """The script may hold each of them; but they are no news, and come to an end."""
    limits = patient(0)
    told = [limits.called(0, False, hands_out=1) for _ in range(3 + SIGNATURES + 2)]
    assert told == [True] * (3 + SIGNATURES) + [False] * 2
    assert limits.enough
    assert all(limits.called(0, False, hands_out=500) for _ in range(400))


def calls_until_enough(limits: CallLimits, function: int) -> int:
    """How many more calls of one function it takes."""
    for n in range(10_000):
        if limits.enough:
            return n
        limits.called(function, False)
    raise AssertionError("it never was enough")


def test_first_calls_are_news_and_later_ones_are_not() -> None:
    """`max_calls` calls of a function are recorded."""
    limits = patient(0)
    assert [limits.called(0, False) for _ in range(5)] == [True, True, True, False, False]


def test_it_is_enough_a_few_calls_after_the_last_news() -> None:
    """Where every function was called often enough, a short quiet time will do."""
    assert calls_until_enough(patient(0), 0) == 3 + 5


def test_scripts_that_sample_are_stopped_by_time_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a minute without news, if there were a thousand calls in it."""
    limits = CallLimits("dry", 3)
    limits.compiled(0)
    limits.wait_for_samplers()
    for _ in range(9000):
        limits.called(0, False)
    assert not limits.enough
    begun = limits.since
    monkeypatch.setattr("theanodiag.agent.hook.call_limits.time.time", lambda: begun + 61.0)
    assert limits.enough


def test_a_function_that_was_not_called_is_waited_for_longer() -> None:
    """An uncalled function makes it a long quiet time."""
    assert calls_until_enough(patient(0, 1), 0) == 3 + 20


def test_a_function_that_is_gone_is_not_waited_for() -> None:
    """A deleted function no longer counts."""
    limits = patient(0, 1)
    limits.dropped(1)
    assert calls_until_enough(limits, 0) == 3 + 5


def test_a_new_function_begins_the_wait_anew() -> None:
    """Compiling is news."""
    limits = patient(0)
    calls_until_enough(limits, 0)
    limits.compiled(1)
    assert not limits.enough


def test_new_shapes_are_news() -> None:
    """A call with new shapes is recorded whenever it comes."""
    limits = patient(0)
    calls_until_enough(limits, 0)
    assert limits.called(0, True)
    assert not limits.enough


def test_new_shapes_are_no_news_for_ever() -> None:
    """After a number of them nobody is surprised any more."""
    limits = patient(0, max_calls=1)
    assert [limits.called(0, True) for _ in range(SIGNATURES + 2)] == [True] * SIGNATURES + [False] * 2


def test_a_call_after_news_of_another_function_is_recorded_once() -> None:
    """The second epoch of a training finds what the validation left; it is no news, for neither of the two."""
    limits = patient(0, 1)
    epochs = [[limits.called(f, False) for f in (0, 0, 0, 0, 1, 1, 1, 1)] for _ in range(3)]
    quiet = [False] * 8
    assert epochs == [[True, True, True, False, True, True, True, False], [True, *quiet[1:]], quiet]
    assert limits.enough
    limits.compiled(2)
    assert [limits.called(f, False) for f in (0, 0, 1, 1)] == [True, False, True, False]


def test_what_an_epoch_leaves_is_recorded() -> None:
    """Its last minibatch is smaller: the validation that comes then finds what that one left."""
    limits = patient(0, 1)
    epoch = [(0, 1), (0, 1), (0, 1), (0, 2), (1, 0), (1, 0), (1, 0)]
    told = [[limits.called(function, False, shapes) for function, shapes in epoch] for _ in range(2)]
    assert told == [[True] * 7, [True, False, False, True, True, False, False]]


def test_what_others_leave_is_not_recorded_for_ever() -> None:
    """As often as new shapes of its own."""
    limits = patient(0)
    limits.called(0, False)
    told = []
    for function in range(1, SIGNATURES + 5):
        limits.compiled(function)
        told.append(limits.called(0, False))
    assert told == [True] * (2 + SIGNATURES) + [False] * 2


def test_time_shortens_the_wait() -> None:
    """Between the least and the most number of calls, time decides."""
    limits = patient(0)
    limits.short = Limit(2, 100, 0.0)
    assert calls_until_enough(limits, 0) == 3 + 2


def test_real_calls_are_waited_for_less() -> None:
    """Calls that compute are fewer."""
    assert LIMITS["real"][0].most < LIMITS["dry"][0].least


def test_known_shapes_after_others_are_news_once() -> None:
    """What a call finds depends on the shapes of the one before; each change is recorded once."""
    limits = patient(0, max_calls=1)
    told = [limits.called(0, new, shapes) for new, shapes in ((True, 1), (True, 2), (False, 1), (False, 1), (False, 2), (False, 1))]
    assert told == [True, True, True, False, False, False]


def test_runs_that_are_compared_stop_by_counts_alone() -> None:
    """The calls of all functions count; without a number of them the limits of time become limits of calls."""
    limits = CallLimits("real", 2, {"most": 3})
    limits.compiled(0)
    limits.compiled(1)
    assert [(limits.called(n % 2, False), limits.enough) for n in range(4)] == [(True, False)] * 3 + [(False, True)]
    limits = CallLimits("real", 2, {"most": None})
    limits.compiled(0)
    limits.compiled(1)
    limits.since -= 3600.0
    assert calls_until_enough(limits, 0) == 2 + LIMITS["real"][1].most
