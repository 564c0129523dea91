# All that is done with this repository by hand or by a machine. It needs Go and make; `e2e`, `bench`
# and `release-test` also need node and npm, `release` needs git, and `windows` needs Wine. Tools come from the
# Go module proxy, pinned, into .cache/bin.

GOLANGCI_LINT := .cache/bin/golangci-lint-v2.15.0
# v1.8.0: v1.9.0 requires a golang.org/x/telemetry that not every module proxy serves.
GOVULNCHECK := .cache/bin/govulncheck-v1.8.0
# v2.44.0: later versions require modules that not every module proxy serves.
NFPM := .cache/bin/nfpm-v2.44.0
GOTESTSUM := .cache/bin/gotestsum-v1.13.0

# As wsi is released. Programs without C also start faster, and tests start them a thousand times.
export CGO_ENABLED := 0

# One line for each package as it ends, and at the end what failed. A busy machine needs more than Go's 10 minutes a package.
GOTEST := $(GOTESTSUM) --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary skipped -- -timeout 30m

override PREFIX := $(or $(PREFIX),$(HOME)/.local)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
FUZZTIME ?= 20s
EXE := $(if $(filter Windows_NT,$(OS)),.exe)

# $(call patient,WHAT,COMMAND) runs a command, and says every ten seconds that it still runs.
patient = { s=0; while sleep 10 >/dev/null 2>&1; do s=$$((s + 10)); echo "$(1), $$s s so far" >&2; done; } & says=$$!; \
	$(2); ended=$$?; kill $$says 2>/dev/null; exit $$ended

.PHONY: help
help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## compile bin/wsi
	@$(call patient,compiling wsi,go build -trimpath -ldflags '-s -w' -o bin/wsi$(EXE) ./cmd/wsi)

