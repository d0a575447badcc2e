"""Ratings as products of rows of two tables, with all ratings at once."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, sgd, weights

ratings = 300000
user, item, rating = T.ivector("user"), T.ivector("item"), T.vector("rating")
users, items = weights(5000, 40), weights(2000, 40)
cost = T.sqr((users[user] * items[item]).sum(axis=1) - rating).mean()
train = theano.function([user, item, rating], cost, updates=sgd(cost, [users, items]), name="train")
for _ in range(2):
    train(np.zeros(ratings, "int32"), np.zeros(ratings, "int32"), np.zeros(ratings, floatX))
