# Everything sets itself up in a virtual environment inside the checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One BLAS thread per process: the tests run in parallel and timings stay comparable.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1

.PHONY: help demo test check clean

help:
	@echo "make demo    learn a graph from the data that ships with it, show it, write a report"
	@echo "make test    run all the tests"
	@echo "make check   ruff, mypy, import-linter, codespell"
	@echo "make clean   remove the virtual environment and caches"

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[cli]"
	@touch $@

$(VENV)/.test: pyproject.toml $(VENV)/.installed
	@echo "Installing what the tests need (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

$(VENV)/.check: pyproject.toml $(VENV)/.test
	@echo "Installing what the checks need (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test,check]"
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/daglock demo

test: $(VENV)/.test
	@$(BIN)/python -m pytest -n auto

check: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
