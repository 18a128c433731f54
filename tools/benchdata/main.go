// Command benchdata writes large inputs for `make bench`: the same bytes for the same
// flags. The mix is that of CHAIN-FACTS §19: conversations of about a hundred
// memories, 3 % repeated texts, 0.5 % without a hash, 0.2 % broken lines.
//
// With -repeats 2.3 a record occurs in 2.3 rows on average: memories are stored again,
// and claims and entities of earlier conversations come up again with another confidence.
// With -mixed claims are also candidates, deprecated and ranked. With -files the rows go
// to that many files, one a conversation, whose sizes have a heavy tail.
package main

import (
	"bufio"
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/schema"
)

func main() {
	kind := flag.String("kind", "exports", "exports, claims (rows by conversation), events or messages")
	n := flag.Int("n", 200_000, "about how many rows")
	good := flag.Bool("good", false, "no broken lines and no missing hashes")
	hot := flag.Float64("hot", 0, "share of exports that hold one and the same text")
	repeats := flag.Float64("repeats", 0, "rows per record, on average; 0: 1.03 per memory, 1.25 per claim")
	mixed := flag.Bool("mixed", false, "claims that are candidates, deprecated or ranked among the active ones")
	files := flag.Int("files", 0, "write this many files, one a conversation, into the folder -o; 0: standard output")
	dir := flag.String("o", "", "folder of -files")
	seed := flag.Uint64("seed", 1, "seed of the generator")
	flag.Parse()
	g := generator{rng: rand.New(rand.NewPCG(*seed, 19)), good: *good, hot: *hot, repeats: *repeats, mixed: *mixed}
	if err := g.run(*kind, *n, *files, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "benchdata:", err)
		os.Exit(1)
	}
}

type generator struct {
	rng     *rand.Rand
	good    bool
	mixed   bool
	hot     float64
	repeats float64
	texts   []string // of late memories, to be repeated
	known   []schema.Claim
}

