// Package server runs a Neo4j Community server on loopback only: for tests, as a
// child of the program (Start), and for people, as a process or a container that
// stays (Up, Look, Down). The server's jars come from Maven Central (Fetch); nothing
// of Neo4j is bundled.
//
// A server has a home folder of its own with data, logs and configuration. While it
// runs it holds a lock on it, so there are never two in one folder, and a lock that
// is free proves that the server has ended, however it did.
package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"membench/internal/daemon"
)

// Config describes the server to run. The zero value of each size is small and suits tests: about 260 MB resident, ready in about 6 s.
type Config struct {
	Java string // the program; "": the first that FindJava finds
	Lib  string // the folder that Fetch fills
	// Version is the version of a container's image, "" for Default; a process has the version of Lib.
	Version string
	Home    string // data, configuration and log; made when absent

	BoltPort int // 0: a free one
	HTTPPort int // 0: no HTTP, no Browser

	HeapMB      int    // 0: 320
	PageCacheMB int    // 0: 64
	Password    string // of the user neo4j, set at the first start; "" switches authentication off

	// Bound ends the server when this process ends, however it ends (Linux only).
	Bound bool

	extra []string // flags of Java
}

// A Server is a running process.
type Server struct {
	URI     string // bolt://127.0.0.1:port
	HTTP    string // http://127.0.0.1:port/browser/, or ""
	PID     int
	Log     string // file with the server's output
	Version string // of Neo4j

	exited chan struct{}
	err    error // set before exited is closed
	proc   *os.Process
}

// Errors, for errors.Is. The errors that wrap them say what to do.
var (
	ErrNotReady = errors.New("neo4j did not become ready") // the error's text holds the end of the server's log
	ErrNoJars   = errors.New("no Neo4j here")
	ErrPort     = errors.New("the port is already in use")
	ErrPassword = errors.New("Neo4j requires a password of at least 8 characters")
)

// ready is the server's message when it accepts connections.
const ready = "Started."

const host = "127.0.0.1"

// Start starts a server as a child of this process and waits until it takes connections.
func Start(ctx context.Context, c Config) (*Server, error) {
	return c.start(ctx, func(*exec.Cmd) {})
}

