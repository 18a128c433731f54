GO       ?= go
VERSION  := $(shell cat VERSION)
LDFLAGS  := -s -w -X membench/cli.release=$(VERSION)
BIN      := bin/membench
FUZZTIME ?= 20s
# Packages tested at the same time: one more than cores, as some wait for Neo4j or a browser.
PACKAGES ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# The packages whose tests take longest start first.
LONGEST  := ./cli ./cypher/neo4j ./memory/graphmem
# Tests, compilers and linkers collect more seldom than membench: an eighth less processor time, in about 1 GiB each at most.
COLLECTOR := GOGC=400 GOMEMLIMIT=1GiB
export CGO_ENABLED ?= 0
# One way to compile for builds, tests and what tests build: all share what the cache has, also between checkouts.
export GOFLAGS ?= -trimpath

.DEFAULT_GOAL := help
.PHONY: help build test race spark spark-cluster spark-stores soak parity contracts demo neo4j lint fuzz bench bench-neo4j release release-check docs site clean judge-weights

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/membench, one static binary
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/membench

demo: build ## run the whole chain on the bundled dialogues, offline
	$(BIN) demo -o out/demo

neo4j: build ## start a Neo4j with Browser on this machine (bin/membench neo4j down ends it)
	$(BIN) neo4j up

test: ## run every test; the last lines count passed, failed and skipped
	$(GO) vet ./...
	$(GO) vet -C tools ./...
	@if command -v java >/dev/null && command -v mvn >/dev/null; then $(GO) run ./cmd/membench neo4j fetch >/dev/null || true; fi
	@{ $(COLLECTOR) $(GO) test -vet=off -p $(PACKAGES) -timeout 50m -json $(LONGEST) ./...; $(COLLECTOR) $(GO) test -C tools -vet=off -json ./...; } | $(GO) run -C tools ./testsum

race: ## run every test under the race detector (needs a C compiler)
	@CGO_ENABLED=1 $(GO) test -timeout 30m -race -json ./... | $(GO) run -C tools ./testsum

parity: ## run the originals of memory systems again and record what they keep and find (network, python3.11, about 2 GB)
	scripts/parity/parity.sh
	$(GO) test ./memory/baseline -run Parity -count 1

contracts: ## let the vendors' Python clients of memory services live the life of a memory again, and compare (network, python3.11, about 300 MB)
	scripts/contracts/contracts.sh
	$(GO) test ./memory/service -run ContractsDocs -update -count 1

spark: ## install Spark (850 MB) and run what needs it: the chain, Parquet and an evaluation as jobs, steps on a cluster, held against one process
	scripts/spark/install.sh
	MEMBENCH_SPARK=1 $(GO) test ./cli ./examples ./scripts/spark -run 'TestScripts/spark|TestScale|TestParquet' -count 1 -v
	@$(MAKE) spark-cluster

spark-cluster: build # of make spark and .ci/run: one master, two workers, an executor killed in each step
	ODD=1 HOT=.5 JAVA_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" scripts/spark/cluster.sh 20000 annotate compile-claims to-graph:rows validate:rows cypher:rows admin-csv

spark-stores: build ## steps on a cluster whose data is on HDFS and on S3, started from packages of Maven and PyPI (400 MB); an executor killed in each
	ODD=1 HOT=.5 scripts/spark/store.sh hdfs scripts/spark/cluster.sh 5000 annotate claimify compile-claims to-graph validate cypher admin-csv
	ODD=1 HOT=.5 scripts/spark/store.sh s3 scripts/spark/cluster.sh 5000 compile-claims validate annotate

soak: ## kill every stage before each step on the file system; lines of 100 MB; all of Neo4j's tests on the newest; 1,000 null simulations of each kind; every arm of explain and graph memory; ten million nodes imported (over half an hour)
	MEMBENCH_SOAK=1 $(GO) test ./cli -run 'Killed|ExperimentsDocs|LongLines|WaysIntoNeo4j|HostileInputs|HostilePlaces|OneGate|Terminated|PythonChain|ModelFaults|PeakMemory|FaultMixes|LocalModel|ManyAnswersInPages' -count 1 -timeout 4h -v
	MEMBENCH_SOAK=1 $(GO) test ./cypher/neo4j -run 'OnNewest|FullDisk|Concurrent|Killed|ServerFaults|ConnectionCut|LoaderMemory' -count 1 -timeout 2h -v
	MEMBENCH_SOAK=1 $(GO) test ./internal/stats ./eval/compare -run 'Null|Plan' -count 1 -timeout 1h -v
	MEMBENCH_SOAK=1 $(GO) test ./eval/run -run Killed -count 1 -v
	MEMBENCH_SOAK=1 $(GO) test ./memory/pcm ./memory/qarp -run 'Rate' -count 1 -v
	MEMBENCH_SOAK=1 $(GO) test ./memory/baseline -run TenThousandTurns -count 1 -timeout 1h -v
	MEMBENCH_SOAK=1 $(GO) test ./eval/explain ./memory/graphmem -run 'LoCoMo|FalseAlarms|Sets|Told|Neo4jCost|Neo4jPCMContract|FaultsFromOutside|StoreThenAsk|Order|TestAsk' -count 1 -timeout 1h -v
	MEMBENCH_SOAK=1 $(GO) test ./graphir/export -run TenMillionNodes -count 1 -timeout 1h -v
	MEMBENCH_SOAK=1 $(GO) test ./examples -run Plugin -count 1 -timeout 1h -v

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

fuzz: ## run every fuzz target for FUZZTIME each
	@scripts/fuzz.sh $(FUZZTIME)

bench: build ## print rows/s, MB/s, peak memory and ratios to jq and cp
	@scripts/bench.sh

bench-neo4j: ## ways into Neo4j, measured on one server: bare loop, ours, row by row, delta, admin import
	@scripts/bench-neo4j.sh

judge-weights: ## train the weights of the rule judge again: the same bytes from the same answers (needs MEMBENCH_SHARED; a quarter of an hour)
	for part in words long sure; do $(GO) run -C tools ./judgetrain -shared "$$MEMBENCH_SHARED" -fit $$part || exit 1; done

docs: ## write the generated parts of docs/ again
	$(GO) run -C tools ./yamlschema
	$(GO) run -C tools ./formatsdoc
	$(GO) test ./internal/layers ./cli -run 'Docs$$' -update

release-check: ## build a release for this platform (PLATFORMS: for several) and check it: programs, deb, image, arm64 under qemu (needs root and dpkg)
	@scripts/release-check.sh

site: ## build the documentation as a site with search in out/site (needs python3)
	@scripts/site.sh out/site

release: ## build everything a release has under dist/: programs, packages, image files, checksums
	@scripts/release.sh

clean: ## remove what the targets above made
	rm -rf bin dist out
