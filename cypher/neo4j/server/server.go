// Package server runs a Neo4j Community server from a folder of jars, on loopback
// only: for tests and for people who have Java but no container engine.
package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Config says what to run. The zero value of each size is the small one that suits
// tests: about 260 MB resident, ready in about 6 s.
type Config struct {
	Java string // the program; "" is java of PATH. 17 or 21 for Neo4j 5
	Lib  string // the folder that scripts/neo4j-lib.sh fills
	Home string // data, configuration and log; made when absent

	BoltPort int // 0: a free one
	HTTPPort int // 0: no HTTP, no Browser

	HeapMB      int    // 0: 320
	PageCacheMB int    // 0: 64
	Password    string // of the user neo4j, set at the first start; "" switches authentication off

	// Bound ends the server when this process ends, however it ends (Linux only).
	Bound bool
}

// A Server is a running process.
type Server struct {
	URI  string // bolt://127.0.0.1:port
	HTTP string // http://127.0.0.1:port/browser/, or ""
	PID  int
	Log  string // file with what the server printed

	exited chan struct{}
	err    error // set before exited is closed
	proc   *os.Process
}

// ErrNotReady is returned by Start when the server ended or ctx ran out before it
// said that it was ready; the error's text holds the end of the server's log.
var ErrNotReady = errors.New("neo4j did not become ready")

// ready is what the server prints when it takes connections.
const ready = "Started."

// Start starts a server and waits until it takes connections.
func Start(ctx context.Context, c Config) (*Server, error) {
	if c.Java == "" {
		c.Java = "java"
	}
	if _, err := os.Stat(filepath.Join(c.Lib, "VERSION")); err != nil {
		return nil, fmt.Errorf("%s holds no Neo4j: run scripts/neo4j-lib.sh", c.Lib)
	}
	if c.HeapMB == 0 {
		c.HeapMB = 320
	}
	if c.PageCacheMB == 0 {
		c.PageCacheMB = 64
	}
	home, err := filepath.Abs(c.Home)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(home, "conf")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		return nil, err
	}
	if c.BoltPort == 0 {
		if c.BoltPort, err = freePort(); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(conf, "neo4j.conf"), []byte(c.settings()), 0o644); err != nil {
		return nil, err
	}
	classpath := filepath.Join(c.Lib, "*")
	if _, err := os.Stat(filepath.Join(home, "data")); c.Password != "" && os.IsNotExist(err) {
		// The password goes in on the command line of a short-lived process of ours:
		// the tool takes it no other way.
		admin := exec.CommandContext(ctx, c.Java, "-cp", classpath, "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", c.Password)
		admin.Env = append(os.Environ(), "NEO4J_HOME="+home, "NEO4J_CONF="+conf)
		if out, err := admin.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("setting the password: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	logName := filepath.Join(home, "console.log")
	log, err := os.Create(logName)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(c.Java, append(c.flags(), "-cp", classpath, "org.neo4j.server.CommunityEntryPoint",
		"--home-dir="+home, "--config-dir="+conf, "--console-mode")...)
	cmd.Stdout, cmd.Stderr = log, log
	s := &Server{URI: fmt.Sprintf("bolt://127.0.0.1:%d", c.BoltPort), Log: logName, exited: make(chan struct{})}
	if c.HTTPPort != 0 {
		s.HTTP = fmt.Sprintf("http://127.0.0.1:%d/browser/", c.HTTPPort)
	}
	started := make(chan error, 1)
	go func() {
		if c.Bound {
			// The signal at the parent's death belongs to the thread that started the
			// child, so that thread must live as long as the child.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			bind(cmd)
		}
		err := cmd.Start()
		started <- err
		if err == nil {
			s.err = cmd.Wait()
			close(s.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Java, err)
	}
	s.proc, s.PID = cmd.Process, cmd.Process.Pid
	for {
		out, err := os.ReadFile(logName)
		if err == nil && bytes.Contains(out, []byte(ready)) {
			return s, nil
		}
		select {
		case <-s.exited:
			return nil, fmt.Errorf("%w: it ended (%v): %s", ErrNotReady, s.err, tail(logName))
		case <-ctx.Done():
			s.Stop()
			return nil, fmt.Errorf("%w: %w: %s", ErrNotReady, ctx.Err(), tail(logName))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop ends the server and waits for its end: politely for 20 s, then by force.
func (s *Server) Stop() error {
	s.proc.Signal(os.Interrupt)
	select {
	case <-s.exited:
	case <-time.After(20 * time.Second):
		if err := s.proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		<-s.exited
	}
	return nil
}

// Kill ends the server at once, as a crash would. Its data folder recovers at the next start.
func (s *Server) Kill() error {
	if err := s.proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.exited
	return nil
}

func (c Config) flags() []string {
	out := []string{fmt.Sprintf("-Xmx%dm", c.HeapMB), "-Xms128m",
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dlog4j2.disable.jmx=true", "-Dfile.encoding=UTF-8"}
	if c.HeapMB <= 512 {
		// Quick to start and small; a server with a real heap wants the full compiler.
		return append(out, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
	}
	return append(out, "-XX:+UseG1GC")
}

func (c Config) settings() string {
	lines := []string{
		"server.default_listen_address=127.0.0.1",
		fmt.Sprintf("server.bolt.listen_address=127.0.0.1:%d", c.BoltPort),
		fmt.Sprintf("server.bolt.advertised_address=127.0.0.1:%d", c.BoltPort),
		fmt.Sprintf("server.memory.pagecache.size=%dm", c.PageCacheMB),
		fmt.Sprintf("dbms.security.auth_enabled=%t", c.Password != ""),
		"dbms.usage_report.enabled=false",
	}
	if c.HTTPPort != 0 {
		lines = append(lines, "server.http.enabled=true", fmt.Sprintf("server.http.listen_address=127.0.0.1:%d", c.HTTPPort))
	} else {
		lines = append(lines, "server.http.enabled=false")
	}
	return strings.Join(lines, "\n") + "\n"
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// tail is the end of a log, for an error's text.
func tail(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	const most = 2000 // bytes
	if len(b) > most {
		b = b[len(b)-most:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), ""))
}
