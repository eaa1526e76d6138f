# Everything that is done to this project, by name. `make help` lists it.
# Nothing but Go, git and make is needed; what else a target wants it builds from the Go module proxy.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Nested modules by what they are for. None is seen by ./... of the root.
UPSTREAM := generator/internal/check/upstream
PEERS    := $(sort $(dir $(wildcard hack/peers/*/go.mod)))
EXAMPLES := $(sort $(dir $(shell git ls-files 'examples/**/go.mod')))
SUITE    := integration
# Integration tests of examples, which make test-integration runs.
ASKING   := $(sort $(dir $(wildcard examples/*/test/webhook/go.mod)))
# The race detector sees nothing in the tests of these modules: they send one request after another, or to a program
# that they build without it. Both import all of client-go.
UNRACED := examples/kubebuilder/ examples/orders/cmd/manager/
RUNTIME  := runtime
# Modules below the runtime that import more than it.
ADAPTERS := runtime/controllerruntime runtime/program
DELIVERY := hack/delivery
RELEASE  := hack/release
FUZZTIME ?= 5s
MODULES  := $(sort $(patsubst %/,%,$(dir $(shell git ls-files 'go.mod' '*/go.mod'))))
# -race has the quick tests of this module and of the examples run with the race detector, as in .ci/run.
RACE ?=
# A module that users import is tested with the oldest Go and k8s.io/* that its go.mod names; hack/peers/floor has newer ones.
AT_FLOOR = GOGC=100 GOTOOLCHAIN=go$$(sed -n 's/^go //p' go.mod)
# Tests of admission policies run it.
export WEBHOOK_GEN := $(CURDIR)/bin/webhook-gen
# Tests that need a machine without other work. make test-promises and make bench run them, make test-peers does not.
TIMED    := ^(TestFaster|TestRunTime)$$

say = @printf '\n==> %s\n' "$(1)"

# Compilers, API servers and most tests end soon, and collect garbage less often. Tests that measure memory have Go's
# default, 100: those of the runtime (AT_FLOOR) and of other targets.
verify compile test-unit test-examples test-upstream test-integration test-explain test-delivery test-oldest test-mutation \
$(addprefix test-peer-,clusterapi controllergen conversion karpenter kubernetes lines manifests modules): export GOGC = 400

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/webhook-gen
	go build -o bin/webhook-gen ./cmd/webhook-gen

.PHONY: test
test: test-unit test-examples test-upstream test-integration test-explain ## every test but those of new projects and the comparisons with peers

.PHONY: test-short
test-short: ## unit tests of this module that need no go command, in seconds
	go test -count=1 -short ./...

.PHONY: test-unit
test-unit: ## the quick ones: unit tests and scenarios
	$(call say,unit tests and scenarios)
	go test $(RACE) $$(go list ./... | grep -v /generator/compile$$)
	go test -timeout 30m ./generator/compile # runs other programs, which the race detector does not see
	cd $(RUNTIME) && $(AT_FLOOR) go test $$(go list ./... | grep -v /server$$)
	@for m in $(ADAPTERS); do (cd "$$m" && $(AT_FLOOR) go test ./...) || exit 1; done
	cd $(RUNTIME) && $(AT_FLOOR) go test ./server # alone, because it compares times

# hack/peers/floor runs the runtime's tests with the race detector.
.PHONY: test-race
test-race: ## the quick ones of this module and the examples, with the race detector
	@$(MAKE) --no-print-directory test-unit test-examples RACE=-race

.PHONY: test-examples
test-examples: build ## examples are up to date, clean and behave
	@for e in $(EXAMPLES); do \
		printf '\n==> %s\n' "$$e"; \
		(cd "$$e" && $(CURDIR)/bin/webhook-gen verify --strict && $(CURDIR)/bin/webhook-gen lint && go vet ./...); \
	done
	@for e in $(filter-out $(ASKING),$(EXAMPLES)); do \
		printf '\n==> tests of %s\n' "$$e"; \
		race='$(RACE)'; case ' $(UNRACED) ' in *" $$e "*) race= ;; esac; \
		(cd "$$e" && go test -vet=off $$race ./...); \
	done

.PHONY: test-upstream
test-upstream: ## our rules against k8s.io/kubernetes' own validation
	$(call say,rules against upstream validation (the first build takes some minutes))
	cd $(UPSTREAM) && go vet ./... && go test -count=1 ./...

.PHONY: test-integration
test-integration: ## webhooks and conversions under a real API server
	$(call say,webhooks and conversions under a real API server (its first build takes some minutes))
	@assets=$$(hack/envtest.sh); export KUBEBUILDER_ASSETS=$$assets; \
	(cd $(SUITE) && go test -count=1 . ./examples); \
	for m in $(ASKING); do (cd $$m && go test -count=1 ./...); done

.PHONY: test-explain
test-explain: ## what explain and lint say of requests and configurations, beside what an API server does
	$(call say,what explain and lint say beside what an API server does)
	@assets=$$(hack/envtest.sh); cd $(SUITE) && KUBEBUILDER_ASSETS=$$assets go test -count=1 ./explain ./lint

.PHONY: test-delivery
test-delivery: ## new projects, and what they bring into a cluster, under helm, kustomize and a real API server
	$(call say,new projects and what they bring into a cluster (the first build takes some minutes))
	@assets=$$(hack/envtest.sh); cd $(DELIVERY) && KUBEBUILDER_ASSETS=$$assets go test -count=1 -timeout 45m ./...

.PHONY: test-mutation
test-mutation: ## faults seeded into the examples' generated code and the runtime, each of which a test finds
	$(call say,seeded faults)
	cd hack/mutation && go test -count=1 -timeout 30m ./...

.PHONY: test-oldest
test-oldest: ## the integration tests on the oldest API server
	$(call say,the oldest API server (its first build takes some minutes))
	@assets=$$(hack/envtest.sh oldest); cd $(SUITE) && KUBEBUILDER_ASSETS=$$assets go test -count=1 ./...

.PHONY: test-peers
test-peers: test-mutation test-oldest $(addprefix test-peer-,$(PEERS:hack/peers/%/=%)) ## seeded faults, comparisons with controller-gen, controller-runtime, cert-manager and other real modules, and an older API server

test-peer-%:
	$(call say,hack/peers/$* (the first build and download take some minutes))
	cd hack/peers/$* && go vet ./... && go test -count=1 -timeout 90m -skip '$(TIMED)' $$(go list ./... | grep -v /attacks$$)

.PHONY: test-ports
test-ports: test-peer-conversion test-peer-clusterapi test-peer-karpenter test-peer-kubernetes test-peer-lines test-peer-modules test-peer-ports ## conversions of real APIs, and how the compiler and webhook-gen read the types of modules

.PHONY: ports
ports: ## lines by hand of each port of a real API's conversions: markers, hooks, and those of the original
	@cd hack/peers/lines && go run .

# With ATTACKTIME, a duration, random tests take that time with fresh seeds; ATTACKSEED repeats one seed.
.PHONY: test-attacks
test-attacks: test-attacks-peer ## what hostile users and clients send, beside controller-runtime and the API server's patches; ATTACKTIME=10m for longer
	cd $(RUNTIME) && $(AT_FLOOR) go test -p 1 -count=1 -run 'Hostile|Forged|Undecodable|Panic|TooLarge|LongQuantity|NestedLists|Slow|Dripping|Memory' ./...
	cd $(RUNTIME) && $(AT_FLOOR) go test -count=1 -run '^TestGrowth$$' ./admission -growthto 4194304

.PHONY: test-attacks-peer
test-attacks-peer: # the attacks that make test does not run
	$(call say,attacks on the runtime and its peer)
	cd hack/peers/controllerruntime && go test -count=1 -timeout 12h ./attacks

.PHONY: test-promises
test-promises: ## times that hack/peers/figures.md promises, on a machine without other work
	$(call say,lint beside generate)
	go test -count=1 -run '^$$' -bench '^BenchmarkLintRatio$$' -benchtime 5x ./generator
	$(call say,policies in a project without expressions)
	go test -count=1 -run '^$$' -bench '^BenchmarkPolicyShare$$' -benchtime 8x ./generator/command
	$(call say,the price of a match condition)
	go test -count=1 -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 100x ./explain/internal/condition
	$(call say,the price of an expression of a policy and generating 1000 policies)
	go test -count=1 -run '^$$' -bench '^BenchmarkExpression$$' -benchtime 100x ./explain/internal/policy
	go test -count=1 -run '^$$' -bench '^BenchmarkThousandPolicies$$' -benchtime 2x ./generator/command
	$(call say,generating conversions beside conversion-gen)
	cd hack/peers/conversion && go test -count=1 -run '^TestFaster$$' -v ./...

# A step finds most packages compiled if this runs beside the steps before it, whose tests wait for servers and clients.
.PHONY: compile
compile: ## compile the packages and the oldest API server that the steps of .ci/run need, in their order
	for m in $(SUITE) $(DELIVERY) hack/mutation $(filter-out hack/peers/ports/,$(PEERS)); do go -C "$$m" list -tags dependencies -export -test -deps ./... >/dev/null; done
	hack/envtest.sh oldest

.PHONY: envtest
envtest: ## build kube-apiserver and etcd, unless they are there, and print their folder
	@hack/envtest.sh

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (5s)
	@for m in . $(RUNTIME) hack/peers/controllerruntime; do \
		(cd $$m && go list ./... | while read -r p; do \
			for f in $$(go test -list '^Fuzz' "$$p" | grep '^Fuzz' || true); do \
				printf '\n==> %s %s for $(FUZZTIME)\n' "$$p" "$$f"; \
				go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$p"; \
			done; \
		done); \
	done

.PHONY: bench
bench: test-promises ## time and memory beside the peers', in one run, as ratios
	$(call say,converting beside cert-manager)
	cd hack/peers/conversion && go test -count=1 -run '^TestRunTime$$' -v ./...
	$(call say,converting beside controller-runtime)
	cd hack/peers/conversionreview && go test -count=1 -timeout 30m -run '^TestBeside$$' -v ./...
	$(call say,generating beside controller-gen)
	cd hack/peers/controllergen && go test -count=1 -timeout 30m -run '^TestRatio' -v ./...
	$(call say,serving beside controller-runtime)
	cd hack/peers/controllerruntime && go test -count=1 -run '^$$' -bench 'Ratio|Growth|Modes' ./...

.PHONY: figures
figures: ## what hack/peers/figures.md says of this tree and of its tests
	@echo "production Go of root and explain, neither blank nor comment: $$(git ls-files '*.go' | grep -v -E '_test\.go$$|(^|/)testdata/|zz_generated|^(examples|integration|hack|runtime|templates)/' | xargs cat | grep -cvE '^\s*(//.*)?$$')"
	@echo "lines in generated files of the tree: $$(git ls-files '*zz_generated*' | xargs cat | wc -l)"
	@go test -count=1 -run '^TestCommittedLines$$' -v ./generator | sed -n 's/^ *[a-z_]*test.go:[0-9]*: //p'
	@go test -run '^$$' ./... >/dev/null # compiles them
	@begin=$$(date +%s); go test -count=1 -short ./... >/dev/null; echo "short tests, compiled: $$(($$(date +%s) - begin)) s"
	@echo "all of .ci/run, from an empty build cache: GOCACHE=\$$(mktemp -d) ENVTEST_ASSETS_ROOT=\$$(mktemp -d) .ci/run"

# svg-term is npm's, and draws with the fonts of the reader. By the sum after the picture, TestRecording finds a stale one.
.PHONY: recording
recording: ## record the first minutes for README.md anew, and draw them
	cd $(DELIVERY) && go test -count=1 -run '^TestRecording$$' . -update
	npx --yes svg-term-cli@2.1.1 --in docs/drawings/minutes.cast --out docs/drawings/minutes.svg --window --no-cursor
	printf '\n<!-- %s -->\n' "$$(sha256sum <docs/drawings/minutes.cast | cut -d' ' -f1)" >>docs/drawings/minutes.svg

.PHONY: generate
generate: ## regenerate the API listing, examples, goldens and the tables in docs/
	go run ./hack/drawings
	go -C $(RELEASE) test ./api -update
	@$(MAKE) --no-print-directory build
	@for e in $(EXAMPLES) $(SUITE); do (cd "$$e" && $(CURDIR)/bin/webhook-gen); done
	go test ./generator ./generator/command -update
	go test ./generator/compile -run '^(TestCookbookPage|TestFailures)$$' -update

.PHONY: align
align: ## give all modules the same versions of shared dependencies, which are then compiled once
	hack/align.sh

.PHONY: verify
verify: ## modules are tidy, code is formatted, examples and docs are fresh, prose is plain
	$(call say,gofmt, go vet, go mod tidy)
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt-ed: $$bad"; exit 1; fi
	hack/align.sh --check
	go run ./hack/prose
	go vet ./...
	@for m in $(SUITE) $(DELIVERY) $(RELEASE) hack/mutation; do go -C "$$m" vet ./...; done
	go -C hack/peers/controllerruntime vet github.com/webhook-gen/webhook-gen/runtime/... # and the modules below it
	printf '%s\n' $(MODULES) | xargs -P 2 -I MODULE go -C MODULE mod tidy -diff
	go test ./templates
	go -C $(RELEASE) test ./...
	@$(MAKE) --no-print-directory build
	@for e in $(EXAMPLES) $(SUITE); do (cd "$$e" && $(CURDIR)/bin/webhook-gen verify --strict); done

.PHONY: prose
prose: ## how comments and pages are written: sentences, and lines of 120 columns
	go run ./hack/prose

.PHONY: lint
lint: prose ## golangci-lint on every module, built from the module proxy, and prose
	go -C hack/tools build -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@for m in $(MODULES); do printf '\n==> %s\n' "$$m"; (cd "$$m" && $(CURDIR)/bin/golangci-lint run ./...); done

.PHONY: release
release: ## check that the tree can be released as VERSION (v0.1.0), and print the commands; DRY_RUN=1 checks alone
	go -C $(RELEASE) run . -version '$(VERSION)' $(if $(DRY_RUN),-dry-run)

.PHONY: clean
clean: ## remove what the targets build
	rm -rf bin
