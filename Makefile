# World on Screen. `make` prints this help from the comments behind the targets.
STUDY ?= workflow/config/demo.yaml
CORES ?= 2
PYTHON ?= python3.11
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# The system lets go of flock's lock when its holder dies, so that a killed run leaves none behind, as Snakemake's
# own would. Only what went wrong is printed.
SNAKEMAKE = flock --nonblock --close --conflict-exit-code 75 workflow/Snakefile \
	snakemake --nolock --rerun-incomplete --snakefile workflow/Snakefile --cores $(CORES) \
	--quiet host progress reason rules --config

.DEFAULT_GOAL := help
.PHONY: help book study test test-all lab bench lint clean

help: ## Show this help.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: .venv/ready ## Run the demo study's notebooks and build the book.
	$(SNAKEMAKE) study=workflow/config/demo.yaml || { test $$? != 75 || echo "Another run is going on."; false; }
	@echo "The book: studies/demo/book/_build/html/index.html"

study: .venv/ready ## Run another study: make study STUDY=path/to/study.yaml
	$(SNAKEMAKE) study="$(STUDY)" || { test $$? != 75 || echo "Another run is going on."; false; }

test: .venv/ready ## Run the quick tests (under 10 minutes).
	pytest --numprocesses 2 --cov

test-all: book ## Run every test, slow ones too: a browser, kill points, fuzzing.
	pytest --numprocesses 2 -m ""

lab: .venv/ready ## Open the notebooks in JupyterLab.
	jupyter lab notebooks

bench: .venv/ready ## Measure speed and memory side by side with what one would use instead.
	python -m benchmarks

lint: .venv/ready ## Check style, notebook outputs and file sizes.
	pre-commit run --all-files

clean: ## Remove what the demo study made (the environment stays).
	rm -rf studies/demo .snakemake .pytest_cache .ruff_cache .coverage

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	pip install --quiet --requirement requirements.lock
	pip install --quiet --no-deps --editable .
	touch $@
