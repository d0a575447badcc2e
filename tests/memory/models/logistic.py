"""The logistic regression of the 2015 tutorials: a class, minibatches by givens, early stopping, predictions."""

import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(23455)


class LogisticRegression(object):
    def __init__(self, input, n_in, n_out):
        self.W = theano.shared(value=numpy.zeros((n_in, n_out), dtype=theano.config.floatX), name="W", borrow=True)
        self.b = theano.shared(value=numpy.zeros((n_out,), dtype=theano.config.floatX), name="b", borrow=True)
        self.p_y_given_x = T.nnet.softmax(T.dot(input, self.W) + self.b)
        self.y_pred = T.argmax(self.p_y_given_x, axis=1)
        self.params = [self.W, self.b]
        self.input = input

    def negative_log_likelihood(self, y):
        return -T.mean(T.log(self.p_y_given_x)[T.arange(y.shape[0]), y])

    def errors(self, y):
        return T.mean(T.neq(self.y_pred, y))


def shared_dataset(n):
    x = rng.uniform(size=(n, 784)).astype(theano.config.floatX)
    y = rng.randint(0, 10, n).astype(theano.config.floatX)
    return theano.shared(x, borrow=True), T.cast(theano.shared(y, borrow=True), "int32")


train_set, valid_set, test_set = shared_dataset(2050), shared_dataset(600), shared_dataset(600)
batch_size = 200
index, x, y = T.lscalar(), T.matrix("x"), T.ivector("y")
classifier = LogisticRegression(input=x, n_in=784, n_out=10)
cost = classifier.negative_log_likelihood(y)
cut = lambda data: {x: data[0][index * batch_size : (index + 1) * batch_size], y: data[1][index * batch_size : (index + 1) * batch_size]}
test_model = theano.function(inputs=[index], outputs=classifier.errors(y), givens=cut(test_set))
validate_model = theano.function(inputs=[index], outputs=classifier.errors(y), givens=cut(valid_set))
g_W, g_b = T.grad(cost=cost, wrt=classifier.W), T.grad(cost=cost, wrt=classifier.b)
updates = [(classifier.W, classifier.W - 0.13 * g_W), (classifier.b, classifier.b - 0.13 * g_b)]
train_model = theano.function(inputs=[index], outputs=cost, updates=updates, givens=cut(train_set))
predict_model = theano.function(inputs=[classifier.input], outputs=classifier.y_pred)

best, best_W = numpy.inf, None
for epoch in range(2):
    for minibatch_index in range(11):
        train_model(minibatch_index)
    loss = numpy.mean([validate_model(i) for i in range(3)])
    if loss < best or epoch == 0:
        best, best_W = loss, classifier.W.get_value(borrow=True)
        test_losses = [test_model(i) for i in range(3)]
classifier.W.set_value(best_W, borrow=True)
predict_model(test_set[0].get_value()[:10])
predict_model(test_set[0].get_value(borrow=True)[:500])
