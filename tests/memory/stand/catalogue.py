"""The scripts on which the prediction is held against the real libraries: one list for the tests and for the table of truth."""

from __future__ import annotations

from dataclasses import dataclass

from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.units import GIB

FLAG_SETS = ("", "allow_gc=False", "gpuarray.preallocate=-1", "gpuarray.preallocate=0.25", "gpuarray.preallocate=64")
"""Theano's flags that change what is taken, beside none."""


@dataclass(frozen=True)
class Model:
    """A script of `tests/memory/models` and how it is run."""

    script: str
    """Name of the file, without `.py`."""
    what: str
    args: tuple[str, ...] = ()
    interpreter: str = "gpu"
    gib: int = 4
    """Size of the device, in GiB."""
    contents: bool = True
    """Whether large arrays keep what was copied to them."""

    @property
    def title(self) -> str:
        """How a table names it."""
        return " ".join((self.script, *self.args))

    @property
    def device(self) -> VirtualDevice:
        """The device on which it runs."""
        return VirtualDevice(self.gib * GIB, keep_contents=self.contents)


def keras(name: str, optimiser: str, side: int, *more: str) -> Model:
    """An architecture of Keras 2.3.1 at full size, on two small images."""
    what = f"{name} of Keras 2.3.1 with {optimiser}"
    return Model("keras_net", what, (name, optimiser, "2", str(side), *more), "gpu_keras", 16, contents=False)


SMALL = (
    Model("mlp", "a multilayer perceptron with SGD"),
    Model("conv", "a convolutional net with pooling"),
    Model("lstm", "an LSTM as a scan, with gradients"),
    Model("gru", "a GRU as a scan, with gradients"),
    Model("embed", "embeddings, rows updated"),
    Model("embed_dense", "embeddings, the whole table updated"),
    Model("autoencoder", "an autoencoder"),
    Model("rbm", "a restricted Boltzmann machine with CD-5"),
    Model("dropout_adam", "dropout and Adam"),
    Model("norm_conv", "convolutions with batch normalisation"),
    Model("branches", "IfElse"),
    Model("held", "device arrays that the script holds"),
    Model("handed", "device arrays that functions hand to one another, borrowed ones, and copies of shared variables"),
    Model("from_graph", "OpFromGraph: functions within functions"),
    Model("gan", "a GAN with transposed convolutions"),
    Model("bilstm", "a bidirectional LSTM with masks and RMSprop"),
    Model("lenet", "LeNet with givens, training and validation"),
    Model("hmm", "an HMM's forward algorithm and Viterbi as scans"),
    Model("factor", "matrix factorisation, EM of a mixture, k-means"),
    Model("vae", "a variational autoencoder with Adam"),
    Model("word2vec", "skip-gram with negative sampling"),
    Model("attention", "an encoder and a decoder with attention, Adadelta"),
    Model("batchnorm", "a residual net with batch normalisation"),
    Model("logistic", "logistic regression of the tutorials, minibatches by givens"),
    Model("sda", "a stacked denoising autoencoder, trained layer by layer"),
    Model("images", "a convolutional autoencoder, dilation, group norm, pooling modes, three dimensions, a siamese net"),
    Model("kinds", "NADE, MADE, a memory with content addressing, Hamiltonian Monte Carlo, k-means"),
    Model("transformer", "a transformer's block, highway layers, a mixture density net, triplets, a spatial transformer"),
    Model("control", "a DQN with a replay memory and a target net, REINFORCE, evolution strategies, one flat vector of parameters"),
    Model("speech", "a masked LSTM with a cost for each step, CTC, convolutions over time, a memory that is written and read"),
    Model("unet", "a U-Net, masked convolutions, a DCGAN, all with Adam"),
    Model("dropped", "functions that are dropped, and found by searches for garbage"),
    Model("choices", "IfElse on numbers that may have been computed: nested, in updates, inside of scans"),
    Model("life", "other shapes, borrowed values, results kept, copies of functions, IfElse on numbers"),
)
"""Scripts that compile in seconds once their modules are there."""
BATTERIES = (
    Model("updates", "seventy ways to update shared variables"),
    Model("scans", "sixty scans, Jacobians and Hessians"),
    Model("ops", "two hundred single ops"),
    Model("indexing", "thirty ways to index by several arrays"),
)
"""Many functions in one process."""
KERAS = (("VGG16", 64), ("ResNet50", 64), ("InceptionV3", 96))
"""Nets and the side of their images, in pixels."""
LARGE = (
    Model("vgg16", "VGG16 on sixteen images of 224 x 224", gib=16, contents=False),
    Model("lasagne_net", "Lasagne 0.1: convolutions, dropout, Nesterov momentum", interpreter="gpu_keras"),
    keras("VGG16", "SGD", 64, "chance"),
    *(keras(net, optimiser, side) for net, side in KERAS for optimiser in ("SGD", "Adam")),
)
"""What takes minutes to compile."""
MODELS = (*SMALL, *BATTERIES, *LARGE)
