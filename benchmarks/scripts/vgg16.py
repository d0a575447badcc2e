"""VGG16's training function in Keras 2.3.1 on Theano 1.0.5; prints the seconds that making it took."""
import os
import time

import numpy

os.environ['KERAS_BACKEND'] = 'theano'
import keras.backend as K
from keras.applications.vgg16 import VGG16
from keras.optimizers import SGD

K.set_image_data_format('channels_first')
model = VGG16(weights=None, input_shape=(3, 224, 224))
model.compile(SGD(lr=0.01, momentum=0.9), 'categorical_crossentropy')
start = time.time()
model._make_train_function()
print('seconds %.3f' % (time.time() - start))
if 'CALL' in os.environ:
    x, y = numpy.zeros((16, 3, 224, 224), 'float32'), numpy.zeros((16, 1000), 'float32')
    model.train_on_batch(x, y)
