package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Image is the container image of a version: the Community edition has no suffix.
func Image(version string) string { return "neo4j:" + version }

// HasDocker reports whether an engine answers the docker program.
func HasDocker(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := docker(ctx, nil, "version", "--format", "{{.Server.Version}}")
	return err == nil
}

// docker runs the docker program and returns its output.
func docker(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = append(os.Environ(), env...)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", args[0], errors.Join(err, ctx.Err()), bytes.TrimSpace(words.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}

// containerName is the same for the same folder, so that the engine itself refuses a
// second server there.
func containerName(home string) string {
	return fmt.Sprintf("membench-neo4j-%x", sha256.Sum256([]byte(home)))[:len("membench-neo4j-")+12]
}

func (c Config) upDocker(ctx context.Context, last State) (State, error) {
	version := cmp.Or(c.Version, Default)
	if err := sameRelease(c.Home, last, version); err != nil {
		return State{}, err
	}
	if err := CheckPassword(c.Password); err != nil {
		return State{}, err
	}
	for _, d := range []string{"data", "logs"} {
		// Created here, since the engine would create them for root.
		if err := os.MkdirAll(filepath.Join(c.Home, d), 0o755); err != nil {
			return State{}, err
		}
	}
	name := containerName(c.Home)
	// A stopped earlier container is removed; Up keeps a running one.
	if _, err := docker(ctx, nil, "container", "inspect", name); err == nil {
		if _, err := docker(ctx, nil, "rm", name); err != nil {
			return State{}, err
		}
	}
	args, env := c.dockerRun(name, version)
	if _, err := docker(ctx, env, args...); err != nil {
		return State{}, err
	}
	st := State{Running: true, Home: c.Home, Engine: Docker, Version: version, Container: name,
		URI: fmt.Sprintf("bolt://%s:%d", host, c.BoltPort), Browser: fmt.Sprintf("http://%s:%d/browser/", host, c.HTTPPort)}
	err := waitContainer(ctx, name)
	if err == nil {
		err = writeState(st)
	}
	if err != nil {
		removeContainer(context.WithoutCancel(ctx), name)
		return State{}, err
	}
	return st, nil
}

// dockerRun is the command that starts a container, and the environment that carries
// the password past the list of processes.
func (c Config) dockerRun(name, version string) (args, env []string) {
	auth := "none"
	if c.Password != "" {
		auth = "neo4j/" + c.Password
	}
	args = []string{"run", "--detach", "--name", name, "--label", "membench.home=" + c.Home,
		"--user", fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()),
		"--publish", fmt.Sprintf("%s:%d:7687", host, c.BoltPort), "--publish", fmt.Sprintf("%s:%d:7474", host, c.HTTPPort),
		"--volume", filepath.Join(c.Home, "data") + ":/data", "--volume", filepath.Join(c.Home, "logs") + ":/logs",
		"--env", "NEO4J_AUTH",
		"--env", fmt.Sprintf("NEO4J_server_bolt_advertised__address=%s:%d", host, c.BoltPort),
		"--env", "NEO4J_dbms_usage__report_enabled=false"}
	if c.HeapMB != 0 {
		args = append(args, "--env", fmt.Sprintf("NEO4J_server_memory_heap_max__size=%dm", c.HeapMB))
	}
	if c.PageCacheMB != 0 {
		args = append(args, "--env", fmt.Sprintf("NEO4J_server_memory_pagecache_size=%dm", c.PageCacheMB))
	}
	return append(args, Image(version)), []string{"NEO4J_AUTH=" + auth}
}

func waitContainer(ctx context.Context, name string) error {
	for {
		log, err := exec.CommandContext(ctx, "docker", "logs", "--tail", "50", name).CombinedOutput()
		if err == nil && bytes.Contains(log, []byte(ready)) {
			return nil
		}
		runs, runErr := containerRuns(ctx, name)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %w: %s", ErrNotReady, ctx.Err(), bytes.TrimSpace(log))
		case runErr != nil:
			return runErr
		case !runs:
			return fmt.Errorf("%w: the container ended: %s", ErrNotReady, bytes.TrimSpace(log))
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func containerRuns(ctx context.Context, name string) (bool, error) {
	out, err := docker(ctx, nil, "container", "inspect", "--format", "{{.State.Running}}", name)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "no such container") {
		return false, nil
	}
	return out == "true", err
}

func removeContainer(ctx context.Context, name string) error {
	if _, err := docker(ctx, nil, "stop", "--time", strconv.Itoa(int(patience.Seconds())), name); err != nil {
		return err
	}
	_, err := docker(ctx, nil, "rm", name)
	return err
}

// portOf is the port of an address, 0 for none.
func portOf(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(u.Port())
	return n
}
