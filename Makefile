GO      ?= go
BIN     := bin/membench
LDFLAGS := -s -w -X main.release=$(shell cat VERSION 2>/dev/null || echo dev)
export CGO_ENABLED = 0

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

build: ## build bin/membench, a static binary
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/membench

demo: build ## run the whole chain on the bundled dialogues, offline
	$(BIN) demo -o out/demo

test: ## run every test
	$(GO) vet ./...
	$(GO) test ./...

lint: ## gofmt, vet and staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)"
	$(GO) vet ./...

.PHONY: help build demo test lint
