package neo4j

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"membench/cypher/neo4j/server"
	"membench/internal/exttest"
)

// The disk of the server fills up in mid-load: the load ends with words about it, and
// does not try for ever; with space again it goes on from there. Wants the right to
// mount.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	exttest.Need(t, "java", exttest.Neo4jLib())
	home := t.TempDir()
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=700m"); err != nil {
		t.Skip("SKIP-EXTERNAL: the right to mount a small file system: " + err.Error()) // a build server may lack it
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(home, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := ownServer(t, server.Config{Home: home})
	fill(t, home)
	db := dial(t, Config{URI: s.URI, Retry: 20 * time.Second})
	nodes, edges := generated(900)
	in := seq(append(nodes, edges...)...)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := Load(ctx, db, in, LoadOptions{})
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "disk") {
		t.Errorf("a full disk: have %v", err)
	}
}
