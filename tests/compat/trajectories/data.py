"""Writes generated data in the formats that the named scripts read: `python data.py FUNCTION PATH`, with NumPy 1.21 and Python 3.

What is learnt can be learnt: digits are noisy copies of one pattern a class, words follow each other by a rule.
"""

import gzip
import os
import pickle
import struct
import sys

import numpy as np

RNG = np.random.RandomState(20150101)


def _dump(path, *values):
    """Pickles for either Python, zipped where the name says so."""
    with gzip.open(path, "wb", 1) if path.endswith(".gz") else open(path, "wb") as file:
        for value in values:
            pickle.dump(value, file, protocol=2)


def _digits(rows, side=28):
    """Rows of pixels in [0, 1], and their classes."""
    patterns = np.random.RandomState(7).rand(10, side * side) ** 3
    labels = RNG.randint(0, 10, rows)
    pixels = np.clip(patterns[labels] * RNG.uniform(0.5, 1, (rows, 1)) + 0.1 * RNG.randn(rows, side * side), 0, 1)
    return pixels.astype("float32"), labels.astype("int64")


def mnist_pickle(path):
    """The pickle of deeplearning.net: three pairs."""
    _dump(path, (_digits(6000), _digits(1000), _digits(1000)))


mnist_plain = mnist_pickle


def mnist_npz(path):
    """The same as one .npz."""
    (x, y), (v, w) = _digits(6000), _digits(1000)
    np.savez(path, train_data=x, train_labels=y, test_data=v, test_labels=w)


def _ubyte(path, array):
    """A file of the original database."""
    magic = {1: 2049, 3: 2051}[array.ndim]
    with gzip.open(path, "wb", 1) if path.endswith(".gz") else open(path, "wb") as file:
        file.write(struct.pack(">" + "I" * (1 + array.ndim), magic, *array.shape) + array.astype("uint8").tobytes())


