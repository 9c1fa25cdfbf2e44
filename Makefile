# The commands of TrackMe; `make help` lists them. They only write to .build and to the state
# directory (TRACKME_STATE, .trackme by default).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

export PATH := $(PATH):/opt/swift/usr/bin
# A list of words to make, so that a space would name two directories.
ifeq ($(MAKELEVEL),0)
ifneq ($(words $(or $(TRACKME_STATE),.trackme)),1)
$(error TRACKME_STATE has a space ("$(TRACKME_STATE)"): choose a directory without one)
endif
endif
export TRACKME_STATE := $(abspath $(or $(TRACKME_STATE),.trackme))

# One configuration for all purposes (docs/decisions/0001-build-and-dependencies.md).
CONFIGURATION := -c release
# No colours, even in a terminal: otherwise a build with redirected output recompiles everything.
CONFIGURATION += --no-color-diagnostics
PROGRAM := .build/release/trackme
LAB := .build/release/trackme-lab
TESTS := .build/release/TrackMePackageTests.xctest
EVENTS := $(TRACKME_STATE)/tests/events.jsonl
# Prints the events that record an issue, or that end a test with issues, as text.
EVENT_TEXT := "text":"(([^"\\]|\\.)*)"
FAILURES := sed -nE \
  -e 's/.*"fileID":"([^"]*)","line":([0-9]+).*"kind":"issueRecorded",/\1:\2 /' \
  -e 's/^([^ {]+ )"messages":\[\{"symbol":"fail",$(EVENT_TEXT)(.*$(EVENT_TEXT))?.*/    \1\2 \5/p' \
  -e '/"kind":"testEnded"/s/.*"symbol":"fail",$(EVENT_TEXT).*/  \1/p'
# Tests that start whole systems block threads while they wait for processes. On few cores they
# would delay the deadlines of other tests, so they run after those.
WHOLE_SYSTEM := Journeys|SupervisorTests
# The journeys through the web pages are a section of their own: the browsers load both cores.
BROWSER := Browser(Run)?Journey
# A regular expression for some of them, such as JOURNEYS='person|account'.
JOURNEYS ?= .*
# Suites that load both cores for a minute run alone, because others would time out next to them.
HEAVY := GroupReleaseJourney|RoomJourney|StreamFaultJourney|HistoryJourney|ReplacementJourney|$\
  SupervisorTests
# Parallel whole-system tests: a higher number is not faster and makes responses late.
ABREAST := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6
# Parallel other tests: without a limit the tested system would miss its deadlines.
SIDE_BY_SIDE := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
SWIFT_TEST := swift test $(CONFIGURATION) --skip-build --disable-xctest
# Shows failures, suites and progress of a section of tests. Its whole output is in a file.
OUTPUT = $(TRACKME_STATE)/tests/output.$(1)
SHOWN = 2>&1 | /usr/bin/python3 Tests/progress.py $(call OUTPUT,$(1))
# A failed journey leaves a picture and the console of each window in this directory.
REPORTS := $(TRACKME_STATE)/tests/browser
BROWSER_TEST = rm -rf $(REPORTS) && $(SWIFT_TEST) --filter '$(BROWSER)/($(JOURNEYS))\(' \
  $(EVENT_STREAM) $(EVENTS).browser $(call SHOWN,browser) || \
  { echo "pictures and consoles: $(REPORTS)"; false; }
# With sudo the owner of the sources compiles, otherwise .build would contain files of root. A bare
# machine or a container has root alone, which compiles itself.
OWNER = $(if $(filter 0,$(shell id -u)),$(filter-out root,$(filter $(SUDO_USER),$\
  $(shell stat -c %U .))))
COMPILE = $(if $(OWNER),sudo -H -u $(OWNER) env "PATH=$$PATH") swift build $(CONFIGURATION)
NODE_TEST := node --experimental-default-type=module --test --test-reporter=dot
EVENT_STREAM := --event-stream-version 0 --event-stream-output-path
TELL_FAILURES = { echo; echo "failures (FILTER=NameOfTheSuite runs single suites):"; \
  $(FAILURES) $(EVENTS).* | sed 's/\\"/"/g; s/\\\//\//g' | cut -c 1-500 || true; \
  echo "the whole output: $(call OUTPUT,*)"; exit 1; }
