// Command benchdata writes large inputs for `make bench`: the same bytes for the same
// flags. The mix is that of CHAIN-FACTS §19: conversations of about a hundred
// memories, 3 % repeated texts, 0.5 % without a hash, 0.2 % broken lines.
package main

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"membench/internal/codec"
	"membench/schema"
)

func main() {
	kind := flag.String("kind", "exports", "exports, claims (rows by conversation) or events")
	n := flag.Int("n", 200_000, "about how many rows")
	good := flag.Bool("good", false, "no broken lines and no missing hashes")
	hot := flag.Float64("hot", 0, "share of exports that hold one and the same text")
	seed := flag.Uint64("seed", 1, "seed of the generator")
	flag.Parse()
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	g := generator{rng: rand.New(rand.NewPCG(*seed, 19)), good: *good, hot: *hot}
	err := g.write(w, *kind, *n)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchdata:", err)
		os.Exit(1)
	}
}

type generator struct {
	rng   *rand.Rand
	good  bool
	hot   float64
	texts []string // of late memories, to be repeated
}

func (g *generator) write(w io.Writer, kind string, n int) error {
	switch kind {
	case "exports":
		return g.exports(w, n)
	case "claims":
		return g.claims(w, n)
	case "events":
		return g.events(w, n)
	}
	return fmt.Errorf("kind: have %q, want exports, claims or events", kind)
}

var (
	subjects = []string{"用户", "她", "我们", "The user", "值班同事", "小组", "My sister", "爸爸"}
	acts     = []string{"经常使用笔记功能来记录", "最近开始喜欢", "不太愿意再谈", "每周三晚上都会整理", "has started to collect", "no longer cares about", "打算在下个月之前完成", "promised to bring back", "认真地写下了关于"}
	things   = []string{"小事和灵感", "一台旧的胶片相机", "夏天的海边小镇", "the broken kettle", "告警抑制规则", "电子书阅读器", "a blue bicycle", "窗台上的薄荷", "周报的第三节", "night trains", "没有写完的短篇", "咖啡豆的烘焙曲线"}
	tails    = []string{"，因为这样会让人安心。", "，而且总是在深夜。", " before the rain comes.", "（虽然没有告诉任何人）。", " with her old friends from school.", "，希望以后能继续下去。", "，每次都要花掉整个下午。"}
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func (g *generator) text() string {
	r := g.rng
	if len(g.texts) > 0 && r.IntN(100) < 3 {
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

// conv is the conversation of row i; rows come conversation by conversation.
func conv(i int) string { return fmt.Sprintf("ch%02d", i/100+1) }

func (g *generator) exports(w io.Writer, n int) error {
	var b []byte
	for i := range n {
		r := g.rng
		text := g.text()
		if g.hot > 0 && r.Float64() < g.hot {
			text = "经常使用笔记功能来记录小事"
		}
		user := "user" + strconv.Itoa(r.IntN(5))
		b = append(b[:0], `{"id": "`...)
		b = append(b, g.uuid()...)
		b = append(b, `", "payload": {"scene_id": "night_study", "character_id": "lan", "conv_id": "`...)
		b = append(b, conv(i)...)
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

// claims writes what claimify writes, conversation by conversation: entities first,
// then claims; a fifth of the claims is known from earlier conversations.
func (g *generator) claims(w io.Writer, n int) error {
	m := schema.Mint{V: schema.V010}
	var known []schema.Claim
	rows := 0
	put := func(s schema.Statement) error {
		b, err := codec.Append(nil, s, codec.Compact)
		if err == nil {
			_, err = w.Write(append(b, '\n'))
		}
		rows++
		return err
	}
	for c := 0; rows < n; c++ {
		id := conv(c * 100)
		var made []schema.Claim
		for range 50 {
			text := g.text()
			at := g.instant()
			ev := schema.Evidence{Memory: m.Memory(text, "", ""), Point: schema.PointID(g.uuid()), ConvID: schema.ConvID(id), SceneID: "night_study", CreatedAt: at, Text: text}
			if len(known) > 0 && g.rng.IntN(5) == 0 {
				k := known[g.rng.IntN(len(known))]
				k.Evidence, k.UpdatedAt = []schema.Evidence{ev}, at
				made = append(made, k)
				continue
			}
			p := predicates[g.rng.IntN(len(predicates))]
			typ := "Topic"
			switch p[0] {
			case "DISCUSSED_WORK":
				typ = "Work"
			case "PREFERS_AUTHOR":
				typ = "Author"
			}
			name := pick(g.rng, things) + strconv.FormatInt(int64(g.rng.IntN(1<<30)), 36)
			sub := schema.Ref{Type: "User", ID: m.Entity("user", "user"+strconv.Itoa(g.rng.IntN(5)))}
			obj := schema.Ref{Type: typ, ID: m.Entity(map[string]string{"Topic": "topic", "Work": "work", "Author": "author"}[typ], name)}
			k := schema.Claim{RecordType: "claim", ID: m.Claim(p[0], p[1], sub.ID, obj.ID), Predicate: p[0], Subject: sub, Object: obj, Domain: p[1],
				Confidence: schema.Confidence(float64(75+g.rng.IntN(24)) / 100), Status: schema.StatusActive, UpdatedAt: at, Evidence: []schema.Evidence{ev}}
			made = append(made, k)
			if len(known) < 20_000 {
				known = append(known, k)
			}
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
	}
	return nil
}

func (g *generator) events(w io.Writer, n int) error {
	for i := range n {
		role, name := schema.RoleHuman, "我"
		if i%2 == 1 {
			role, name = schema.RoleAssistant, "岚"
		}
		var b schema.ObjectBuilder
		b.String("speech_mode", "dialogue")
		b.String("source_type", "dialogue")
		b.String("source_path", "source/"+conv(i)+".norm.md")
		b.Raw("start_line", strconv.AppendInt(nil, int64(i%100+6), 10))
		b.Raw("end_line", strconv.AppendInt(nil, int64(i%100+6), 10))
		ev := schema.Event{SceneID: "night_study", CharacterID: "lan", ConvID: schema.ConvID(conv(i)), TurnID: i%100 + 1, RoleType: role, RoleName: name, Content: g.text(), Tags: []string{schema.TagEpisodic}, Meta: b.Object()}
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
