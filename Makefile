# INTACT. `make demo` shows it, `make test` checks it; both start from nothing but python3.11.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# The tests use every extra. Versions are pinned here only, for tests that repeat; users may
# have any that pyproject.toml allows.
EXTRAS := transformers,evaluation,detection,formats,serve,build,dev
TORCH := torch==2.13.0
LLAMA := 0.3.36
WHEELS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/intact-wheels
WORKERS ?= 2

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: demo test lint types contracts unit clean

demo: $(VENV)/core
	mkdir -p demo
	$(BIN)/intact sanitize examples -o demo/sanitized --edits demo/edits.json
	$(BIN)/python examples/demo.py demo

test: lint types contracts unit

lint: $(VENV)/full
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/full
	$(BIN)/mypy

contracts: $(VENV)/full
	$(BIN)/lint-imports

unit: $(VENV)/full
	$(BIN)/pytest -n $(WORKERS)

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

# llama-cpp-python comes as source and takes minutes to compile: its wheel is made once and kept
# outside the checkout. Without a C++ compiler it is left out, and so are the tests that need it.
$(VENV)/full: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]" $(TORCH)
	ls $(WHEELS)/llama_cpp_python-$(LLAMA)-*.whl >/dev/null 2>&1 || \
		CMAKE_ARGS="-DLLAVA_BUILD=OFF" $(BIN)/pip wheel --quiet --no-deps \
			--wheel-dir $(WHEELS) llama-cpp-python==$(LLAMA) || \
		echo "llama-cpp-python cannot be built here: its tests will be skipped"
	$(BIN)/pip install --quiet --disable-pip-version-check --find-links $(WHEELS) \
		--only-binary llama-cpp-python llama-cpp-python==$(LLAMA) || true
	touch $@

clean:
	rm -rf $(VENV) build dist demo
