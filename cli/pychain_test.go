package cli

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/internal/exttest"
)

const (
	pychainBatch  = 2_000  // rows of each half in `make test`
	pychainSoak   = 25_000 // in `make soak`, in so many batches that there are two million
	pychainGolden = "testdata/pychain.json"
)

// pychainFiles are what chain.py writes and where ours stand, with the order of lines.
var pychainFiles = []struct{ theirs, ours string }{
	{"memory.nodes", "memory/nodes.jsonl"}, {"memory.edges", "memory/edges.jsonl"},
	{"entities", "claims/entities.jsonl"}, {"claims", "claims/claims.jsonl"},
	{"claims.nodes", "graph/nodes.jsonl"}, {"claims.edges", "graph/edges.jsonl"},
}

// TestPythonChain: with --schema-version 0.0.1 our commands write what the existing Python
// chain writes of the same generated rows, line for line, beyond the listed departures.
// MEMBENCH_PYCHAIN names a checkout of the chain (see scripts/parity/chain.py): then both
// are run, with MEMBENCH_SOAK over two million rows. Without it, ours are held against
// digests of what the chain wrote of the first batches; -update records them.
func TestPythonChain(t *testing.T) {
	t.Parallel()
	checkout := os.Getenv("MEMBENCH_PYCHAIN")
	soak := os.Getenv("MEMBENCH_SOAK") != ""
	if soak && checkout == "" {
		exttest.Lack(t, "SKIP-EXTERNAL: the Python chain: git archive 21c5c497 memory_bench of XnneHangLab/XnneHangLab, its place in MEMBENCH_PYCHAIN")
	}
	batches, n := 2, pychainBatch
	if soak {
		batches, n = 40, pychainSoak
	}
	golden := map[string]string{}
	if b, err := os.ReadFile(pychainGolden); err == nil {
		if err := json.Unmarshal(b, &golden); err != nil {
			t.Fatal(err)
		}
	}
	rows := 0
	for seed := range batches {
		dir := quickDir(t)
		g := newPychain(uint64(seed), n)
		rows += g.write(t, dir)
		runPychain(t, dir, g)
		if checkout != "" {
			theirs := exec.Command(exttest.Python(t), filepath.Join("..", "scripts", "parity", "chain.py"), checkout, filepath.Join(dir, "theirs.in"), filepath.Join(dir, "theirs"))
			if said, err := theirs.CombinedOutput(); err != nil {
				t.Fatalf("the chain: %v\n%s", err, said)
			}
		}
		for _, f := range pychainFiles {
			ours := pychainLines(t, filepath.Join(dir, f.ours))
			key := fmt.Sprintf("%d %d %s", seed, n, f.theirs)
			if checkout != "" {
				theirs := pychainLines(t, filepath.Join(dir, "theirs", f.theirs))
				if !slices.Equal(ours, theirs) {
					pychainDiffer(t, key, ours, theirs)
				}
				if *updateDocs && !soak {
					golden[key] = digestLines(theirs)
				}
			} else if have := digestLines(ours); have != golden[key] {
				t.Errorf("seed, rows, file %s: the digest is %s, of what the chain wrote %q: run with MEMBENCH_PYCHAIN to see lines", key, have, golden[key])
			}
		}
		os.RemoveAll(dir)
	}
	t.Logf("%d rows, both chains run: %v", rows, checkout != "")
	if *updateDocs && checkout != "" && !soak {
		b, _ := json.MarshalIndent(golden, "", "  ")
		if err := os.WriteFile(pychainGolden, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runPychain runs our commands over the rows.
func runPychain(t *testing.T, dir string, g *pychain) {
	in := func(s string) string { return filepath.Join(dir, s) }
	for _, c := range []struct {
		want int
		args []string
	}{
		{exitFindings, []string{"to-graph", "--exports", in("ours.in/exports.jsonl"), "-o", in("memory")}},
		{0, []string{"compile-claims", in("ours.in/by_conv"), "-o", in("claims")}},
		{0, []string{"to-graph", "--claims", in("claims"), "-o", in("graph")}},
	} {
		r := inProcess(dir, strings.NewReader(""), append(c.args, "--schema-version", "0.0.1")...)
		if r.code != c.want {
			t.Fatalf("%v: exit code %d, want %d\n%.2000s", c.args, r.code, c.want, r.stderr)
		}
		if c.want != 0 && !strings.Contains(r.stderr, fmt.Sprintf(": %d rejected, ", g.wrong)) {
			t.Errorf("%v: want %d rejected\n%s", c.args, g.wrong, r.stderr[max(0, len(r.stderr)-800):])
		}
	}
}

func pychainLines(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(string(b), "\n")
}

func digestLines(lines []string) string {
	h := sha256.New()
	for _, l := range lines {
		h.Write([]byte(l))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pychainDiffer reports the lines that only one side has.
func pychainDiffer(t *testing.T, key string, ours, theirs []string) {
	count := map[string]int{}
	for _, l := range ours {
		count[l]++
	}
	for _, l := range theirs {
		count[l]--
	}
	var only []string
	differ := 0
	for l, n := range count {
		if n != 0 {
			differ++
			only = append(only, l+map[bool]string{true: "\t^ ours\n", false: "\t^ theirs\n"}[n > 0])
		}
	}
	slices.Sort(only)
	t.Errorf("%s: %d of %d lines differ (0: only their order)\n%s", key, differ, len(theirs), strings.Join(only[:min(len(only), 12)], ""))
}

// A pychain generates rows of both halves: integer ids, null and blank ids beside a good
// hash, records that occur twice or with another time, point or conversation, empty
// payloads, blank members, claims of every status that the chain takes, and members of the
// wrong type, which only we are given, since the chain makes texts of them.
type pychain struct {
	r      *rand.Rand
	n      int
	wrong  int // exports with a member of the wrong type
	texts  []string
	rows   []string
	claims []pychainClaim
}

func newPychain(seed uint64, n int) *pychain {
	return &pychain{r: rand.New(rand.NewPCG(seed, 14)), n: n}
}

// write writes the rows for us and for the chain and returns how many there are.
func (g *pychain) write(t *testing.T, dir string) int {
	var ours, theirs bytes.Buffer
	for range g.n {
		line, wrong := g.export()
		ours.WriteString(line)
		if wrong {
			g.wrong++
		} else {
			theirs.WriteString(line)
		}
	}
	put := func(name string, b []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("ours.in/exports.jsonl", ours.Bytes())
	put("theirs.in/exports.jsonl", theirs.Bytes())
	statements := 0
	for conv := 1; statements < g.n; conv++ {
		text, n := g.conversation(fmt.Sprintf("ch%02d", conv))
		statements += n
		for _, side := range []string{"ours.in", "theirs.in"} {
			put(fmt.Sprintf("%s/by_conv/ch%02d.jsonl", side, conv), text)
		}
	}
	return g.n + statements
}

func (g *pychain) pick(from ...string) string { return from[g.r.IntN(len(from))] }
func (g *pychain) chance(p float64) bool      { return g.r.Float64() < p }

// text is what a memory says: one of three was said before.
func (g *pychain) text() string {
	if len(g.texts) > 0 && g.chance(0.3) {
		return g.texts[g.r.IntN(len(g.texts))]
	}
	s := g.pick("[User] ", "[Agent] ", "", "", "") + g.pick("Mira", "她", "The cook", "小组", "Jonas") + g.pick(" waters the basil", "喜欢在雨天读信", " lost a green scarf", " 修好了  收音机", " keeps bees") +
		g.pick("", ".", "，每周两次。", "\nand\ttells nobody", ` "so they say"`, ` \ 😀`, " in the long garden behind the station of the small town") + fmt.Sprintf(" %d", g.r.IntN(1<<24))
	g.texts = append(g.texts, s)
	return s
}

func (g *pychain) uuid() string {
	h := md5.Sum(fmt.Appendf(nil, "%d", g.r.Uint64()))
	x := hex.EncodeToString(h[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

func hexMD5(s string) string { h := md5.Sum([]byte(s)); return hex.EncodeToString(h[:]) }

func (g *pychain) instant(zone int) string {
	return time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(g.r.Int64N(int64(90 * 24 * time.Hour)))).In(time.FixedZone("", zone*3600)).Format("2006-01-02T15:04:05.000000-07:00")
}

// export is one line of a memory export, and whether a member has the wrong type.
func (g *pychain) export() (line string, wrong bool) {
	if len(g.rows) > 0 && g.chance(0.08) {
		return g.rows[g.r.IntN(len(g.rows))], false // the same record again
	}
	payload := map[string]any{}
	some := func(name string, p float64, values ...string) {
		if g.chance(p) {
			payload[name] = g.pick(values...)
		}
	}
	id := any(g.uuid())
	if !g.chance(0.02) {
		text := g.text()
		payload["data"] = text
		if g.chance(0.95) {
			payload["hash"] = hexMD5(text)
		}
		if g.chance(0.97) {
			payload["created_at"] = g.instant(g.r.IntN(20) - 9)
		}
		some("conv_id", 0.9, "ch01", "ch02", "ch3", "2026-02-27", "netops_oncall", "")
		some("scene_id", 0.8, "garden", "night_study", "  ", "")
		some("character_id", 0.6, "lan", "mo", "")
		some("user_id", 0.9, "mira", "jonas", "user:1", "")
		some("agent_id", 0.8, "lan", "mo", "")
		some("owner_type", 0.8, "Agent", "User", "")
		some("owner_id", 0.8, "lan", "mira", "")
		some("owner_infer", 0.5, "fallback", "explicit")
		some("updated_at", 0.2, "2026-03-01T00:00:00Z")
		some("role", 0.2, "user", "assistant")
		switch {
		case g.chance(0.1):
			id = g.r.IntN(1 << 40)
		case payload["hash"] != nil && g.chance(0.02):
			id = nil
		}
	}
	row := map[string]any{"id": id, "payload": payload, "collection": "memory_bench_global", "isolation": g.pick("global", "per_conv"), "exported_at": g.pick("2026-05-01T02:22:26Z", "2026-05-02T02:22:26Z")}
	if g.chance(0.01) {
		wrong = true
		switch g.r.IntN(4) {
		case 0:
			payload["conv_id"] = 7
		case 1:
			payload["user_id"] = []string{"mira"}
		case 2:
			payload["data"] = map[string]any{"text": "x"}
		case 3:
			row["id"] = true
		}
	}
	b, _ := json.Marshal(row)
	line = string(b) + "\n"
	if !wrong {
		g.rows = append(g.rows, line)
	}
	return line, wrong
}

// A pychainClaim is what the rows of one claim share.
type pychainClaim struct {
	id, predicate, domain string
	subject, object       [2]string // type, id
	rank                  any
}

// object is a JSON object of names and values, in their order; nil values are absent.
func object(pairs ...any) json.RawMessage {
	b := []byte{'{'}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		v, _ := json.Marshal(pairs[i+1])
		b = append(fmt.Appendf(b, "%q:", pairs[i]), v...)
	}
	return append(b, '}')
}

// conversation is the statements of one: entities, then claims, some of them known from
// earlier conversations, 2.3 rows a record.
func (g *pychain) conversation(conv string) (text []byte, n int) {
	var b bytes.Buffer
	put := func(line []byte) {
		b.Write(append(line, '\n'))
		n++
	}
	for range 20 {
		c := g.claim()
		for _, ref := range [][2]string{c.subject, c.object} {
			_, name, _ := strings.Cut(ref[1], ":")
			put(object("record_type", "entity", "entity_type", ref[0], "entity_id", ref[1], "props", object("name", name, "display", name), "aliases", []string{}, "tags", []string{}, "confidence", g.confidence()))
		}
		var evidence []json.RawMessage
		for range 1 + g.r.IntN(3) {
			text := g.text()
			hash := hexMD5(text)
			var point any
			if g.chance(0.9) {
				point = hash[:8] + "-" + hash[8:12] + "-" + hash[12:16] + "-" + hash[16:20] + "-" + hash[20:]
			}
			evidence = append(evidence, object("memory_item_id", "mem:"+hash, "point_id", point, "conv_id", conv, "scene_id", "garden", "created_at", g.instant(-8), "text", text))
		}
		end := func(ref [2]string) json.RawMessage {
			return object("entity_type", ref[0], "entity_id", ref[1])
		}
		put(object("record_type", "claim", "claim_id", c.id, "predicate", c.predicate, "subject", end(c.subject), "object", end(c.object), "domain", c.domain, "confidence", g.confidence(),
			"status", g.pick("active", "active", "candidate"), "rank", c.rank, "updated_at", g.instant(-8), "evidence", evidence))
	}
	return b.Bytes(), n
}

func (g *pychain) confidence() any {
	return json.RawMessage(fmt.Sprintf("0.%d", 60+g.r.IntN(40)))
}

// claim is a new claim or a known one.
func (g *pychain) claim() pychainClaim {
	if len(g.claims) > 0 && g.chance(0.55) {
		return g.claims[g.r.IntN(len(g.claims))]
	}
	c := pychainClaim{predicate: g.pick("PREFERS_TOPIC", "SELF_TRAIT", "DISCUSSED_WORK"), domain: g.pick("daily", "writing", "reading"), rank: json.RawMessage("null")}
	c.subject = [2]string{"User", "user:" + g.pick("mira", "jonas")}
	if g.chance(0.3) {
		c.subject = [2]string{"Agent", "agent:" + g.pick("lan", "mo")}
	}
	name := fmt.Sprintf("%s%d", g.pick("garden", "收音机", "bees"), g.r.IntN(1<<20))
	c.object = [2]string{"Topic", "topic:" + name}
	if c.predicate == "DISCUSSED_WORK" {
		c.object = [2]string{"Work", "work:" + name}
	}
	if g.chance(0.2) {
		c.rank = 1 + g.r.IntN(5)
	}
	c.id = "claim:" + c.predicate + "|" + c.domain + "|" + c.subject[1] + "|" + c.object[1]
	g.claims = append(g.claims, c)
	return c
}