FORMATTED := Package.swift Sources Tests
# The formatter opens all files at once, and side by side the tests have thousands of sockets: both
# fail at the usual limit of descriptors.
OPEN_MANY := ulimit -S -n "$$(ulimit -H -n)"

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## install missing Debian packages and check the Swift toolchain
	@deploy/setup.sh run

.PHONY: build
build: setup ## compile the services, the operator's tool and the lab
	@[ -x $(PROGRAM) ] || echo "compiling, which takes up to 15 minutes the first time"
	@$(COMPILE)

.PHONY: build-tests
build-tests: setup ## compile the tests too
	@[ -x $(TESTS) ] || echo "compiling with the tests, which takes up to 15 minutes the first time"
	@$(COMPILE) --build-tests

.PHONY: run
run: build ## start everything in the foreground; Ctrl-C stops it
	@exec $(PROGRAM) run

.PHONY: start
start: build ## start everything in the background
	@$(PROGRAM) start

.PHONY: stop
stop: ## stop what `make start` started
	@if [ -x $(PROGRAM) ]; then $(PROGRAM) stop; else echo "nothing was built, so nothing runs"; fi

.PHONY: status
status: ## show the processes and their addresses
	@if [ -x $(PROGRAM) ]; then $(PROGRAM) status; \
	else echo "nothing was built, so nothing runs" >&2; exit 1; fi

.PHONY: test
test: ## run all tests (FILTER=RegularExpression for some; WITHOUT_BROWSER=1)
	@deploy/setup.sh $(if $(WITHOUT_BROWSER),test,browser)
	@$(MAKE) build-tests
	@mkdir -p $(dir $(EVENTS))
ifdef FILTER
	@swift test list $(CONFIGURATION) --skip-build --disable-xctest | \
	  grep -P '$(FILTER)' >/dev/null || { \
	  echo "no test matches FILTER='$(FILTER)': \`swift test list\` prints all" >&2; exit 1; }
	@$(OPEN_MANY); $(ABREAST) $(SWIFT_TEST) --filter '$(FILTER)'
