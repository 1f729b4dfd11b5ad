# What can be done with this checkout. Needs make, a C++ compiler and Python 3.11 or newer; each target
# sets up the rest in .venv, once, and again only when what it was made from has changed.
#
#   make demo    see it learn          make lint    style, types, architecture
#   make test    lint, then all tests  make docs    build the documentation
#   make bench   measure speed         make clean   remove everything that was built

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
PIP_INSTALL := $(PIP) install --quiet --constraint constraints.txt
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
BUILT_FROM := pyproject.toml constraints.txt CMakeLists.txt $(wildcard core/*)
JOBS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((cores < 8 ? cores : 8)))

.NOTPARALLEL:
.PHONY: demo test lint docs bench clean

demo: $(VENV)/.ready-demo
	$(VENV)/bin/colonnade demo

test: lint
	$(PY) -m pytest -n $(JOBS)

lint: $(VENV)/.ready-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

docs: $(VENV)/.ready-docs
	$(VENV)/bin/mkdocs build --strict

bench: $(VENV)/.ready-bench
	$(PY) benchmarks/algebra.py
	$(VENV)/bin/colonnade bench engine

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.ready-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Colonnade needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Editable, without build isolation: the compiler driver is the cmake and ninja that constraints.txt names.
# The demo learns on the compiled engine, and draws its picture with Matplotlib: it needs nothing else.
$(VENV)/.ready-demo: $(VENV)/.ready-python $(BUILT_FROM)
	$(PIP_INSTALL) $(BUILD_TOOLS)
	$(PIP_INSTALL) --no-build-isolation --editable . matplotlib
	@touch $@

# The package is already there: these add what the extra asks for.
$(VENV)/.ready-lab: $(VENV)/.ready-demo
$(VENV)/.ready-dev $(VENV)/.ready-docs $(VENV)/.ready-bench: $(VENV)/.ready-lab
$(VENV)/.ready-lab $(VENV)/.ready-dev $(VENV)/.ready-docs $(VENV)/.ready-bench: $(VENV)/.ready-%:
	$(PIP_INSTALL) 'colonnade[$*]'
	@touch $@
