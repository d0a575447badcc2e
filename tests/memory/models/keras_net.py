"""A full-size architecture of keras.applications, trained on small images: `keras_net.py NAME OPTIMISER IMAGES SIDE [chance]`.

Keras drops a function for each weight. When CPython finds them differs from run to run, so this asks for it, unless it is left to chance.
"""

import gc
import os
import sys

os.environ["KERAS_BACKEND"] = "theano"
import keras
import numpy as np
from keras import backend

sys.setrecursionlimit(20000)  # Theano's gradient recurses, too deep for ResNet50
backend.set_image_data_format("channels_first")
# A truncated normal takes lengths from numbers that were computed on the device; the simulated one computes none.
keras.initializers.he_normal = keras.initializers.he_uniform
name, optimiser = sys.argv[1:3]
images, side = int(sys.argv[3]), int(sys.argv[4])
asked = "chance" not in sys.argv
if asked:
    gc.disable()
net = getattr(keras.applications, name)(weights=None, input_shape=(3, side, side), classes=10)
net.compile(optimizer=getattr(keras.optimizers, optimiser)(), loss="categorical_crossentropy")
x, y = np.zeros((images, 3, side, side), "float32"), np.zeros((images, 10), "float32")
if asked:
    gc.collect()
for _ in range(2):
    net.train_on_batch(x, y)
net.predict_on_batch(x)