def _mnist_files(folder, ending, rows):
    for part, n in (("train", rows[0]), ("t10k", rows[1])):
        x, y = (np.concatenate([part] * (n // 1000)) for part in _digits(1000))
        _ubyte(os.path.join(folder, part + "-images-idx3-ubyte" + ending), (x * 255).reshape(n, 28, 28))
        _ubyte(os.path.join(folder, part + "-labels-idx1-ubyte" + ending), y)


def mnist_files(path):
    """The four files of the original database, unzipped, with all rows (scripts count on them)."""
    os.makedirs(path, exist_ok=True)
    _mnist_files(path, "", (60000, 10000))


def mnist_gz(path):
    """The four files, zipped, all rows."""
    os.makedirs(path, exist_ok=True)
    _mnist_files(path, ".gz", (60000, 10000))


mnist_gz_full = mnist_gz


def cifar(path):
    """Both sets of colour images, in the folders that their archives unpack to."""
    for folder, names, label, classes in (
        ("cifar-10-batches-py", [f"data_batch_{k}" for k in range(1, 6)] + ["test_batch"], "labels", 10),
        ("cifar-100-python", ["train", "test"], "fine_labels", 100),
    ):
        here = os.path.join(path, folder)
        os.makedirs(here, exist_ok=True)
        patterns = RNG.randint(0, 255, (classes, 3072))
        for name in names:
            y = RNG.randint(0, classes, 1000)
            x = (patterns[y] * 0.7 + RNG.randint(0, 76, (1000, 3072))).astype("uint8")
            _dump(os.path.join(here, name), {"data": x, label: [int(k) for k in y]})
        _dump(os.path.join(here, "batches.meta" if classes == 10 else "meta"), {"label_names": [f"c{k}" for k in range(classes)]})


def imdb(path):
    """Reviews as lists of words' numbers, good and bad ones with words of their own."""

    def part(n):
        y = [int(k) for k in RNG.randint(0, 2, n)]
        return [[int(w) for w in RNG.randint(2 + 40 * k, 120 + 40 * k, RNG.randint(10, 60))] for k in y], y

    _dump(path, part(400), part(100))


def atis(path):
    """Sentences of words with labels that follow from the word."""
    words, tables, labels = 120, 20, 30

    def part(n):
        lex = [RNG.randint(0, words, RNG.randint(5, 15)).astype("int32") for _ in range(n)]
        return lex, [s % tables for s in lex], [(s % labels).astype("int32") for s in lex]

    dicts = {
        "words2idx": {f"w{i}": i for i in range(words)},
        "tables2idx": {f"t{i}": i for i in range(tables)},
        "labels2idx": {f"l{i}": i for i in range(labels)},
    }
    _dump(path, (part(120), part(20), part(20), dicts))


def reviews(path):
    """What process_data.py writes: sentences, vectors of words, the table of words."""
    vocabulary = [f"w{i}" for i in range(300)]
    rows = []
    for i in range(600):
        y = int(RNG.randint(0, 2))
        text = " ".join(vocabulary[k] for k in RNG.randint(100 * y, 200 + 100 * y, RNG.randint(5, 20)))
        rows.append({"y": y, "text": text, "num_words": len(text.split()), "split": i % 10})
    vectors = RNG.uniform(-0.25, 0.25, (301, 300)).astype("float32")
    vectors[0] = 0
    _dump(path, [rows, vectors, vectors, {w: i + 1 for i, w in enumerate(vocabulary)}, dict.fromkeys(vocabulary, 1.0)])


def text(path):
    """Lines of words, and the dictionary of the translators (`PATH.pkl`)."""
    seed = RNG.randint(0, 198)
    lines = []
    for _ in range(800):
        start, n = int(RNG.randint(0, 198)), int(RNG.randint(4, 16))
        lines.append(" ".join(f"w{(start + 3 * k + seed) % 198}" for k in range(n)))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    table = {f"w{i}": i + 2 for i in range(198)}
    table.update({"eos": 0, "UNK": 1})
    _dump(path + ".pkl", table)


def flickr(path):
    """Captions with sparse features of 14 x 14 x 512."""
    import scipy.sparse

    os.makedirs(path, exist_ok=True)
    names = {f"w{i}": i + 2 for i in range(98)}
    _dump(os.path.join(path, "dictionary.pkl"), names)
    for part, n in (("train", 200), ("dev", 20), ("test", 20)):
        captions = [(" ".join(f"w{(i + k) % 98}" for k in range(int(RNG.randint(4, 12)))), i) for i in range(n)]
        features = scipy.sparse.random(n, 14 * 14 * 512, density=0.05, format="csr", random_state=RNG).astype("float32")
        _dump(os.path.join(path, f"flicker_8k_align.{part}.pkl"), captions, features)


def made(path):
    """Binary rows in the layout of the MADE data sets."""
    patterns = np.random.RandomState(3).rand(4, 123)

    def part(n):
        return (RNG.rand(n, 123) < patterns[RNG.randint(0, 4, n)]).astype("float32")

    np.savez(path, inputsize=123, train_data=part(3000), train_length=3000, valid_data=part(500), valid_length=500,
             test_data=part(500), test_length=500)  # fmt: skip


def trec(path):
    """Questions and answers as numbers of words, with what they share."""
    os.makedirs(path, exist_ok=True)
    for part, n in (("train", 1500), ("dev", 200), ("test", 200)):
        y = RNG.randint(0, 2, n)
        q = RNG.randint(0, 500, (n, 33))
        a = RNG.randint(0, 500, (n, 40))
        a[y == 1, :10] = q[y == 1, :10]
        for name, value in (
            ("questions", q), ("answers", a), ("q_overlap_indices", RNG.randint(0, 3, (n, 33))),
            ("a_overlap_indices", RNG.randint(0, 3, (n, 40))), ("labels", y.astype("int32")), ("qids", np.arange(n) // 10),
        ):  # fmt: skip
            np.save(os.path.join(path, f"{part}.{name}.npy"), value)
    np.save(os.path.join(path, "emb_aquaint+wiki.txt.gz.ndim=50.bin.npy"), RNG.uniform(-0.25, 0.25, (501, 50)))


def bars(path):
    """Pictures of 4 rows in which the digit i is a bar of i + 2 in row i, and the digits."""
    xs, ys = [], []
    for _ in range(200):
        digits = [int(d) for d in RNG.randint(0, 4, RNG.randint(3, 7))]
        columns = []
        for d in digits:
            bar = np.zeros((4, d + 2))
            bar[d] = 1
            columns += [np.zeros((4, int(RNG.randint(1, 4)))), bar]
        columns.append(np.zeros((4, 5)))
        xs.append(np.hstack(columns) * 0.9 + 0.1 * RNG.rand(4, sum(c.shape[1] for c in columns)))
        ys.append(digits)
    _dump(path, {"x": xs, "y": ys, "chars": list("0123")})


if __name__ == "__main__":
    os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
    globals()[sys.argv[1]](sys.argv[2])