.PHONY: install
install: build ## put wsi into PREFIX/bin (default ~/.local/bin), and its manual pages into PREFIX/share/man
	@mkdir -p '$(PREFIX)/bin' '$(PREFIX)/share/man/man1'
	@cp bin/wsi$(EXE) '$(PREFIX)/bin/.wsi.new' && mv -f '$(PREFIX)/bin/.wsi.new' '$(PREFIX)/bin/wsi$(EXE)'
	@echo "installed $(PREFIX)/bin/wsi$(EXE)"
	@$(call patient,writing the manual pages,made=$$(mktemp -d) && go run -tags manual ./cmd/wsi manual "$$made" && \
		cp "$$made"/man/man1/*.1 '$(PREFIX)/share/man/man1' && rm -rf "$$made")
	@case ":$$PATH:" in \
	*':$(PREFIX)/bin:'*) echo 'next: wsi setup' ;; \
	*) echo 'next: export PATH="$(PREFIX)/bin:$$PATH" (also in the profile of your shell), then wsi setup' ;; \
	esac

.PHONY: uninstall
uninstall: ## delete what install has put there; wsi remove undoes what setup has changed, and must be first
	rm -f '$(PREFIX)/bin/wsi$(EXE)' '$(PREFIX)'/share/man/man1/wsi.1 '$(PREFIX)'/share/man/man1/wsi-*.1

.PHONY: screens
screens: ## the pictures in docs/screens and the recording in README.md, made by wsi itself in a terminal
	go run ./internal/dev/screenshots

.PHONY: docs
docs: ## the tables of the documents that list harnesses, and the list of the command lines that setup registers
	go test ./cmd/wsi -run 'TestTables|TestWireNamesOfRegistrations' -update

.PHONY: try
try: ## see wsi at work in a throw-away home; no harness needed, nothing of yours is touched
	@$(call patient,compiling,go build -o .cache/demo ./internal/dev/demo && GOFLAGS=-buildvcs=false go build -trimpath -ldflags '-s -w' -o .cache/wsi ./cmd/wsi)
	@.cache/demo

.PHONY: test
test: $(GOTESTSUM) ## the Go tests that take minutes, not more: what to run after each change
	@$(GOTEST) -short ./...

.PHONY: test-all
test-all: $(GOTESTSUM) ## all Go tests, also the exhaustive ones: every kill, every fault, hostile clones, screens, growth
	@$(GOTEST) ./...

# What a user's settings could hide: variables, a locale, a terminal, Go's settings. Only the caches stay where they are, so
# that nothing is loaded or compiled twice.
.PHONY: test-clean
test-clean: ## the tests as in a new clone: a new home, no variables, Go's own settings
	@set -e; home=$$(mktemp -d); trap 'rm -rf "$$home"' EXIT; \
	mkdir "$$home/tmp"; \
	env -i HOME="$$home" TMPDIR="$$home/tmp" PATH="$$PATH" GOENV=off GOPROXY="$$(go env GOPROXY)" \
		GOCACHE="$$(go env GOCACHE)" GOMODCACHE="$$(go env GOMODCACHE)" $(MAKE) --no-print-directory test

.PHONY: ci
ci: check try e2e-short install-test ## what must be green before a push: twenty minutes on two cores

.PHONY: ci-full
ci-full: check race vet-all try e2e release-test bench ## everything that must be green before a release

.PHONY: check
check: format lint vet tidy tests cross vuln ## format, lint, vet, tidy, tests, six platforms, vulnerabilities

.PHONY: e2e
e2e: ## ten real harnesses, MCP servers and the conformance suite from npm, against a model on loopback
	go test -C doctor/live -tags e2e -count=1 -timeout 40m
	go test -tags e2e -count=1 -timeout 20m -run NPM ./relay

# The workflow-server of today, and one with tokens.
.PHONY: e2e-short
e2e-short: ## one conversation of each kind in each of the ten real harnesses
	go test -C doctor/live -tags e2e -count=1 -timeout 20m -run 'TestMeta|TestHarnesses/./carry'

.PHONY: release
release: $(NFPM) ## archives and packages of all platforms into dist/: a snapshot, or with PUBLISH=1 the release (CONTRIBUTING.md)
	go run ./internal/dev/release -nfpm $(NFPM) $(if $(PUBLISH),-publish -homepage '$(HOMEPAGE)' -downloads '$(DOWNLOADS)' -npm '$(NPM)' -maintainer '$(MAINTAINER)')

.PHONY: release-test
release-test: $(NFPM) ## install, upgrade and remove each package; two builds must be the same
	NFPM=$(CURDIR)/$(NFPM) go test -tags release -count=1 -timeout 30m -v ./internal/dev/release

.PHONY: install-test
install-test: $(NFPM) ## install, upgrade and remove the archive of this platform
	NFPM=$(CURDIR)/$(NFPM) go test -tags release -count=1 -timeout 20m -run 'TestArchive$$' ./internal/dev/release

.PHONY: e2e-newest
e2e-newest: ## the same with the newest version of each harness on npm, and what differs from the pinned one
	go test -tags e2e -count=1 -timeout 60m -v ./doctor/live -newest

.PHONY: upstream
upstream: ## what npm says of each tested harness: its newest version, a notice if it has a new name, an error if it is gone; runs none
	@for dir in doctor/live/testdata/npm/*; do \
		for package in $$(node -p "Object.keys(require('./$$dir/package.json').dependencies).join(' ')"); do \
			echo "tested: $$(basename "$$dir"); npm has: $$(npm view "$$package" name version deprecated --json 2>/dev/null | tr -d '\n')"; \
		done; \
	done

.PHONY: bench
bench: ## what a hook call costs, next to a bare Go program and Node
	go run ./internal/dev/bench
	@echo; echo "from wsi setup to a proven round trip, four harnesses"; go test -run '^$$' -bench Setup -benchtime 3x ./cmd/wsi | grep ns/op
	@echo; echo "wsi doctor, four harnesses"; go test -run '^$$' -bench Doctor -benchtime 11x ./doctor | grep median

.PHONY: bench-relay
bench-relay: ## what wsi relay costs: the tables of docs/measurements.md, in some minutes
	go test -tags e2e -timeout 30m -run '^$$' -bench Costs -benchtime 1x ./relay

.PHONY: windows
windows: $(GOTESTSUM) ## the tests as a Windows program, in Wine; QUICK=1 leaves out slow packages and tests
	go run ./internal/dev/windows -gotestsum $(GOTESTSUM) $(if $(QUICK),-quick)

STEPS ?= 100000
.PHONY: simulate
simulate: ## random schedules of sessions and agents through real hook processes, STEPS of them (default 100000)
	go run ./internal/dev/simulate -steps $(STEPS)

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## format the source
	$(GOLANGCI_LINT) fmt

.PHONY: fuzz
fuzz: ## every fuzz test for FUZZTIME (default 20s)
	@set -e; for pkg in $$(go list ./...); do \
		for name in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

# What check is made of.

.PHONY: format
format: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) fmt --diff

.PHONY: lint
lint: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) run --allow-parallel-runners --build-tags e2e,manual,release ./...

.PHONY: vet
vet:
	go vet -tags e2e,manual,release ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

.PHONY: tidy
tidy:
	go mod tidy -diff

# The packages that start goroutines; internal/archtest holds the list. In SLOW the detector takes ten minutes, so there it
# watches only what -short leaves.
RACE := cmd/wsi doctor doctor/console doctor/live hook/vault installer/files installer/wizard internal/stdiorpc internal/testkit/terminal internal/tui relay relay/remote
SLOW := cmd/wsi doctor
DETECTED = $(addprefix ./,$(filter-out $(SLOW),$(RACE)))
OTHERS = $(filter-out $(addprefix wsi/,$(filter-out $(SLOW),$(RACE))),$(shell go list ./...))

# The race detector needs a C compiler; where there is none the tests run without it, and say so.
.PHONY: tests
tests: $(GOTESTSUM)
	@$(GOTEST) $(OTHERS)
	@if [ "$$(go env GOOS)" = darwin ] || command -v "$$(go env CC)" >/dev/null; then \
		echo 'go test -race, packages with goroutines'; export CGO_ENABLED=1; \
		$(GOTEST) -race $(DETECTED) && $(GOTEST) -race -short $(addprefix ./,$(SLOW)); \
	else \
		echo 'check: NO RACE DETECTOR: it needs a C compiler, and there is none'; $(GOTEST) $(DETECTED); \
	fi

.PHONY: race
race: ## the tests of the packages with goroutines, all of them with the race detector
	CGO_ENABLED=1 go test -race -timeout 30m $(addprefix ./,$(RACE))

.PHONY: cross
cross:
	@set -e; for p in $(PLATFORMS); do \
		echo "build $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} go build -trimpath -o /dev/null ./cmd/wsi; \
	done

.PHONY: vet-all
vet-all:
	@set -e; for p in $(PLATFORMS); do \
		echo "vet $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} go vet ./...; \
	done

.PHONY: vuln
vuln: $(GOVULNCHECK)
	@out=$$($(GOVULNCHECK) ./... 2>&1) && { echo "$$out"; exit 0; }; \
	echo "$$out"; \
	case "$$out" in \
	*'fetching vulnerabilities'*dial*) \
		[ -z "$(STRICT)" ] || exit 1; \
		echo 'check: VULNERABILITIES NOT CHECKED: vuln.go.dev cannot be reached from here' ;; \
	*) exit 1 ;; \
	esac

.cache/bin/golangci-lint-%:
	@mkdir -p .cache/bin
	GOBIN=$(CURDIR)/.cache/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$*
	@mv .cache/bin/golangci-lint$(EXE) $@

.cache/bin/govulncheck-%:
	@mkdir -p .cache/bin
	GOBIN=$(CURDIR)/.cache/bin go install golang.org/x/vuln/cmd/govulncheck@$*
	@mv .cache/bin/govulncheck$(EXE) $@

.cache/bin/gotestsum-%:
	@mkdir -p .cache/bin
	GOBIN=$(CURDIR)/.cache/bin go install gotest.tools/gotestsum@$*
	@mv .cache/bin/gotestsum$(EXE) $@

.cache/bin/nfpm-%:
	@mkdir -p .cache/bin
	GOBIN=$(CURDIR)/.cache/bin go install github.com/goreleaser/nfpm/v2/cmd/nfpm@$*
	@mv .cache/bin/nfpm$(EXE) $@
