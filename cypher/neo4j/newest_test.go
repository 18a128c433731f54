package neo4j

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"membench/cypher/neo4j/server"
	"membench/internal/exttest"
)

// heart are the tests that another release of Neo4j could break: writing, reading back,
// searching, the schema.
const heart = "^Test(Load|StoredForm|LoadReplaces|Store|Search|ReadSchema|Lease|WhatOthersAddStays)$"

// TestOnNewest runs tests of this package once more, on the newest Neo4j, where a Java
// for it is found beside the usual one: the heart, and all of them in `make soak`.
func TestOnNewest(t *testing.T) {
	if testing.Short() || os.Getenv("MEMBENCH_NEO4J_LIB") != "" {
		t.Skip("runs the package's tests again, on another Neo4j: not with -short, not when MEMBENCH_NEO4J_LIB chooses one")
	}
	if _, err := server.FindJava(server.Newest); err != nil {
		t.Skip("SKIP-EXTERNAL: " + err.Error()) // no fault of a build server either
	}
	lib := exttest.Neo4jLibOf(server.Newest)
	exttest.Need(t, lib)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	which := heart
	if soak() {
		which = "^Test"
	}
	cmd := exec.CommandContext(ctx, self, "-test.run="+which, "-test.v", "-test.short")
	cmd.Env = append(os.Environ(), "MEMBENCH_NEO4J_LIB="+lib)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	out, err := cmd.CombinedOutput()
	n := strings.Count(string(out), "--- PASS: ")
	if err != nil {
		t.Fatalf("on Neo4j %s: %v\n%s", server.Newest, err, out)
	}
	if n < 8 {
		t.Errorf("only %d tests passed on Neo4j %s", n, server.Newest)
	}
	t.Logf("%d tests on Neo4j %s", n, server.Newest)
}
