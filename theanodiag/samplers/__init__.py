"""Host memory of PyMC's samplers: what a call asks for, what each stage of it holds, and what other arguments would hold. Pure."""

from .model import Amount, DrawArray, DrawStatistic, ProgramFigures, SamplingCall, SamplingPlan, SamplingProfile, Stage
from .simulate import profile

__all__ = ["Amount", "DrawArray", "DrawStatistic", "ProgramFigures", "SamplingCall", "SamplingPlan", "SamplingProfile", "Stage", "profile"]
