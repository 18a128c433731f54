package server

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"membench/internal/exttest"
)

func TestStartRefuses(t *testing.T) {
	_, err := Start(context.Background(), Config{Lib: t.TempDir(), Home: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "scripts/neo4j-lib.sh") {
		t.Errorf("without jars: have %v, want the script's name", err)
	}
	lib := t.TempDir()
	if err := os.WriteFile(filepath.Join(lib, "VERSION"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(context.Background(), Config{Java: "no-such-java", Lib: lib, Home: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no-such-java") {
		t.Errorf("without java: have %v, want its name", err)
	}
}

func TestStartStop(t *testing.T) {
	exttest.Need(t, "java", exttest.Neo4jLib())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s, err := Start(ctx, Config{Lib: exttest.Neo4jLib(), Home: t.TempDir(), Bound: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	addr := strings.TrimPrefix(s.URI, "bolt://")
	if !strings.HasPrefix(addr, "127.0.0.1:") {
		t.Errorf("address: have %s, want loopback", addr)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("the server still answers after Stop")
	}
}
