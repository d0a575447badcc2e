"""Ops with C code as users wrote them for Theano 1.0.5; prints what they compute. Arguments: mode or "-" [where the layer lies]."""

import importlib.util
import os
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
if len(sys.argv) > 2:
    spec = importlib.util.spec_from_file_location("compat_by_path", sys.argv[2] + "/__init__.py")
    compat = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compat)
    compat.install()
import numpy as np
import theano
import theano.tensor as T
from theano import gof
from theano.gof.op import COp
from theano.gof.utils import MethodNotDefined

MODE = None if sys.argv[1] == "-" else sys.argv[1]
FILE = os.path.join(tempfile.mkdtemp(), "root.c")
with open(FILE, "w") as file:
    file.write("""
THEANO_SUPPORT_CODE_SECTION
static double half(double x) { return x / 2; }
THEANO_APPLY_CODE_SECTION
int APPLY_SPECIFIC(root)(PyArrayObject* x, PyArrayObject** z) {
  Py_XDECREF(*z); *z = (PyArrayObject*) PyArray_NewLikeArray(x, NPY_ANYORDER, NULL, 0);
  if (!*z) return 1;
  for (npy_intp i = 0; i < PyArray_SIZE(x); i++)
    ((DTYPE_OUTPUT_0*) PyArray_DATA(*z))[i] = half(std::sqrt(((DTYPE_INPUT_0*) PyArray_DATA(x))[i]));
  return 0;
}
""")


class Root(COp):
    """C code from a file; methods that take the compiler, one by a name of its own."""

    __props__ = ()

    def __init__(self):
        super(Root, self).__init__(FILE, "APPLY_SPECIFIC(root)")

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def c_headers(self, compiler):
        return ["<cmath>", "vector"]

    def c_header_dirs(self):
        return []

    def c_compile_args(self, c_compiler):
        return ["-O2"]

    def c_libraries(self, compiler):
        raise MethodNotDefined("c_libraries")

    def infer_shape(self, node, shapes):
        return shapes


class WithCode(object):
    """C code from a class that is no Op; refuses vectors that are too long."""

    def c_support_code(self):
        return "static double twice_%s(double x) { return 2 * x; }" % type(self).__name__

    def c_init_code(self):
        return ["offset_of_scaled = 0.5;"]

    def c_support_code_apply(self, node, name):
        return "static double offset_of_scaled;"

    def c_code(self, node, name, inp, out, sub):
        return """
        npy_intp n = PyArray_DIMS(%(x)s)[0];
        if (n > 9 || PyArray_DESCR(%(x)s)->elsize != 8) { PyErr_SetString(PyExc_ValueError, "too long"); %(fail)s; }
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*) PyArray_SimpleNew(1, PyArray_DIMS(%(x)s), NPY_DOUBLE);
        if (!%(z)s) { %(fail)s; }
        for (npy_intp i = 0; i < n; i++)
            *(double*) PyArray_GETPTR1(%(z)s, i) = %(params)s->by * twice_Scaled(*(double*) PyArray_GETPTR1(%(x)s, i)) + offset_of_scaled;
        """ % dict(x=inp[0], z=out[0], fail=sub["fail"], params=sub["params"])


class Scaled(WithCode, gof.Op):
    """Parameters by ParamsType, and a `perform` that gives another result: Theano runs the C code."""

    __props__ = ("by",)
    params_type = gof.ParamsType(by=theano.scalar.float64)

    def __init__(self, by):
        self.by = by

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs, params):
        outputs[0][0] = inputs[0] * 0

    def infer_shape(self, node, shapes):
        return shapes

    def c_code_cache_version(self):
        return (1,)


class Hidden(gof.HideC, Scaled):
    """The C code is hidden: `perform` runs."""


x = T.dvector()
f = theano.function([x], [Root()(x), Scaled(3.0)(x) + 1, Hidden(3.0)(x)], mode=MODE)
for value in f(np.array([1.0, 4.0])):
    print(value.tolist())
try:
    print(f(np.ones(10))[1].tolist()[:1])
except Exception as error:
    print("too long" in str(error))
