// What the generated modules of Theano, Aesara and PyTensor include.
#include <Python.h>
#include <algorithm>
#include <iostream>
#include <vector>
#include <math.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
