# Everything that is done to this project, by name. `make help` lists it.
# Nothing but Go, git and make is needed; what else a target wants it builds from the Go module proxy.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Nested modules by what they are for. None is seen by ./... of the root.
UPSTREAM := generator/internal/check/upstream
EXAMPLES := $(dir $(sort $(wildcard examples/*/go.mod examples/*/*/*/go.mod)))
SUITE    := integration
# Integration tests of examples, which test-cluster runs.
ASKING   := $(filter %/test/webhook/,$(EXAMPLES))
RUNTIME  := runtime
# Modules below the runtime that import more than it.
ADAPTERS := runtime/controllerruntime runtime/program runtime/integrationtest
DELIVERY := hack/delivery
RELEASE  := hack/release
FUZZTIME ?= 5s
MODULES  := $(patsubst ./%,%,$(patsubst %/,%,$(dir $(sort $(shell find . -name go.mod -not -path '*/testdata/*')))))
ifeq ($(EXAMPLES),)
$(error there are no examples: run make in the root of the repository)
endif
# Seeded faults take minutes: test-mutation runs them, not test-unit.
UNIT      = $$(go list ./... | grep -v /hack/mutation$$)
# A module that users import is tested with the oldest Go and k8s.io/* that its go.mod names, too.
AT_FLOOR  = GOTOOLCHAIN=go$$(sed -n 's/^go //p' go.mod)
# Tests that compile or analyse all dependencies again, long random walks, and what other tests imply in most cases.
# hack/hermetic.sh runs those of generator/compile, and test-builds the other one.
SLOW      := ^(TestOriginOfBuilds|TestWalk|TestHints|TestVet)$$
# verify runs go vet with all its checks. go test has some of them, and analyses all dependencies for them.
TEST     := go test -vet=off
# Tests that need a machine without other work. make test-promises and make bench run them, make test-peers does not.
TIMED    := ^(TestFaster|TestRunTime)$$

# A go.work above the clone is another project's.
export GOWORK := off
# Tests of admission policies run it.
export WEBHOOK_GEN := $(CURDIR)/bin/webhook-gen
# Compilers, API servers and most tests end soon, and collect garbage less often. Tests of the runtime measure memory,
# and have Go's default.
export GOGC := 400
test-runtime test-floor test-attacks test-attacks-peer test-promises bench: export GOGC := 100

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/webhook-gen
	go build -o bin/webhook-gen ./cmd/webhook-gen

.PHONY: demo
demo: ## make a project in FOLDER (default: a temporary one), test it, start it, and send it three requests
	@go run ./hack/demo $(if $(FOLDER),'$(FOLDER)')

# What a contributor waits for, and the rest. A step of either prints one line, or all of its output if it fails.
STEPS := test-unit test-runtime test-examples test-upstream test-integration
REST  := test-delivery test-peers test-peer-controllerruntime test-oldest test-floor test-race test-platforms test-cluster \
	test-mutation test-enforcement test-builds test-peer-modules test-peer-karpenter test-attacks-peer test-worlds \
	test-release

.PHONY: test
test: $(addprefix step-,$(STEPS)) ## unit tests, scenarios, generated code, examples, upstream validation, and a real API server

.PHONY: test-all
test-all: $(addprefix step-,$(REST)) ## the tests that make test leaves out; make -j2 --output-sync test-all runs two at once

step-%:
	@hack/step.sh 'make $*' $(MAKE) --no-print-directory $*

.PHONY: test-short
test-short: ## unit tests of this module that need no go command, in seconds
	$(TEST) -count=1 -short ./...

.PHONY: test-unit
test-unit: build ## unit tests, scenarios and compiled generated code
	$(TEST) -timeout 30m -skip '$(SLOW)' $(UNIT)
	cd controlplane && $(TEST) ./...

.PHONY: test-builds
test-builds: ## the program, built in other ways
	$(TEST) -timeout 30m -run '$(SLOW)' ./generator/command

# The tests of the server are alone, because they compare times.
.PHONY: test-runtime
test-runtime: ## the runtime, with the newest k8s.io/*; test-floor has the oldest
	cd $(SUITE) && $(TEST) $$(go list github.com/webhook-gen/webhook-gen/runtime/... | grep -v /server$$)
	cd $(SUITE) && $(TEST) github.com/webhook-gen/webhook-gen/runtime/server

.PHONY: test-examples
test-examples: build ## examples are up to date, clean and behave
	cd $(SUITE) && "$$WEBHOOK_GEN" verify --strict
	@for e in $(filter-out $(ASKING),$(EXAMPLES)); do \
		echo "==> $$e"; \
		(cd "$$e" && "$$WEBHOOK_GEN" verify --strict && "$$WEBHOOK_GEN" lint && $(TEST) ./...); \
	done

.PHONY: test-upstream
test-upstream: ## our rules against k8s.io/kubernetes' own validation
	cd $(UPSTREAM) && $(TEST) ./...

.PHONY: test-enforcement
test-enforcement: ## random edits and commands on a project, and whether a loss of enforcement is ever silent, for 60 s
	ENFORCEMENTTIME=60s go test -count=1 -run TestEnforcementNeverGoesSilently ./generator/command

.PHONY: test-integration
test-integration: ## webhooks, conversions and some random policies under a real API server, which KUBEBUILDER_ASSETS names or the target builds
	@export KUBEBUILDER_ASSETS; KUBEBUILDER_ASSETS=$$(hack/envtest.sh); cd $(SUITE) && $(TEST) . && $(TEST) -short -run '^TestRandomPolicies$$' ./explain

.PHONY: test-cluster
test-cluster: ## examples, explain and lint beside what a real API server does
	@export KUBEBUILDER_ASSETS; KUBEBUILDER_ASSETS=$$(hack/envtest.sh); \
	(cd $(SUITE) && $(TEST) -count=1 ./examples ./explain ./lint); \
	for m in $(ASKING); do (cd $$m && $(TEST) -count=1 ./...); done

.PHONY: test-race
test-race: ## the short tests, with the race detector; hack/peers/floor has the runtime
	$(TEST) -race -short $(UNIT)

.PHONY: test-floor
test-floor: ## the runtime and its adapters, with the oldest Go and k8s.io/* of their go.mod, and with the next Go
	@for m in $(RUNTIME) $(ADAPTERS); do (cd $$m && $(AT_FLOOR) $(TEST) -p 1 ./...) || exit 1; done
	cd hack/peers && $(TEST) -count=1 -timeout 30m ./floor

.PHONY: test-platforms
test-platforms: ## the programs for Windows and macOS, and go vet of this module there
	for system in windows darwin; do GOOS=$$system go build -o /dev/null ./cmd/... && GOOS=$$system go vet ./... || exit 1; done

.PHONY: test-delivery
test-delivery: ## new projects, and what they bring into a cluster, under helm, kustomize and a real API server
	@assets=$$(hack/envtest.sh); cd $(DELIVERY) && KUBEBUILDER_ASSETS=$$assets $(TEST) -count=1 -timeout 45m ./...

.PHONY: test-mutation
test-mutation: ## faults seeded into the examples' generated code and the runtime, each of which a test finds
	$(TEST) -count=1 -timeout 60m ./hack/mutation

.PHONY: test-release
test-release: ## the tree can be released: its modules, its API listing, its changelog
	cd $(RELEASE) && $(TEST) ./...

.PHONY: test-oldest
test-oldest: ## the integration tests on the oldest API server
	@assets=$$(hack/envtest.sh oldest); cd $(SUITE) && KUBEBUILDER_ASSETS=$$assets $(TEST) -count=1 ./...

# hack/peers/ports sends more than a million reviews: test-ports runs it. hack/peers/floor is test-floor's.
.PHONY: test-peers
test-peers: ## comparisons with controller-gen, conversion-gen, cluster-api, cert-manager and other real modules
	cd hack/peers && $(TEST) -count=1 -timeout 90m -skip '$(TIMED)' $$(go list ./... | grep -vE '/(ports|floor)$$')

# Peers with versions of their own, which are modules of their own.
test-peer-%:
	cd hack/peers/$* && $(TEST) -count=1 -timeout 90m $$(go list ./... | grep -vE '/(attacks|worlds)$$')

.PHONY: test-ports
test-ports: test-peer-karpenter test-peer-modules ## conversions of real APIs, and how the compiler and webhook-gen read the types of modules
	cd hack/peers && $(TEST) -count=1 -timeout 90m -skip '$(TIMED)' ./clusterapi ./conversion ./kubernetes ./lines ./ports

.PHONY: ports
ports: ## lines by hand of each port of a real API's conversions: markers, hooks, and those of the original
	@cd hack/peers/lines && go run .

# With ATTACKTIME, a duration, random tests take that time with fresh seeds; ATTACKSEED repeats one seed.
.PHONY: test-attacks
test-attacks: test-attacks-peer ## what hostile users and clients send, beside controller-runtime and the API server's patches; ATTACKTIME=10m for longer
	cd $(RUNTIME) && $(AT_FLOOR) $(TEST) -count=1 -run '^TestGrowth$$' ./admission ./conversion -growthto 4194304

.PHONY: test-attacks-peer
test-attacks-peer: # the attacks that make test does not run
	cd hack/peers/controllerruntime && $(TEST) -count=1 -timeout 12h ./attacks

# With WORLDTIME, a duration, the test takes that time with fresh seeds; WORLDSEED sets the first of them.
.PHONY: test-worlds
test-worlds: build ## conversions of invented APIs under the API server's own code; WORLDTIME=30m for longer
	cd hack/peers/controllerruntime && $(TEST) -count=1 -timeout 12h ./worlds

.PHONY: test-promises
test-promises: ## times that hack/peers/figures.md promises, on a machine without other work
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkLintRatio$$' -benchtime 5x ./generator
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkPolicyShare$$' -benchtime 8x ./generator/command
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkCheck$$' -benchtime 100x ./explain/internal/condition
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkExpression$$' -benchtime 100x ./explain/internal/policy
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkVersion$$' -benchtime 20x ./generator/command
	$(TEST) -count=1 -run '^$$' -bench '^BenchmarkThousandPolicies$$' -benchtime 2x ./generator/command
	cd hack/peers && $(TEST) -count=1 -run '^TestFaster$$' -v ./conversion

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
	cd hack/peers && $(TEST) -count=1 -run '^TestRunTime$$' -v ./conversion
	cd hack/peers/controllerruntime && $(TEST) -count=1 -timeout 30m -run '^TestBeside$$' -v ./conversions
	cd hack/peers && $(TEST) -count=1 -timeout 30m -run '^TestRatio' -v ./controllergen
	cd hack/peers/controllerruntime && $(TEST) -count=1 -run '^$$' -bench 'Ratio|Growth|Modes' .

.PHONY: figures
figures: ## what hack/peers/figures.md says of this tree and of its tests
	@echo "production Go of the programs, neither blank nor comment: $$(git ls-files '*.go' | grep -v -E '_test\.go$$|(^|/)testdata/|zz_generated|^(examples|integration|hack|runtime|templates)/' | xargs cat | grep -cvE '^\s*(//.*)?$$')"
	@echo "lines in generated files of the tree: $$(git ls-files '*zz_generated*' | xargs cat | wc -l)"
	@go test -count=1 -run '^TestCommittedLines$$' -v ./generator | sed -n 's/^ *[a-z_]*test.go:[0-9]*: //p'
	@$(TEST) -run '^$$' ./... >/dev/null # compiles them
	@begin=$$(date +%s); $(TEST) -count=1 -short ./... >/dev/null; echo "short tests, compiled: $$(($$(date +%s) - begin)) s"

# svg-term is npm's, and draws with the fonts of the reader. By the sum after the picture, TestRecording finds a stale one.
.PHONY: recording
recording: ## record the first minutes for README.md anew, and draw them
	cd $(DELIVERY) && go test -count=1 -run '^TestRecording$$' . -update
	npx --yes svg-term-cli@2.1.1 --in docs/drawings/minutes.cast --out docs/drawings/minutes.svg --window --no-cursor
	printf '\n<!-- %s -->\n' "$$(sha256sum <docs/drawings/minutes.cast | cut -d' ' -f1)" >>docs/drawings/minutes.svg

.PHONY: generate
generate: ## regenerate the runtime's API listing, examples, goldens and the tables in docs/
	go run ./hack/drawings
	go -C $(RELEASE) test ./api -update
	@$(MAKE) --no-print-directory build
	@for e in $(filter-out $(ASKING),$(EXAMPLES)) $(SUITE); do (cd "$$e" && "$$WEBHOOK_GEN"); done
	go test ./generator ./generator/command -update
	go test ./generator/compile -run '^(TestCookbookPage|TestFailures)$$' -update

.PHONY: align
align: ## give all modules the same versions of shared dependencies, which are then compiled once
	hack/align.sh

# test-examples compares examples with what is generated of them, and test-unit the pages.
.PHONY: verify
verify: ## modules are tidy, code is formatted and passes go vet
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt-ed: $$bad"; exit 1; fi
	hack/align.sh --check
	go vet ./...
	@for m in $(SUITE) $(DELIVERY) $(RELEASE) hack/peers $(EXAMPLES); do go -C "$$m" vet ./... || exit 1; done
	go -C hack/peers/controllerruntime vet ./... github.com/webhook-gen/webhook-gen/runtime/... # and the modules below it
	printf '%s\n' $(MODULES) | xargs -P 2 -I MODULE go -C MODULE mod tidy -diff

.PHONY: hermetic
hermetic: ## the short tests and those of generated code, where machines and users differ
	hack/hermetic.sh

.PHONY: lint
lint: ## golangci-lint on every module, built from the module proxy
	go -C hack/tools build -o "$(CURDIR)/bin/golangci-lint" github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@for m in $(MODULES); do printf '\n==> %s\n' "$$m"; (cd "$$m" && "$(CURDIR)/bin/golangci-lint" run ./...); done

.PHONY: release
release: ## check that the tree can be released as VERSION (v0.1.0), and print the commands; DRY_RUN=1 checks alone
	go -C $(RELEASE) run . -version '$(VERSION)' $(if $(DRY_RUN),-dry-run)

.PHONY: clean
clean: ## remove what the targets build
	rm -rf bin