else
	@rm -f $(EVENTS) $(EVENTS).* $(call OUTPUT,*)
	@$(OPEN_MANY); failed=; \
	$(NODE_TEST) Tests/Web/*.test.mjs || failed=1; \
	$(SIDE_BY_SIDE) $(SWIFT_TEST) --skip '$(WHOLE_SYSTEM)' \
	  $(EVENT_STREAM) $(EVENTS).parts $(call SHOWN,parts) || failed=1; \
	$(ABREAST) $(SWIFT_TEST) --filter '$(HEAVY)' \
	  $(EVENT_STREAM) $(EVENTS).heavy $(call SHOWN,heavy) || failed=1; \
	$(ABREAST) $(SWIFT_TEST) --filter '$(WHOLE_SYSTEM)' --skip '$(HEAVY)|$(BROWSER)' \
	  $(EVENT_STREAM) $(EVENTS).whole $(call SHOWN,whole) || failed=1; \
	[ -n "$(WITHOUT_BROWSER)" ] || { $(BROWSER_TEST); } || failed=1; \
	[ -z "$$failed" ] || $(TELL_FAILURES)
	@cat $(EVENTS).parts $(EVENTS).heavy $(EVENTS).whole \
	  $(if $(WITHOUT_BROWSER),,$(EVENTS).browser) >$(EVENTS)
endif

.PHONY: browser
browser: ## run the journeys through the web pages (JOURNEYS=RegularExpression for some)
	@deploy/setup.sh browser
	@$(MAKE) build-tests
	@mkdir -p $(dir $(EVENTS))
	@$(OPEN_MANY); { $(BROWSER_TEST); } || $(TELL_FAILURES)
	@if [ -s $(EVENTS).whole ]; then cat $(EVENTS).{parts,heavy,whole,browser} >$(EVENTS); fi

.PHONY: screenshots
screenshots: ## draw every web page on demo data into the state directory (FILTER=parts of names)
	@deploy/setup.sh browser
	@$(COMPILE)
	@Tests/Browser/screenshots $(TRACKME_STATE) '$(FILTER)'

.PHONY: trace
trace: ## write docs/traceability.md from the last full test run (runs the tests if there is none)
	@if [ ! -s $(EVENTS) ]; then $(MAKE) test; fi
	@deploy/setup.sh run
	@$(COMPILE) --product trackme-lab
	@/usr/bin/python3 Tests/Bench/evidence.py >$(EVENTS).code
	@$(LAB) trace --register docs/requirements.md --events $(EVENTS) \
	  --measurements docs/benchmarks.json --code $(EVENTS).code --output docs/traceability.md

.PHONY: pages
pages: ## write the declarations of the API against which the web pages are checked
	@deploy/setup.sh run
	@$(COMPILE) --product trackme-lab
	@$(LAB) types >Sources/WebApp/Client/types.d.ts.new
	@mv Sources/WebApp/Client/types.d.ts.new Sources/WebApp/Client/types.d.ts

.PHONY: lint
lint: ## check formatting and the web pages' types (the tidy test checks the rest)
	@deploy/setup.sh test
	@tsc --project Sources/WebApp
	@tsc --project Sources/WebApp/tsconfig.worker.json
	@$(OPEN_MANY); swift format lint --strict --parallel --recursive $(FORMATTED)
	@echo "lint: clean"

.PHONY: format
format: ## format the sources for `make lint`
	@$(OPEN_MANY); swift format --in-place --parallel --recursive $(FORMATTED)

.PHONY: bench
bench: ## compare with nginx and pgbench (PARTS=… for some)
	@deploy/setup.sh bench
	@$(COMPILE)
	@Tests/Bench/run $(PARTS)

.PHONY: fuzz
fuzz: ## run each fuzz target for a minute under libFuzzer
	@deploy/setup.sh test
	@Tests/Fuzz/run

# Whether the images have the code of this tree.
IMAGES_CURRENT := { names="$$(deploy/images/names)" && \
  /usr/bin/python3 Tests/Bench/evidence.py images $$names; }

.PHONY: images
images: build ## build the container images of the services and the operator's tool, as root
	@deploy/setup.sh deploy
	@deploy/images/build services local

.PHONY: deploy-local
deploy-local: ## start all containers, networks and firewalls on this machine, as root
	@deploy/setup.sh deploy
	@$(IMAGES_CURRENT) || $(MAKE) images
	@deploy/local/up

.PHONY: deploy-down
deploy-down: ## end what `make deploy-local` started, and remove its data
	@deploy/local/down

.PHONY: test-deployment
test-deployment: ## start all containers, try them, losses and a restore (PARTS=… for some), as root
	@deploy/setup.sh deploy
	@$(IMAGES_CURRENT) || $(MAKE) images
	@Tests/Deployment/run $(PARTS)

.PHONY: test-replacement
test-replacement: build ## replace every process under load, 20 times (ROUNDS=number)
	@/usr/bin/python3 Tests/Deployment/replacement.py $(or $(ROUNDS),20)

.PHONY: test-restore
test-restore: build ## back up two databases and restore them to a point in time, without containers
	@deploy/setup.sh deploy
	@/usr/bin/python3 Tests/Deployment/backup_rules.py
	@/usr/bin/python3 Tests/Deployment/restore.py

.PHONY: test-monitoring
test-monitoring: ## check alerts, dashboards and units, and try them beside a local system
	@deploy/setup.sh deploy
	@$(COMPILE)
	@/usr/bin/python3 Tests/Deployment/units.py
	@/usr/bin/python3 Tests/Deployment/monitoring.py rules names local

.PHONY: drills
drills: ## start all containers, try every loss and change under load for two hours, as root
	@deploy/setup.sh deploy
	@$(IMAGES_CURRENT) || $(MAKE) images
	@Tests/Deployment/run every-drill

.PHONY: compare-images
compare-images: build ## build the container images twice and compare their files, as root
	@deploy/setup.sh deploy
	@deploy/images/compare

.PHONY: clean
clean: ## remove compiled files (keeps the state directory)
	@rm -rf .build