// start starts the process; detach may change how.
func (c Config) start(ctx context.Context, detach func(*exec.Cmd)) (*Server, error) {
	version, err := c.prepare()
	if err != nil {
		return nil, err
	}
	lock, err := lockHome(c.Home)
	if err != nil {
		return nil, err
	}
	// The server inherits the open file, and with it the lock, which ends with the last process that has it open.
	defer lock.Close()
	if err := c.configure(ctx, version); err != nil {
		return nil, err
	}
	logName := filepath.Join(c.Home, "console.log")
	log, err := os.Create(logName)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	flags := append(c.flags(version), c.extra...)
	if name, err := archive(c.Java, c.Lib); err == nil {
		if _, err := os.Stat(name); err == nil {
			flags = append(flags, "-XX:SharedArchiveFile="+name)
		}
	}
	cmd := exec.Command(c.Java, append(flags, "-cp", filepath.Join(c.Lib, "*"), mainClass(version),
		"--home-dir="+c.Home, "--config-dir="+filepath.Join(c.Home, "conf"), "--console-mode")...)
	cmd.Stdout, cmd.Stderr = log, log
	daemon.Inherit(cmd, lock)
	detach(cmd)
	s := &Server{URI: fmt.Sprintf("bolt://%s:%d", host, c.BoltPort), Log: logName, Version: version, exited: make(chan struct{})}
	if c.HTTPPort != 0 {
		s.HTTP = fmt.Sprintf("http://%s:%d/browser/", host, c.HTTPPort)
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
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// wait returns when the server takes connections. A server that ctx did not wait for
// is ended.
func (s *Server) wait(ctx context.Context) error {
	for {
		out, err := os.ReadFile(s.Log)
		if err == nil && bytes.Contains(out, []byte(ready)) {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("%w: it ended (%v): %s", ErrNotReady, s.err, tail(s.Log))
		case <-ctx.Done():
			s.Stop()
			return fmt.Errorf("%w: %w: %s", ErrNotReady, ctx.Err(), tail(s.Log))
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
		return s.Kill()
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

// prepare fills in the defaults and checks the configuration as far as possible without the server.
func (c *Config) prepare() (version string, err error) {
	if version, err = Version(c.Lib); err != nil {
		return "", err
	}
	if c.Java == "" {
		if c.Java, err = FindJava(version); err != nil {
			return "", err
		}
	}
	if err := CheckPassword(c.Password); err != nil {
		return "", err
	}
	c.HeapMB = cmp.Or(c.HeapMB, 320)
	c.PageCacheMB = cmp.Or(c.PageCacheMB, 64)
	if c.Home, err = filepath.Abs(c.Home); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(c.Home, "conf"), 0o755); err != nil {
		return "", err
	}
	for _, p := range []*int{&c.BoltPort, &c.HTTPPort} {
		switch {
		case *p != 0:
			err = free(*p)
		case p == &c.BoltPort:
			*p, err = freePort()
		}
		if err != nil {
			return "", err
		}
	}
	return version, nil
}

// CheckPassword returns an error if Neo4j does not accept a password; "" is not accepted.
func CheckPassword(p string) error {
	if n := len([]rune(p)); p != "" && n < 8 {
		return fmt.Errorf("%w: have %d", ErrPassword, n)
	}
	return nil
}

// configure writes the settings and, before the first start, the password.
func (c *Config) configure(ctx context.Context, version string) error {
	conf := filepath.Join(c.Home, "conf")
	if err := os.WriteFile(filepath.Join(conf, "neo4j.conf"), []byte(c.settings(version)), 0o644); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.Home, "data")); c.Password == "" || !os.IsNotExist(err) {
		return nil
	}
	// The tool takes the password as an argument only; written into a file of
	// arguments it is in no list of processes.
	args, err := os.CreateTemp(conf, "first")
	if err != nil {
		return err
	}
	defer os.Remove(args.Name())
	_, err = args.WriteString(argument(c.Password))
	if err := errors.Join(err, args.Close()); err != nil {
		return err
	}
	admin := exec.CommandContext(ctx, c.Java, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(c.Lib, "*"), "org.neo4j.cli.AdminTool",
		"dbms", "set-initial-password", "@"+args.Name())
	admin.Env = append(os.Environ(), "NEO4J_HOME="+c.Home, "NEO4J_CONF="+conf)
	if out, err := admin.CombinedOutput(); err != nil {
		os.RemoveAll(filepath.Join(c.Home, "data"))
		return fmt.Errorf("setting the password: %w: %s", err, bytes.ReplaceAll(bytes.TrimSpace(out), []byte(c.Password), []byte("***")))
	}
	return nil
}

// argument quotes text as one argument of an argument file, so that it is not read as an option or the name of another such file.
func argument(text string) string {
	if strings.HasPrefix(text, "@") {
		text = "@" + text
	}
	return "--\n\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + "\"\n"
}

// release is the first number of a version: 5, 2026.
func release(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(first)
	return n
}

func mainClass(version string) string {
	if release(version) >= 2025 {
		return "org.neo4j.server.Neo4jCommunity"
	}
	return "org.neo4j.server.CommunityEntryPoint"
}

func (c Config) flags(version string) []string {
	out := []string{fmt.Sprintf("-Xmx%dm", c.HeapMB), "-Xms128m",
		"--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"-Dio.netty.tryReflectionSetAccessible=true", "-Dlog4j2.disable.jmx=true", "-Dfile.encoding=UTF-8"}
	if release(version) >= 2025 {
		out = append(out, "--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED")
	}
	if c.HeapMB <= 512 {
		// Quick to start and small; a server with a real heap wants the full compiler.
		return append(out, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
	}
	return append(out, "-XX:+UseG1GC")
}

func (c Config) settings(version string) string {
	// Without this the server waits ten seconds for new connections before it ends.
	quiet := "internal.dbms.bolt.netty_server_shutdown_quiet_period=0"
	if release(version) >= 2025 {
		quiet = "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s"
	}
	lines := []string{
		"server.default_listen_address=" + host,
		fmt.Sprintf("server.bolt.listen_address=%s:%d", host, c.BoltPort),
		fmt.Sprintf("server.bolt.advertised_address=%s:%d", host, c.BoltPort),
		fmt.Sprintf("server.memory.pagecache.size=%dm", c.PageCacheMB),
		fmt.Sprintf("dbms.security.auth_enabled=%t", c.Password != ""),
		"dbms.usage_report.enabled=false", quiet,
	}
	if c.HTTPPort != 0 {
		lines = append(lines, "server.http.enabled=true", fmt.Sprintf("server.http.listen_address=%s:%d", host, c.HTTPPort),
			"client.allow_telemetry=false") // Browser's
	} else {
		lines = append(lines, "server.http.enabled=false")
	}
	return strings.Join(lines, "\n") + "\n"
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// free is an error when something listens on a port. It asks by a connection: a listener of its own, however short, would be what another process that asks at
// the same moment finds.
func free(port int) error {
	c, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), time.Second)
	if err == nil {
		c.Close()
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %d", ErrPort, port)
	}
	return nil
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
