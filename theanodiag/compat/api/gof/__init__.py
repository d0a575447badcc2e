"""Serves `theano.gof` from pytensor.graph: the graph, Ops, Types and rewrites by their names in Theano."""

from typing import Any

from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.op import Op
from pytensor.graph.rewriting import db
from pytensor.graph.rewriting.basic import (
    CheckStackTraceRewriter as CheckStackTraceOptimization,
)
from pytensor.graph.rewriting.basic import (
    EquilibriumGraphRewriter as EquilibriumOptimizer,
)
from pytensor.graph.rewriting.basic import GraphRewriter as Optimizer
from pytensor.graph.rewriting.basic import MergeOptimizer
from pytensor.graph.rewriting.basic import NodeProcessingGraphRewriter as NavigatorOptimizer
from pytensor.graph.rewriting.basic import PatternNodeRewriter as PatternSub
from pytensor.graph.rewriting.basic import SequentialGraphRewriter as SeqOptimizer
from pytensor.graph.rewriting.basic import SequentialNodeRewriter as LocalOptGroup
from pytensor.graph.rewriting.basic import SubstitutionNodeRewriter as OpSub
from pytensor.graph.rewriting.basic import WalkingGraphRewriter as TopoOptimizer
from pytensor.graph.rewriting.basic import graph_rewriter as optimizer
from pytensor.graph.rewriting.db import RewriteDatabase as DB
from pytensor.graph.rewriting.db import RewriteDatabaseQuery as Query
from pytensor.graph.utils import MetaObject as object2
from pytensor.graph.utils import MethodNotDefined, MissingInputError
from pytensor.link.c.basic import CLinker, DualLinker, OpWiseCLinker
from pytensor.link.c.op import OpenMPOp
from pytensor.link.c.params_type import Params, ParamsType
from pytensor.link.c.type import CDataType, CEnumType, EnumList, EnumType, Generic, generic

from ...behaviour.c_code import HideC
from ...behaviour.c_code import LegacyExternalCOp as COp
from ...behaviour.rewrites import LocalOptimizer, local_optimizer
from .fg import CachedConstantError, FunctionGraph
from .graph import inputs, view_roots
from .link import Container, Linker, LocalLinker, PerformLinker, WrapLinker, WrapLinkerMany
from .op import ops_with_inner_function
from .opt import OpKeyOptimizer, OpRemove, inplace_optimizer
from .toolbox import NodeFinder, PrintListener, ReplacementDidntRemovedError
from .utils import hashtype

PureOp = Op
SequenceDB, EquilibriumDB, ProxyDB, LocalGroupDB = db.SequenceDB, db.EquilibriumDB, db.ProxyDB, db.LocalGroupDB