// run writes n rows of a kind to standard output, or to files.
func (g *generator) run(kind string, n, files int, dir string) error {
	write := map[string]func(w io.Writer, conv, n int) error{"exports": g.exports, "claims": g.claims, "events": g.events, "messages": g.messages}[kind]
	if write == nil {
		return fmt.Errorf("kind: have %q, want exports, claims, events or messages", kind)
	}
	if files == 0 {
		w := bufio.NewWriterSize(os.Stdout, 1<<20)
		const size = 100
		for c := 0; c*size < n; c++ {
			if err := write(w, c+1, min(size, n-c*size)); err != nil {
				return err
			}
		}
		return w.Flush()
	}
	for c, size := range sizes(n, files) {
		f, err := os.Create(filepath.Join(dir, conv(c+1)+".jsonl"))
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(f, 1<<16)
		if err := errors.Join(write(w, c+1, size), w.Flush(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sizes divides n rows among files: the largest has rows in proportion to 1, the k-th to
// k^-0.8, in an order that is not that of their sizes.
func sizes(n, files int) []int {
	weight := func(k int) float64 { return math.Pow(float64(k+1), -0.8) }
	sum := 0.0
	for k := range files {
		sum += weight(k)
	}
	out := make([]int, files)
	for i, k := range rand.New(rand.NewPCG(19, 19)).Perm(files) {
		out[i] = max(2, int(weight(k)/sum*float64(n)))
	}
	return out
}

var (
	subjects = []string{"用户", "她", "我们", "The user", "值班同事", "小组", "My sister", "爸爸"}
	acts     = []string{"经常使用笔记功能来记录", "最近开始喜欢", "不太愿意再谈", "每周三晚上都会整理", "has started to collect", "no longer cares about", "打算在下个月之前完成", "promised to bring back", "认真地写下了关于"}
	things   = []string{"小事和灵感", "一台旧的胶片相机", "夏天的海边小镇", "the broken kettle", "告警抑制规则", "电子书阅读器", "a blue bicycle", "窗台上的薄荷", "周报的第三节", "night trains", "没有写完的短篇", "咖啡豆的烘焙曲线"}
	tails    = []string{"，因为这样会让人安心。", "，而且总是在深夜。", " before the rain comes.", "（虽然没有告诉任何人）。", " with her old friends from school.", "，希望以后能继续下去。", "，每次都要花掉整个下午。"}
)

// again is how probably a record is one that was written before.
func (g *generator) again(usual float64) float64 {
	if g.repeats == 0 {
		return usual
	}
	return 1 - 1/g.repeats
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func (g *generator) text() string {
	r := g.rng
	if len(g.texts) > 0 && r.Float64() < g.again(0.03) {
		return g.texts[r.IntN(len(g.texts))]
	}
	t := pick(r, subjects) + pick(r, acts) + pick(r, things) + pick(r, tails) + " " + strconv.FormatInt(int64(r.IntN(1<<30)), 36)
	if r.IntN(20) == 0 {
		t += "\n“" + pick(r, things) + "”\t\"quoted\" \\ 😀"
	}
	if len(g.texts) < 5000 {
		g.texts = append(g.texts, t)
	} else {
		g.texts[r.IntN(len(g.texts))] = t
	}
	return t
}

func (g *generator) uuid() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	b[6], b[8] = b[6]&15|0x40, b[8]&63|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

var start = time.Date(2026, 2, 24, 18, 0, 0, 0, time.FixedZone("", -8*3600))

func (g *generator) instant() string {
	return start.Add(time.Duration(g.rng.Int64N(int64(30 * 24 * time.Hour)))).Format("2006-01-02T15:04:05.000000-07:00")
}

func hash(s string) string { sum := md5.Sum([]byte(s)); return hex.EncodeToString(sum[:]) }

// conv is the id of the i-th conversation.
func conv(i int) string { return fmt.Sprintf("ch%02d", i) }

func (g *generator) exports(w io.Writer, c, n int) error {
	var b []byte
	for range n {
		r := g.rng
		text := g.text()
		if g.hot > 0 && r.Float64() < g.hot {
			text = "经常使用笔记功能来记录小事"
		}
		user := "user" + strconv.Itoa(r.IntN(5))
		b = append(b[:0], `{"id": "`...)
		b = append(b, g.uuid()...)
		b = append(b, `", "payload": {"scene_id": "night_study", "character_id": "lan", "conv_id": "`...)
		b = append(b, conv(c)...)
		b = append(b, `", "user_id": "`...)
		b = append(b, user...)
		b = append(b, `", "agent_id": "lan", "data": `...)
		b = codec.AppendString(b, text)
		if g.good || r.IntN(200) > 0 {
			b = append(b, `, "hash": "`...)
			b = append(b, hash(text)...)
			b = append(b, '"')
		}
		b = append(b, `, "created_at": "`...)
		b = append(b, g.instant()...)
		b = append(b, `", "owner_type": "Agent", "owner_id": "lan", "owner_infer": "fallback"}, "collection": "memory_bench_global", "isolation": "global", "exported_at": "2026-04-01T02:22:26Z"}`...)
		if !g.good && r.IntN(500) == 0 {
			b = b[:r.IntN(len(b))] // torn
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

var predicates = [][2]string{{"PREFERS_TOPIC", "daily"}, {"SELF_TRAIT", "writing"}, {"TRIED_STYLE", "writing"}, {"DISCUSSED_WORK", "reading"}, {"PREFERS_AUTHOR", "reading"}}

// claims writes what claimify writes of one conversation: entities first, then claims.
// Some are known from earlier conversations.
func (g *generator) claims(w io.Writer, c, n int) error {
	made := make([]schema.Claim, 0, n/2)
	for range n / 2 {
		made = append(made, g.claim(schema.ConvID(conv(c))))
	}
	var line []byte
	put := func(s schema.Statement) (err error) {
		if line, err = codec.Append(line[:0], s, codec.Compact); err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	}
	for _, k := range made {
		name := string(k.Object.ID)[len(k.Object.Type)+1:]
		var b schema.ObjectBuilder
		b.String("name", name)
		b.String("display", name)
		if err := put(schema.Statement{Entity: &schema.Entity{RecordType: "entity", Type: k.Object.Type, ID: k.Object.ID, Props: b.Object(), Aliases: []string{}, Tags: []string{}, Confidence: k.Confidence}}); err != nil {
			return err
		}
	}
	for i := range made {
		if err := put(schema.Statement{Claim: &made[i]}); err != nil {
			return err
		}
	}
	return nil
}

var objectTypes = map[string]string{"DISCUSSED_WORK": "Work", "PREFERS_AUTHOR": "Author"} // else Topic

func (g *generator) claim(id schema.ConvID) schema.Claim {
	m := schema.Mint{V: schema.V010}
	text, at := g.text(), g.instant()
	ev := []schema.Evidence{{Memory: m.Memory(text, "", ""), Point: schema.PointID(g.uuid()), ConvID: id, SceneID: "night_study", CreatedAt: at, Text: text}}
	conf := schema.Confidence(float64(75+g.rng.IntN(24)) / 100)
	if len(g.known) > 0 && g.rng.Float64() < g.again(0.2) {
		k := g.known[g.rng.IntN(len(g.known))]
		k.Evidence, k.UpdatedAt = ev, at
		if g.repeats > 0 {
			k.Confidence = conf
			g.vary(&k)
		}
		return k
	}
	p := predicates[g.rng.IntN(len(predicates))]
	typ := cmp.Or(objectTypes[p[0]], "Topic")
	name := pick(g.rng, things) + strconv.FormatInt(int64(g.rng.IntN(1<<30)), 36)
	sub := schema.Ref{Type: "User", ID: m.Entity("user", "user"+strconv.Itoa(g.rng.IntN(5)))}
	obj := schema.Ref{Type: typ, ID: m.Entity(strings.ToLower(typ), name)}
	k := schema.Claim{RecordType: "claim", ID: m.Claim(p[0], p[1], sub.ID, obj.ID), Predicate: p[0], Subject: sub, Object: obj, Domain: p[1],
		Confidence: conf, Status: schema.StatusActive, UpdatedAt: at, Evidence: ev}
	g.vary(&k)
	if len(g.known) < 20_000 {
		g.known = append(g.known, k)
	} else if g.repeats > 0 {
		g.known[g.rng.IntN(len(g.known))] = k
	}
	return k
}

// vary gives a claim one of the statuses, and rarely a rank.
func (g *generator) vary(k *schema.Claim) {
	if !g.mixed {
		return
	}
	k.Status, k.Reason, k.Rank = schema.StatusActive, "", nil
	switch r := g.rng.IntN(100); {
	case r < 20:
		k.Status = schema.StatusCandidate
	case r < 30:
		k.Status, k.Reason = schema.StatusDeprecated, "superseded"
	case r < 32:
		rank := 1 + g.rng.IntN(2)
		k.Rank = &rank
	}
}

func (g *generator) events(w io.Writer, c, n int) error {
	for i := range n {
		role, name := schema.RoleHuman, "我"
		if i%2 == 1 {
			role, name = schema.RoleAssistant, "岚"
		}
		var b schema.ObjectBuilder
		b.String("speech_mode", "dialogue")
		b.String("source_type", "dialogue")
		b.String("source_path", "source/"+conv(c)+".norm.md")
		b.Raw("start_line", strconv.AppendInt(nil, int64(i+6), 10))
		b.Raw("end_line", strconv.AppendInt(nil, int64(i+6), 10))
		ev := schema.Event{SceneID: "night_study", CharacterID: "lan", ConvID: schema.ConvID(conv(c)), TurnID: i + 1, RoleType: role, RoleName: name, Content: g.text(), Tags: []string{schema.TagEpisodic}, Meta: b.Object()}
		line, err := codec.Append(nil, ev, codec.Spaced)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// messages are a chat that annotate reads.
func (g *generator) messages(w io.Writer, _, n int) error {
	for i := range n {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		line := append(codec.AppendString(append(codec.AppendString([]byte(`{"role": `), role), `, "content": `...), g.text()), '}')
		if !g.good && g.rng.IntN(500) == 0 {
			line = line[:g.rng.IntN(len(line))] // torn
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
