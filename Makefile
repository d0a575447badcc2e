# The two commands of a fresh machine are `make demo` and `make test`; each makes what it needs below .envs/.
# What these would change is the tools, not only what is tested; tests start from an environment of their own (tests/surroundings.py).
unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONWARNINGS PYTHONSTARTUP PYTHONINSPECT PYTHONSAFEPATH
PYTHON ?= python3
ENVS := .envs
NOX := $(ENVS)/tools/bin/nox
DEMO := $(ENVS)/demo/bin
# The wheel of these files, with PyTensor; nothing is done where it is installed.
INSTALL = $(PYTHON) tools/distributions.py $(ENVS)/dist --into $(DEMO)/python pytensor

.PHONY: demo test coverage test-frameworks test-all same lint bench suite truth rules docs fuzz pictures package clean

demo: $(DEMO)/python
	$(INSTALL)
	$(DEMO)/theanodiag check examples/mlp_sgd.py --gpu t4

$(DEMO)/python:
	$(PYTHON) -m venv $(ENVS)/demo

$(NOX):
	$(PYTHON) -m venv $(ENVS)/tools
	$(ENVS)/tools/bin/pip --disable-pip-version-check -q install nox

test: $(NOX)
	$(NOX) -s core api frameworks

coverage: $(NOX)
	THEANODIAG_COVERAGE=1 $(NOX) -s core api frameworks coverage

test-frameworks: $(NOX)
	THEANODIAG_PART=all $(NOX) -s frameworks

test-all: $(NOX)
	THEANODIAG_THOROUGH=1 THEANODIAG_PART=all $(NOX) -s core api frameworks

same: $(NOX)
	$(NOX) -s same -- $(ARGS)

lint: $(NOX)
	$(NOX) -s lint

bench: $(NOX)
	$(NOX) -s bench

suite: $(NOX)
	$(NOX) -s suite -- $(ARGS)

truth: $(NOX)
	$(NOX) -s truth

package: $(NOX)
	$(NOX) -s package

rules: $(NOX)
	$(NOX) -s rules

docs: $(NOX)
	$(NOX) -s docs

pictures: $(DEMO)/python
	$(INSTALL)
	$(DEMO)/python tools/pictures.py $(ARGS)

fuzz: $(NOX)
	$(NOX) -s fuzz -- $(FUZZ)

clean:
	rm -rf $(ENVS) .nox build *.egg-info
