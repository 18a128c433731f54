package neo4j

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("starts two servers on a small file system: make soak")
	}
	exttest.Need(t, "java", exttest.Neo4jLib())
	home := t.TempDir()
	if err := syscall.Mount("tmpfs", home, "tmpfs", 0, "size=256m"); err != nil {
		t.Skip("SKIP-EXTERNAL: the right to mount a small file system: " + err.Error()) // a build server may lack it
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(home, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	settings := []string{"db.tx_log.preallocate=false"}
	s := ownServer(t, server.Config{Home: home}, settings...)
	ballast := filepath.Join(home, "ballast")
	var fs syscall.Statfs_t
	if err := syscall.Statfs(home, &fs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ballast, make([]byte, int64(fs.Bavail)*fs.Bsize-1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	nodes, edges := generated(900) // several MB of the server's log
	in := seq(append(nodes, edges...)...)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := Load(ctx, dial(t, Config{URI: s.URI, Retry: 20 * time.Second}), in, LoadOptions{Batch: 500})
	if !errors.Is(err, ErrNoSpace) && !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "restart it") {
		t.Errorf("a full disk: have %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	db := dial(t, Config{URI: ownServer(t, server.Config{Home: home}, settings...).URI})
	load(t, db, in, LoadOptions{})
	wholeGraph(t, db, in)
}
