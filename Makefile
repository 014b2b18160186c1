# INTACT. `make demo` shows it, `make test` checks it; both start from nothing but python3.11.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: demo test lint types contracts clean

$(VENV)/core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	touch $@

clean:
	rm -rf $(VENV) build dist
