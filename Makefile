# What a developer runs. `make` alone: everything that has to be right before a commit.
PYTHON ?= .venv/bin/python

.PHONY: all venv lint test slow results

all: lint test

venv:  ## a virtual environment with everything but torch
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -e '.[test]'

lint:  ## ruff, mypy and the layers
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -c 'from importlinter.cli import lint_imports_command as lint; lint(["--no-cache"])'

test:  ## the tests that take a few minutes
	$(PYTHON) -m pytest -n auto $(ARGS)

slow:  ## those of real gateways, and the numbers of eval/expected
	$(PYTHON) -m pytest -m 'slow and not oldhosts' $(ARGS)

results:  ## say on the pages of eval/results whose numbers they are
	$(PYTHON) eval/page.py
