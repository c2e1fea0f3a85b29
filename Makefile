# World on Screen. `make` prints this help from the comments behind the targets.
CONFIG ?= workflow/config/demo.yaml
PROFILE ?= local
CORES ?= 2
GPUS ?= 1
PYTHON ?= python3.11
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export CORES GPUS RETRY

.DEFAULT_GOAL := help
.PHONY: help book study test coverage test-slow lab bench lint clean

help: ## Show this help.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: .venv/ready ## Run the demo study's stages and notebooks and build the book.
	workflow/run.sh workflow/config/demo.yaml "$(PROFILE)"
	@echo "The book: studies/demo/book/_build/html/index.html"

study: .venv/ready ## Plan a study and run it: make study CONFIG=study.yaml [DRY=1] [RETRY=1] [PROFILE=slurm]
ifdef DRY
	python -m helpers.plan "$(CONFIG)"
	snakemake --snakefile workflow/Snakefile --dry-run --quiet host progress reason rules --cores $(CORES) --nolock \
		--config study="$(CONFIG)"
else
	python -m helpers.plan "$(CONFIG)" || [ $$? -eq 1 ]
	workflow/run.sh "$(CONFIG)" "$(PROFILE)"
endif

test: .venv/ready ## Run the quick tests (under 10 minutes).
	pytest --numprocesses 2

coverage: .venv/ready ## Run the quick tests and show which lines they leave out.
	pytest --numprocesses 2 --cov

test-slow: book ## Run the slow tests: a browser, whole examples, kill points, fuzzing, a cluster.
	pytest --numprocesses 2 -m slow

lab: .venv/ready ## Open the notebooks in JupyterLab.
	jupyter lab --LabApp.default_url=/lab/tree/notebooks

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
