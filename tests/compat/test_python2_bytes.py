"""Python 2's strings of bytes, in translated sources."""

from __future__ import annotations

from pathlib import Path

from tests import interpreters

from .test_numpy1 import printed

PROGRAM = """import cPickle, gzip, hashlib, json, re, string, struct
import numpy as np
with open("vectors.bin", "wb") as file:
    file.write("2 3\\n")
    for i, word in enumerate(["the", "cat"]):
        file.write(word + " " + np.arange(i, i + 3, dtype="float32").tostring() + "\\n")
known = {"the": 0, "cat": 1, "dog": 2}
vectors = {}
with open("vectors.bin", "rb") as file:
    count, size = map(int, file.readline().split())
    for _ in xrange(count):
        word = []
        while True:
            ch = file.read(1)
            if ch == " ":
                word = "".join(word)
                break
            if ch != "\\n":
                word.append(ch)
        if word in known:
            vectors[word] = np.fromstring(file.read(4 * size), dtype="float32")
print sorted((w, known[w], v.tolist()) for w, v in vectors.items())
open("lines.txt", "wb").write("the cat\\nthe dog\\n")
for line in open("lines.txt", "rb"):
    words = line.strip().split(" ")
    print words, [known[w] for w in words], "cat" in line, line.startswith("the"), line[0], line[4:7] == "cat"; print line[-1] == "\\n"
file = open("lines.txt", "rb")
n = 0
while True:
    line = file.readline()
    if line == "" or line == "never":
        break
    n += 1
print n, "%s|%s" % (words[1], "{0}".format(words[1])), "a " + words[1] + " b"
print words[1].upper(), words[1].replace("d", "f"), [c for c in words[1]]
clean = re.sub(r"[^a-z ]", "", u"The CAT's".encode("ascii", "ignore").lower())
print clean, clean.split(), known["cat"] == known[clean[4:7]]
print isinstance(words[0], str), isinstance(words[0], basestring), words[0] < "zoo", max(words)
print sorted(words + ["a"]), len(set(words + ["dog"]))
print "abc".encode("hex"), "616263".decode("hex"), "abc".encode("base64").strip(), "a\\nb".encode("string_escape")
print "hi, you".translate(None, ", ")
print unicode("abc", "utf-8") + "d", "a,b".translate(string.maketrans(",", " ")), "-".join(w.encode("utf-8") for w in [u"a", u"b"])
print re.match("(t)h", words[0]).group(1), re.compile("o").sub("0", words[1]), "x".join([words[0], "y"]), " the dog".find(words[1])
print b"abc"[0], b"abc" == "abc", list(b"ab"), struct.pack("B", 65) == "A", struct.pack("BB", 66, 200)[0]
print hashlib.md5(words[0]).hexdigest() == hashlib.md5("the").hexdigest(), json.loads(b"[1]")
cPickle.dump({words[0]: words}, open("p.pkl", "wb")); print cPickle.load(open("p.pkl", "rb")), struct.unpack("3s", words[0]) == ("the",)
out = gzip.open("z.gz", "wb"); out.write("a b\\nc"); out.close()
z = gzip.open("z.gz"); print z.read().split("\\n"), ord(open("lines.txt", "rb").read(1))
both = open("lines.txt", "r+b"); print both.read(3) == "the", both.readlines(), both.tell()
"""


def test_bytes_are_text_too(tmp_path: Path) -> None:
    """A file of word vectors, lines of a file opened for bytes, `encode`, `translate`: as under CPython 2.7."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    start = "import os, runpy, sys; os.chdir(os.path.dirname(sys.argv[1])); runpy.run_path(sys.argv[1])"
    done = interpreters.python("theano27", "-c", start, str(script))
    assert done.returncode == 0, done.stderr
    assert printed("--fix-numpy", str(script), folder=tmp_path).splitlines() == done.stdout.splitlines()
