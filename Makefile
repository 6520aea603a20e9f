# Two commands do all the set-up: `make demo` and `make test`. Both are quick the second time.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps
VERIFIER := packages/plumbrule-verifier
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test types tests docs bench support binding agreement rubrics lock format clean help

help:  ## list the commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(STAMPS)/demo  ## set up, and see the main job on bundled data
	$(BIN)/plumbrule demo

test: $(STAMPS)/test  ## set up with the test tools, and run every check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m compileall -q src tests  # once, and not in each process that a test starts
	$(MAKE) --no-print-directory --jobs 2 types tests  # side by side, since the first has one process only

types:
	$(BIN)/mypy

tests:
	$(BIN)/pytest -n auto --dist worksteal --randomly-seed 1

docs: $(STAMPS)/test  ## build the documentation as a site, into build/site; no network
	$(BIN)/mkdocs build --strict --quiet

bench: $(STAMPS)/test  ## measure speed (beside Ragas and DeepEval, too), memory, runs, ledger, pre-scores, monitoring, reviews, coverage, growth, scaling, Ray, web pages and a report's page; kill runs 120 times
	$(BIN)/python -m bench.speed
	$(BIN)/python -m bench.peers --tools $(VENV)/tools
	$(BIN)/python -m bench.overhead
	$(BIN)/python -m bench.faults
	$(BIN)/python -m bench.run_workers
	$(BIN)/python -m bench.ledger
	$(BIN)/python -m bench.prescores
	$(BIN)/python -m bench.monitoring
	$(BIN)/python -m bench.reviews
	$(BIN)/python -m bench.coverage
	$(BIN)/python -m bench.growth
	$(BIN)/python -m bench.scaling --most 100000 --nodes
	$(BIN)/python -m bench.ray_cluster
	$(BIN)/python -m bench.web_reviews
	$(BIN)/python -m bench.web_pages
	$(BIN)/python -m bench.report_page
	$(BIN)/pytest -n auto --hypothesis-profile random -m hypothesis
	PLUMBRULE_TEST_KILLS=all $(BIN)/pytest -n auto tests/contract/test_killed_runs.py
	PLUMBRULE_TEST_RAY=1 $(BIN)/pytest tests/engines/test_ray_tasks.py tests/docs/test_scaling_page.py

DATA ?= ../shared/data/groundedness

support: $(STAMPS)/test  ## train the model of the support score on the labelled answers in DATA
	PLUMBRULE_VERIFIER=none $(BIN)/python -m training.support --data $(DATA)

binding: $(STAMPS)/test  ## fit the weights of binding to the everyday rows of the development authors
	PLUMBRULE_VERIFIER=none $(BIN)/python -m training.binding

agreement: $(STAMPS)/test  ## measure how far the support score agrees with people, and write docs/agreement.md
	PLUMBRULE_VERIFIER=none $(BIN)/python -m training.agreement --data $(DATA)

rubrics: $(STAMPS)/test  ## measure both verdict rubrics on labelled answers, and write their tables into docs/verdict-rubric.md
	PLUMBRULE_VERIFIER=none $(BIN)/python -m training.rubrics --data $(DATA)

format: $(STAMPS)/test  ## format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(STAMPS)/venv  ## resolve the dependencies again
	$(PIP) install uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --extra build --extra verifier --extra web pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --extra build --extra judge --extra parquet --extra postgres --extra ray --extra s3 --extra test --extra verifier --extra web --extra xlsx \
		-c requirements.lock pyproject.toml -o requirements-test.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --extra build --extra judge --extra parquet --extra postgres --extra verifier --extra web --extra xlsx \
		-c requirements-test.lock pyproject.toml -o deploy/requirements-deploy.lock

clean:  ## remove what the other commands made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Plumbrule needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# The package itself and the verifier are linked, so that a change of their sources needs no new install.
$(STAMPS)/demo: $(STAMPS)/venv requirements.lock pyproject.toml $(VERIFIER)/pyproject.toml
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e . -e $(VERIFIER)
	@touch $@

$(STAMPS)/test: $(STAMPS)/venv requirements-test.lock pyproject.toml $(VERIFIER)/pyproject.toml
	$(PIP) install --no-compile --require-hashes -r requirements-test.lock
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >$(STAMPS)/compiled 2>&1 || true  # by all processors; pip uses one
	$(PIP) install --no-deps --no-build-isolation -e . -e $(VERIFIER)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
		|| echo "There is no Chromium: install the package chromium, or the tests in a browser are skipped."
	@touch $@ $(STAMPS)/demo
