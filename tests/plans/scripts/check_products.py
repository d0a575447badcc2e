"""Prints for each form the largest difference between it and the expression of argument 1, a JSON file of {form: expression}."""

import json
import sys

import numpy as np
import products
import theano

rng = np.random.RandomState(1)
found = {}
with open(sys.argv[1]) as file:
    codes = json.load(file)
for name, code in codes.items():
    given, made = products.FORMS[name]
    names = dict(vars(products), theano=theano, g=products.x, self=products.Layer(products.y))
    new = eval(code, names)
    old = made[0] if isinstance(made, list) else made
    values = [rng.rand(*[max(2, n // 10) for n in products.SIZES[a.name]]).astype("float32") for a in given]
    a, b = theano.function(given, [old, new], on_unused_input="ignore")(*values)
    found[name] = float(abs(a - b).max() / abs(a).max()) if a.shape == b.shape else None
print(json.dumps(found))
