"""A convolutional net of Keras 2.3.1 on a toy problem: prints the loss of each epoch."""

import os

os.environ["KERAS_BACKEND"] = "theano"
import json

import numpy as np
from keras.layers import LSTM, Conv2D, Dense, Flatten, MaxPooling2D, Reshape
from keras.models import Sequential
from keras.optimizers import SGD

rng = np.random.RandomState(7)
x = rng.rand(32, 8, 8, 1).astype("float32")
y = np.eye(3, dtype="float32")[(x.sum(axis=(1, 2, 3)) * 3).astype(int) % 3]
model = Sequential(
    [
        Conv2D(4, 3, activation="relu", input_shape=(8, 8, 1)),
        MaxPooling2D(),
        Reshape((9, 4)),
        LSTM(5, return_sequences=True),
        Flatten(),
        Dense(3, activation="softmax"),
    ]
)
model.compile(SGD(0.5), "categorical_crossentropy", metrics=["accuracy"])
model.set_weights([rng.uniform(-0.5, 0.5, w.shape).astype("float32") for w in model.get_weights()])
history = model.fit(x, y, batch_size=8, epochs=20, shuffle=False, verbose=0).history
print(json.dumps([float(loss) for loss in history["loss"]]))
