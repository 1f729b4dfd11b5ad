# What can be done with this checkout. Needs make, a C++ compiler and Python 3.11 or newer; each target
# sets up the rest in .venv, once, and again only when what it was made from has changed.
#
#   make demo    see it learn          make lint      style, types, architecture
#   make test    lint, then all tests  make docs      build the documentation
#   make bench   measure speed         make clean     remove everything that was built
#   make soak    tests that take long  make sanitize  test the engine with memory and undefined behaviour watched

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
PIP_INSTALL := $(PIP) install --quiet --constraint constraints.txt
WATCHED := build/sanitize
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
BUILT_FROM := pyproject.toml constraints.txt CMakeLists.txt $(wildcard core/*.?pp core/python/*.hpp)
HERE := $(shell pwd -P)
ifeq ($(origin CXX),default)
CXX := $(shell command -v c++ || command -v g++ || command -v clang++)
endif
JOBS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((cores < 8 ? cores : 8)))

.NOTPARALLEL:
.PHONY: demo test soak sanitize lint docs bench clean

demo: $(VENV)/.ready-demo
	$(VENV)/bin/colonnade demo

test: lint
	$(PY) -m pytest -n $(JOBS)

# Compilers, emulators and file systems that this machine hasn't got are named as skipped. What was killed when
# is told at the end.
soak: $(VENV)/.ready-dev $(VENV)/.ready-cluster
	$(PY) -m pytest -m soak -rsP tests/streaming tests/core tests/runs

# The engine is built apart, and the tests run on it with the packages of .venv. Needs GCC. Freed memory is held
# back to see who still uses it, but not so much that a test of how much is used could tell.
sanitize: $(VENV)/.ready-dev
	$(PY) -m venv --clear --without-pip $(WATCHED)/venv
	CXX=g++ $(PIP_INSTALL) --no-deps --no-build-isolation --upgrade --target $(WATCHED)/package . \
	    --config-settings=build-dir=$(WATCHED)/cmake --config-settings=cmake.define.COLONNADE_SANITIZE=ON
	printf '%s\n' $(CURDIR)/$(WATCHED)/package $(CURDIR)/$(VENV)/lib/python*/site-packages \
	    > $$(ls -d $(WATCHED)/venv/lib/python*/site-packages)/packages.pth
	LD_PRELOAD="$(foreach library,asan ubsan stdc++,$(shell g++ -print-file-name=lib$(library).so))" \
	    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=32 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(WATCHED)/venv/bin/python -m pytest --capture=sys tests/streaming tests/core

lint: $(VENV)/.ready-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

docs: $(VENV)/.ready-docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict  # of a successor that is no release yet

bench: $(VENV)/.ready-bench
	$(PY) benchmarks/algebra.py
	$(VENV)/bin/colonnade bench engine
	$(VENV)/bin/colonnade bench runs

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# An environment that has been moved or copied still runs the checkout where it was made, and one whose Python
# is gone runs nothing: it is made anew.
ifneq ($(shell test -x $(PY) && cat $(VENV)/.ready-python 2>/dev/null),$(HERE))
.PHONY: $(VENV)/.ready-python
endif

$(VENV)/.ready-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Colonnade needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@command -v $(firstword $(CXX) none) >/dev/null || \
	    { echo "Colonnade needs a C++ compiler; name one with: make CXX=/path/to/g++" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@echo '$(HERE)' > $@

# Editable, without build isolation: the compiler driver is the cmake and ninja that constraints.txt names.
# The demo learns on the compiled engine, and draws its picture with Matplotlib: it needs nothing else.
$(VENV)/.ready-demo: $(VENV)/.ready-python $(BUILT_FROM)
	$(PIP_INSTALL) $(BUILD_TOOLS)
	CXX='$(CXX)' $(PIP_INSTALL) --no-build-isolation --editable . matplotlib
	@touch $@

# The package is already there: these add what the extra asks for.
$(VENV)/.ready-lab: $(VENV)/.ready-demo
$(addprefix $(VENV)/.ready-,dev docs bench cluster): $(VENV)/.ready-lab
$(addprefix $(VENV)/.ready-,lab dev docs bench cluster): $(VENV)/.ready-%:
	$(PIP_INSTALL) 'colonnade[$*]'
	@touch $@
