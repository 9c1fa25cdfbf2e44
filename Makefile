# The commands of TrackMe; `make help` lists them. Everything they make lies in .build and in the
# state directory (TRACKME_STATE, .trackme by default).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

export PATH := $(PATH):/opt/swift/usr/bin
export TRACKME_STATE := $(abspath $(or $(TRACKME_STATE),.trackme))

# One configuration serves everything (docs/decisions/0001-build-and-dependencies.md).
CONFIGURATION := -c release
# Without colours even in a terminal: else a build whose output goes elsewhere compiles all anew.
CONFIGURATION += --no-color-diagnostics
PROGRAM := .build/release/trackme
EVENTS := $(TRACKME_STATE)/tests/events.jsonl
# The lines of the event stream that record an issue, or end a test with issues, as text.
EVENT_TEXT := "text":"(([^"\\]|\\.)*)"
FAILURES := sed -nE \
  -e 's/.*"fileID":"([^"]*)","line":([0-9]+).*"kind":"issueRecorded",/\1:\2 /' \
  -e 's/^([^ {]+ )"messages":\[\{"symbol":"fail",$(EVENT_TEXT)(.*$(EVENT_TEXT))?.*/    \1\2 \5/p' \
  -e '/"kind":"testEnded"/s/.*"symbol":"fail",$(EVENT_TEXT).*/  \1/p'
# Tests that start whole systems wait for processes, and run after the others: side by side on few
# cores they would keep the threads that the others' deadlines are measured on.
WHOLE_SYSTEM := Journeys|SupervisorTests
# Of these, what fills both cores for a minute runs by itself: beside it others run into time-outs.
HEAVY := GroupReleaseJourney|RoomJourney|StreamFaultJourney|HistoryJourney|SupervisorTests
# So many whole-system tests at a time: more would be as fast, with answers that come too late.
ABREAST := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
# Of the others: all at once they would outrun the deadlines of the system that they test.
SIDE_BY_SIDE := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
SWIFT_TEST := swift test $(CONFIGURATION) --skip-build --disable-xctest
EVENT_STREAM := --event-stream-version 0 --event-stream-output-path
TELL_FAILURES = { echo; echo "what failed (FILTER=NameOfTheSuite runs some by themselves):"; \
  $(FAILURES) $(EVENTS).* | sed 's/\\"/"/g; s/\\\//\//g' | cut -c 1-500 || true; exit 1; }
FORMATTED := Package.swift Sources Tests
# The formatter opens all files at once, and crashes where it may not.
OPEN_MANY := ulimit -S -n "$$(ulimit -H -n)"

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## install what is missing (Debian packages; checks the Swift toolchain)
	@deploy/setup.sh run

.PHONY: build
build: setup ## compile the services and the operator's tool
	@[ -x $(PROGRAM) ] || echo "compiling, which takes up to 15 minutes the first time"
	@swift build $(CONFIGURATION)

.PHONY: run
run: build ## start everything in the foreground; Ctrl-C stops it
	@exec $(PROGRAM) run

.PHONY: start
start: build ## the same in the background
	@$(PROGRAM) start

.PHONY: stop
stop: ## stop what `make start` started
	@if [ -x $(PROGRAM) ]; then $(PROGRAM) stop; else echo "nothing was built, so nothing runs"; fi

.PHONY: status
status: ## what is running, and where
	@if [ -x $(PROGRAM) ]; then $(PROGRAM) status; else echo "nothing was built, so nothing runs"; fi

.PHONY: test
test: ## all tests (FILTER=RegularExpression for some)
	@deploy/setup.sh test
	@swift build $(CONFIGURATION) --build-tests
	@mkdir -p $(dir $(EVENTS))
ifdef FILTER
	@$(ABREAST) $(SWIFT_TEST) --filter '$(FILTER)'
else
	@rm -f $(EVENTS) $(EVENTS).*
	@failed=; \
	$(SIDE_BY_SIDE) $(SWIFT_TEST) --skip '$(WHOLE_SYSTEM)' \
	  $(EVENT_STREAM) $(EVENTS).parts || failed=1; \
	$(ABREAST) $(SWIFT_TEST) --filter '$(HEAVY)' $(EVENT_STREAM) $(EVENTS).heavy || failed=1; \
	$(ABREAST) $(SWIFT_TEST) --filter '$(WHOLE_SYSTEM)' --skip '$(HEAVY)' \
	  $(EVENT_STREAM) $(EVENTS).whole || failed=1; \
	[ -z "$$failed" ] || $(TELL_FAILURES)
	@cat $(EVENTS).parts $(EVENTS).heavy $(EVENTS).whole >$(EVENTS)
endif

.PHONY: trace
trace: ## write docs/traceability.md from the last full test run (runs the tests if there is none)
	@if [ ! -s $(EVENTS) ]; then $(MAKE) test; fi
	@deploy/setup.sh run
	@swift build $(CONFIGURATION) --product trackme
	@/usr/bin/python3 Tests/Bench/evidence.py >$(EVENTS).code
	@$(PROGRAM) trace --register docs/requirements.md --events $(EVENTS) \
	  --measurements docs/benchmarks.json --code $(EVENTS).code --output docs/traceability.md

.PHONY: lint
lint: ## formatting and style (the tidy test does the rest)
	@$(OPEN_MANY); swift format lint --strict --parallel --recursive $(FORMATTED)
	@echo "lint: clean"

.PHONY: format
format: ## rewrite the sources as `make lint` wants them
	@$(OPEN_MANY); swift format --in-place --parallel --recursive $(FORMATTED)

.PHONY: bench
bench: ## compare with nginx and pgbench
	@deploy/setup.sh bench
	@swift build $(CONFIGURATION)
	@Tests/Bench/run

.PHONY: fuzz
fuzz: ## each fuzz target for a minute under libFuzzer
	@deploy/setup.sh test
	@Tests/Fuzz/run

.PHONY: clean
clean: ## remove what was compiled (the state directory stays)
	@rm -rf .build
