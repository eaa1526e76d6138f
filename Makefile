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
EXPLAIN  := explain
# Integration tests of examples.
ASKING   := $(sort $(dir $(wildcard examples/*/test/webhook/go.mod)))
RUNTIME  := runtime
ENVTEST  := hack/envtest
DELIVERY := hack/delivery
RELEASE  := hack/release
FUZZTIME ?= 5s

say = @printf '\n==> %s\n' "$(1)"

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/webhook-gen, and bin/webhook-gen-explain, which it runs
	go build -o bin/webhook-gen ./cmd/webhook-gen
	cd $(EXPLAIN) && go build -o $(CURDIR)/bin/webhook-gen-explain ./cmd/webhook-gen-explain

.PHONY: test
test: test-unit test-examples test-upstream test-integration test-explain ## every test but those of new projects and the comparisons with peers

.PHONY: test-unit
test-unit: ## the quick ones: unit tests and scenarios
	$(call say,unit tests and scenarios)
	go test -timeout 30m ./...
	cd $(RUNTIME) && go test ./...

.PHONY: test-race
test-race: ## the quick ones once more, with the race detector
	$(call say,unit tests and scenarios and examples with the race detector)
	go test -race -timeout 30m -skip '^(TestGeneratedCode|TestCookbook)$$' ./... # these two run other programs
	@for e in $(RUNTIME) $(EXAMPLES); do printf '\n==> %s\n' "$$e"; (cd "$$e" && go test -race ./...); done

.PHONY: test-examples
test-examples: build ## examples are up to date, clean and behave
	@for e in $(EXAMPLES); do \
		printf '\n==> %s\n' "$$e"; \
		(cd "$$e" && $(CURDIR)/bin/webhook-gen verify --strict && $(CURDIR)/bin/webhook-gen lint && go vet ./... && go test ./...); \
	done

.PHONY: test-upstream
test-upstream: ## our rules against k8s.io/kubernetes' own validation
	$(call say,rules against upstream validation (the first build takes some minutes))
	cd $(UPSTREAM) && go test -count=1 ./...

.PHONY: test-integration
test-integration: ## webhooks and conversions under a real API server
	$(call say,webhooks and conversions under a real API server (its first build takes some minutes))
	@assets=$$($(ENVTEST)/build.sh); export KUBEBUILDER_ASSETS=$$assets; \
	(cd $(SUITE) && go test -count=1 . ./examples); \
	for m in $(ASKING); do (cd $$m && go test -count=1 ./...); done

.PHONY: test-explain
test-explain: ## what explain and lint say of requests and configurations, beside what an API server does
	$(call say,matching and CEL by the API server's own code (the first build takes a minute))
	cd $(EXPLAIN) && go test ./...
	$(call say,what explain and lint say beside what an API server does)
	@assets=$$($(ENVTEST)/build.sh); cd $(SUITE) && KUBEBUILDER_ASSETS=$$assets go test -count=1 ./explain ./lint

.PHONY: test-delivery
test-delivery: ## new projects, and what they bring into a cluster, under helm, kustomize and a real API server
	$(call say,new projects and what they bring into a cluster (the first build takes some minutes))
	@assets=$$($(ENVTEST)/build.sh); cd $(DELIVERY) && KUBEBUILDER_ASSETS=$$assets go test -count=1 -timeout 30m ./...

.PHONY: test-mutation
test-mutation: ## faults seeded into the examples' generated code and the runtime, each of which a test finds
	$(call say,seeded faults)
	cd hack/mutation && go test -count=1 -timeout 30m ./...

.PHONY: test-peers
test-peers: test-mutation ## seeded faults, comparisons with controller-gen, controller-runtime, cert-manager and other real modules, and an older API server
	$(call say,the oldest API server (its first build takes some minutes))
	@assets=$$($(ENVTEST)/build.sh $(ENVTEST)/oldest); cd $(SUITE) && KUBEBUILDER_ASSETS=$$assets go test -count=1 ./...
	@for p in $(PEERS); do \
		printf '\n==> %s (the first build and download take some minutes)\n' "$$p"; \
		(cd "$$p" && go test -count=1 -timeout 30m ./...); \
	done

.PHONY: envtest
envtest: ## build kube-apiserver and etcd, unless they are there, and print their folder
	@$(ENVTEST)/build.sh

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (5s)
	@for m in . $(RUNTIME) $(EXPLAIN) hack/peers/controllerruntime; do \
		(cd $$m && go list ./... | while read -r p; do \
			for f in $$(go test -list '^Fuzz' "$$p" | grep '^Fuzz' || true); do \
				printf '\n==> %s %s for $(FUZZTIME)\n' "$$p" "$$f"; \
				go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$p"; \
			done; \
		done); \
	done

.PHONY: bench
bench: ## time and memory beside the peers', in one run, as ratios
	$(call say,generating beside controller-gen)
	cd hack/peers/controllergen && go test -count=1 -timeout 30m -run '^TestRatio' -v ./...
	$(call say,serving beside controller-runtime)
	cd hack/peers/controllerruntime && go test -count=1 -run '^$$' -bench 'Ratio|Growth|Modes' ./...
	$(call say,converting beside cert-manager and generating that beside conversion-gen)
	cd hack/peers/conversion && go test -count=1 -run 'Faster|RunTime' -v ./...
	$(call say,converting beside controller-runtime)
	cd hack/peers/conversionreview && go test -count=1 -timeout 30m -run '^TestRatio' -v ./...

.PHONY: generate
generate: ## regenerate the runtime's text and API listing, examples, goldens and the tables in docs/
	go test ./templates -update
	go -C $(RELEASE) test ./api -update
	@$(MAKE) --no-print-directory build
	@for e in $(EXAMPLES) $(SUITE); do (cd "$$e" && $(CURDIR)/bin/webhook-gen); done
	go test ./generator ./cmd/webhook-gen -update

.PHONY: verify
verify: ## modules are tidy, code is formatted, examples and docs are fresh
	$(call say,gofmt, go vet, go mod tidy)
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt-ed: $$bad"; exit 1; fi
	go vet ./...
	@for m in $(RUNTIME) $(SUITE) $(EXPLAIN) $(DELIVERY) $(ENVTEST) $(ENVTEST)/oldest $(RELEASE) hack/mutation; do go -C "$$m" vet ./...; done
	@for m in $$(git ls-files 'go.mod' '*/go.mod'); do (cd "$$(dirname "$$m")" && go mod tidy -diff); done
	go test ./templates
	go -C $(RELEASE) test ./...
	@$(MAKE) --no-print-directory build
	@for e in $(EXAMPLES) $(SUITE); do (cd "$$e" && $(CURDIR)/bin/webhook-gen verify --strict); done

.PHONY: lint
lint: ## golangci-lint on every module, built from the module proxy
	go -C hack/tools build -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@for m in $$(git ls-files 'go.mod' '*/go.mod'); do printf '\n==> %s\n' "$$(dirname "$$m")"; (cd "$$(dirname "$$m")" && $(CURDIR)/bin/golangci-lint run ./...); done

.PHONY: release
release: ## check that the tree can be released as VERSION (v0.1.0), and print the commands; DRY_RUN=1 checks alone
	go -C $(RELEASE) run . -version '$(VERSION)' $(if $(DRY_RUN),-dry-run)

.PHONY: clean
clean: ## remove what the targets build
	rm -rf bin
