package cli

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"membench/cypher/neo4j/server"

	"github.com/goccy/go-yaml"
)

// TestCompose holds compose.yaml to what it promises, and has the engine's own reader
// check it where there is one.
func TestCompose(t *testing.T) {
	text, err := os.ReadFile("../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type service struct {
		Image       string            `yaml:"image"`
		Restart     string            `yaml:"restart"`
		Ports       []string          `yaml:"ports"`
		Environment map[string]string `yaml:"environment"`
		Volumes     []string          `yaml:"volumes"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
		} `yaml:"healthcheck"`
	}
	var file struct {
		Name     string             `yaml:"name"`
		Services map[string]service `yaml:"services"`
		Volumes  map[string]any     `yaml:"volumes"`
	}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict(), yaml.DisallowUnknownField()).Decode(&file); err != nil {
		t.Fatal(err)
	}
	if len(file.Services) != 2 || file.Services["neo4j"].Image != server.Image(server.Default) {
		t.Errorf("services %v; neo4j is %s, want %s", file.Services, file.Services["neo4j"].Image, server.Image(server.Default))
	}
	pinned := regexp.MustCompile(`:v?\d+\.\d+\.\d+$`)
	for name, s := range file.Services {
		if !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %s is not pinned", name, s.Image)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to others", name, p)
			}
		}
		if h := s.Healthcheck; len(s.Ports) != 2 || len(h.Test) < 2 || !strings.HasPrefix(h.Test[0], "CMD") || h.Interval == "" || h.Timeout == "" || h.Retries == 0 {
			t.Errorf("%s: ports %v, health check %+v", name, s.Ports, h)
		}
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, ok := file.Volumes[volume]; !ok {
				t.Errorf("%s: volume %s is not declared", name, volume)
			}
		}
	}
	if auth := file.Services["neo4j"].Environment["NEO4J_AUTH"]; !strings.Contains(auth, "${NEO4J_PASSWORD:?") {
		t.Errorf("NEO4J_AUTH is %s: the password comes from the environment or not at all", auth)
	}
	if exec.Command("docker", "compose", "version").Run() != nil {
		t.Log("no docker compose here: its own check of the file is skipped")
		return
	}
	cmd := exec.Command("docker", "compose", "-f", "../compose.yaml", "config", "--quiet")
	cmd.Env = append(os.Environ(), "NEO4J_PASSWORD=12345678")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("docker compose config: %v\n%s", err, out)
	}
}
