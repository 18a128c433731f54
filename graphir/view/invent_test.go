package view

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"membench/schema"
	"membench/schema/jsonl"
)

// An inventor makes graphs of the shape that to-graph gives, of texts made up here.
type inventor struct {
	nodes  map[schema.NodeID]bool
	claims map[string]int // index into out
	out    []schema.Element
	rng    *rand.Rand
}

func newInventor() *inventor {
	return &inventor{nodes: map[schema.NodeID]bool{}, claims: map[string]int{}, rng: rand.New(rand.NewPCG(4, 2))}
}

func object(kv ...any) schema.Object {
	var b schema.ObjectBuilder
	for i := 0; i < len(kv); i += 2 {
		if err := b.Value(kv[i].(string), kv[i+1]); err != nil {
			panic(err)
		}
	}
	return b.Object()
}

func (v *inventor) node(label, id string, kv ...any) string {
	if !v.nodes[schema.NodeID(id)] {
		v.nodes[schema.NodeID(id)] = true
		v.out = append(v.out, schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{label}, Props: object(kv...)}})
	}
	return id
}

func (v *inventor) edge(typ, src, dst string, kv ...any) {
	id := schema.EdgeID("edge:" + typ + ":" + src + ":" + dst)
	if v.nodes[schema.NodeID(id)] {
		return
	}
	v.nodes[schema.NodeID(id)] = true
	v.out = append(v.out, schema.Element{Edge: &schema.Edge{ID: id, Type: typ, Src: schema.NodeID(src), Dst: schema.NodeID(dst), Props: object(kv...)}})
}

// One turn of an invented conversation; memory is what was remembered of it.
type said struct{ who, text, memory string }

func (v *inventor) scene(id string) string {
	return v.node("Scene", "scene:"+id, "scene_id", id, "display", id, "name", id)
}

// conversation adds the turns and returns the ids of events and of memories ("" where none was made).
func (v *inventor) conversation(conv, path, user, agent string, day int, turns []said) (events, memories []string) {
	sc := v.scene("night_shift")
	c := v.node("Conversation", "conv:"+conv, "conv_id", conv, "display", conv, "name", conv)
	src := v.node("Source", "source:"+path, "path", path, "display", path, "name", path)
	ch := v.node("Character", "char:"+agent, "character_id", agent, "display", agent, "name", agent)
	ag := v.node("Agent", "agent:"+agent, "agent_id", agent, "display", agent, "name", agent)
	us := v.node("User", "user:"+user, "user_id", user, "display", user, "name", user)
	v.edge("CONV_IN_SCENE", c, sc)
	v.edge("CONV_HAS_CHARACTER", c, ch)
	v.edge("ACTOR", ag, ch)
	v.edge("ACTOR", us, ch)
	ses := v.node("Session", fmt.Sprintf("session:%s:1", conv), "conv_id", conv, "session_id", 1, "display", conv+" #1", "name", conv+" #1")
	v.edge("IN_CONV", ses, c)
	prev := ""
	for i, t := range turns {
		role, speaker := "human", us
		if t.who == agent {
			role, speaker = "assistant", ag
		}
		at := fmt.Sprintf("2026-03-%02dT21:%02d:00+08:00", 1+day%28, i%60)
		ev := v.node("Event", fmt.Sprintf("event:%s:%d", conv, i+1), "conv_id", conv, "turn_id", i+1, "role_type", role, "role_name", t.who,
			"content", t.text, "tags", []string{"episodic"}, "time", at, "start_line", 7+2*i, "end_line", 8+2*i,
			"display", t.text, "name", t.text)
		v.edge("IN_SOURCE", ev, src, "start_line", 7+2*i, "end_line", 8+2*i)
		v.edge("IN_CONV", ev, c)
		v.edge("IN_SESSION", ev, ses)
		v.edge("SPOKE", speaker, ev)
		if prev != "" {
			v.edge("NEXT", prev, ev)
			v.edge("REPLY_TO", ev, prev)
		}
		prev = ev
		events = append(events, ev)
		if t.memory == "" {
			memories = append(memories, "")
			continue
		}
		hash := fmt.Sprintf("%x", md5.Sum([]byte(t.memory)))
		point := fmt.Sprintf("%s-%s-4%s-8%s-%s", hash[:8], hash[8:12], hash[13:16], hash[17:20], hash[20:])
		mem := v.node("MemoryItem", "mem:"+hash, "point_id", point, "payload_hash", hash, "data", t.memory, "created_at", at,
			"collection", "memory_bench_global", "isolation", "global", "exported_at", "2026-03-30T00:00:00Z",
			"display", t.memory+" #"+hash[:8], "name", t.memory+" #"+hash[:8])
		four := []any{"processed_key", hash, "source_point_id", point, "exported_at", "2026-03-30T00:00:00Z", "created_at", at}
		v.edge("OWNS_MEMORY", ch, mem, four...)
		v.edge("FROM_CONV", mem, c, four...)
		v.edge("IN_SCENE", mem, sc, four...)
		v.edge("HAS_CHARACTER", mem, ch, four...)
		v.edge("FROM_EVENT", mem, ev, "point_id", point, "by", "rule", "confidence", 1)
		memories = append(memories, mem)
	}
	return events, memories
}

// claim adds a claim with its branch of the catalogue and its evidence.
func (v *inventor) claim(root, predicate, domain, label, object, status, updated string, memories ...string) string {
	prefix := map[string]string{"Topic": "topic", "Tag": "tag", "Work": "work", "Author": "author", "Action": "action", "Service": "service"}[label]
	dom := v.node("Domain", "dom:"+root+":"+domain, "domain", domain, "display", domain, "name", domain)
	pred := v.node("Predicate", "pred:"+root+":"+domain+":"+predicate, "predicate", predicate, "domain", domain, "display", predicate+" ("+domain+")", "name", predicate+" ("+domain+")")
	obj := v.node(label, prefix+":"+object, "name", object, "display", object, "entity_type", label)
	id := fmt.Sprintf("claim:%s|%s|%s|%s", predicate, domain, root, obj)
	v.node("Claim", id, "predicate", predicate, "domain", domain, "confidence", 0.86, "status", status, "rank", nil,
		"updated_at", updated, "display", predicate+" ("+domain+")", "name", predicate+" ("+domain+")")
	if v.claims[id] == 0 {
		v.claims[id] = len(v.out) - 1
	}
	five := []any{"claim_id", id, "predicate", predicate, "domain", domain, "confidence", 0.86, "updated_at", updated}
	v.edge("HAS_DOMAIN", root, dom, "domain", domain)
	v.edge("HAS_PREDICATE", dom, pred, "domain", domain, "predicate", predicate)
	v.edge("HAS_CLAIM", pred, id, five...)
	v.edge("ABOUT", id, obj, five...)
	for _, m := range memories {
		if m != "" {
			v.edge("EVIDENCED_BY", id, m, append(five[:10:10], "memory_item_id", m, "text", v.textOf(m))...)
		}
	}
	return id
}

func (v *inventor) textOf(id string) string {
	for _, e := range v.out {
		if e.Node != nil && string(e.Node.ID) == id {
			return e.Node.Props.Text("data")
		}
	}
	return ""
}

func (v *inventor) supersede(old, successor, reason string) {
	v.edge("SUPERSEDED_BY", old, successor, "reason", reason)
	if i := v.claims[old]; i > 0 {
		n := v.out[i].Node
		n.Props, _ = n.Props.With("status", "deprecated")
	}
}

// demo is the small graph of the tests and of the picture in the README.
func demo() []schema.Element {
	v := newInventor()
	_, tea := v.conversation("ch01", "data/source/norm/ch01_tea.norm.md", "lin", "mira", 1, []said{
		{"林", "晚上写东西的时候，我一般喝乌龙茶。", "用户晚上写作时喝乌龙茶"},
		{"mira", "乌龙茶提神，又不像咖啡那样让人心慌。", ""},
		{"林", "对，咖啡我下午四点以后就不碰了。", "用户下午四点以后不喝咖啡"},
		{"mira", "那我把十点的提醒改成“换一壶茶”。", "助手会在晚上十点提醒用户换茶"},
		{"林", "最近在重读《雾中航线》，第三章写得真好。", "用户正在重读《雾中航线》"},
		{"mira", "我喜欢它把灯塔写成一个沉默的人。", "助手喜欢《雾中航线》里的灯塔描写"},
	})
	_, dark := v.conversation("ch02", "data/source/norm/ch02_outline.norm.md", "lin", "mira", 4, []said{
		{"林", "我的提纲又写散了，人物一多就乱。", "用户觉得自己的提纲容易写散"},
		{"mira", "要不要试试倒叙？先写结局，再往回补。", ""},
		{"林", "试过一次倒叙，效果还可以。", "用户尝试过倒叙写法"},
		{"mira", "把待办拆成三条，今晚只做第一条。", "助手建议把待办拆成三条"},
		{"林", "好，我一个人写的时候特别容易走神。", "用户独自写作时容易走神"},
	})
	_, change := v.conversation("ch03", "data/source/norm/ch03_barley.norm.md", "lin", "mira", 12, []said{
		{"林", "医生让我少喝茶，我现在晚上改喝大麦茶了。", "用户晚上改喝大麦茶，不再喝乌龙茶"},
		{"mira", "记下了：乌龙茶换成大麦茶。", "助手记录用户把乌龙茶换成大麦茶"},
		{"林", "而且大麦茶闻起来像烤面包，挺好。", "用户喜欢大麦茶的香味"},
		{"mira", "那十点的提醒照旧。", ""},
	})
	_, en := v.conversation("ch04", "data/source/chat/ch04_sam.jsonl", "sam", "mira", 15, []said{
		{"Sam", "I keep coming back to slow detective stories, the ones where nobody runs.", "Sam prefers slow detective stories"},
		{"mira", "Then you might like an unreliable narrator who walks everywhere.", ""},
		{"Sam", "My dialogue is stiff, though. Everybody sounds like a form letter.", "Sam thinks his own dialogue is stiff"},
		{"mira", "Read it aloud to the kettle. The kettle is honest.", "The assistant suggests reading dialogue aloud"},
		{"Sam", "Ha. I am an early riser now, six o'clock, kettle first.", "Sam gets up at six and starts with the kettle"},
	})
	_, en2 := v.conversation("ch05", "data/source/chat/ch05_sam.jsonl", "sam", "mira", 21, []said{
		{"Sam", "I was wrong about early mornings: I write best after midnight these days.", "Sam now writes best after midnight"},
		{"mira", "Noted. Kettle moves to midnight.", ""},
		{"Sam", "And I finished The Quiet Harbour in two nights.", "Sam finished The Quiet Harbour"},
		{"mira", "Second time this year. It must be a favourite.", "The Quiet Harbour is a favourite of Sam"},
	})
	_, ops := v.conversation("ops01", "data/source/chat/ops01_oncall.jsonl", "wu", "oncall-bot", 24, []said{
		{"吴", "gateway-2 的 p99 又报警了，先重启了一下连接池。", "gateway-2 延迟告警时重启连接池"},
		{"oncall-bot", "The runbook says: drain the node before restarting the pool.", "Runbook: drain the node before restarting the pool"},
		{"吴", "手册过时了，现在应该先扩容，再排空。", "手册更正：先扩容再排空节点"},
		{"oncall-bot", "Runbook updated: scale out, then drain.", "Runbook now says scale out, then drain"},
	})
	const t = "2026-03-%02dT22:00:00+08:00"
	at := func(day int) string { return fmt.Sprintf(t, day) }
	oolong := v.claim("user:lin", "PREFERS_TOPIC", "daily", "Topic", "乌龙茶", "deprecated", at(1), tea[0])
	barley := v.claim("user:lin", "PREFERS_TOPIC", "daily", "Topic", "大麦茶", "active", at(12), change[0], change[2], change[1])
	v.supersede(oolong, barley, "newer evidence")
	v.claim("user:lin", "DISLIKES_TOPIC", "daily", "Topic", "下午喝咖啡", "active", at(1), tea[2])
	v.claim("user:lin", "DISCUSSED_WORK", "reading", "Work", "雾中航线", "active", at(1), tea[4], tea[5])
	v.claim("agent:mira", "FAVORITE_WORK", "reading", "Work", "雾中航线", "candidate", at(1), tea[5])
	v.claim("user:lin", "SELF_CRITIQUE", "writing", "Tag", "提纲容易写散", "active", at(4), dark[0])
	v.claim("user:lin", "TRIED_STYLE", "writing", "Topic", "倒叙", "active", at(4), dark[2])
	v.claim("user:lin", "SELF_TRAIT", "writing", "Tag", "独自写作容易走神", "active", at(4), dark[4])
	v.claim("agent:mira", "PREFERS_TOPIC", "daily", "Tag", "把待办拆成三条", "active", at(4), dark[3])
	v.claim("user:sam", "PREFERS_NARRATIVE_STYLE", "reading", "Topic", "slow detective stories", "active", at(15), en[0])
	v.claim("user:sam", "SELF_CRITIQUE", "writing", "Tag", "stiff dialogue", "active", at(15), en[2])
	early := v.claim("user:sam", "SELF_TRAIT", "daily", "Tag", "early riser", "deprecated", at(15), en[4])
	late := v.claim("user:sam", "SELF_TRAIT", "daily", "Tag", "writes after midnight", "active", at(21), en2[0])
	v.supersede(early, late, "newer evidence")
	v.claim("user:sam", "FAVORITE_WORK", "reading", "Work", "The Quiet Harbour", "active", at(21), en2[2], en2[3])
	drain := v.claim("service:gateway-2", "HANDLED_BY", "ops", "Action", "drain, then restart the pool", "deprecated", at(24), ops[1])
	v.node("Service", "service:gateway-2", "name", "gateway-2", "display", "gateway-2")
	scale := v.claim("service:gateway-2", "HANDLED_BY", "ops", "Action", "先扩容，再排空", "active", at(24), ops[2], ops[3])
	v.supersede(drain, scale, "the runbook was corrected")
	p := v.node("Probe", "probe:p_ch03_001", "probe_id", "p_ch03_001", "gold", "大麦茶", "display", "p_ch03_001", "name", "p_ch03_001")
	v.edge("EXPECTS", p, barley)
	v.edge("ASKS", "event:ch03:4", p)
	return v.out
}

// dialogues is a graph of about n nodes: conversations of 20 to 60 turns, a memory for
// about every third, a claim for about every fourth memory.
func dialogues(n int) []schema.Element {
	v := newInventor()
	pick := func(s []string) string { return s[v.rng.IntN(len(s))] }
	zh := []string{"乌龙茶", "夜路", "旧书店", "长篇提纲", "倒叙", "灯塔", "雨声", "地铁末班车", "手写信", "冷笑话", "围棋", "晨跑"}
	zhs := []string{"我最近老是想着%s，%d次了。", "说到%s，上回那%d页还没写完。", "要是没有%s，今晚大概写不到%d点。", "%s这件事，我改了%d遍主意。"}
	en := []string{"oolong tea", "night buses", "second-hand shops", "long outlines", "flashbacks", "lighthouses", "rain on tin", "letters by hand", "dry jokes", "the game of go", "early runs"}
	ens := []string{"I keep thinking about %s, %d times this week.", "Speaking of %s: those %d pages are still open.", "Without %s I would not have written %d lines.", "I changed my mind about %s, %d times."}
	type held struct{ claim, topic string }
	last := map[string]held{}
	for c := 0; len(v.nodes) == 0 || count(v.out) < n; c++ {
		chinese := c%3 != 0
		user := fmt.Sprintf("user%02d", c%(2+n/1500))
		var turns []said
		var topics []string
		for i := range 20 + v.rng.IntN(41) {
			who := user
			if i%2 == 1 {
				who = "mira"
			}
			topic, form := pick(en), pick(ens)
			if chinese {
				topic, form = pick(zh), pick(zhs)
			}
			t := said{who: who, text: fmt.Sprintf(form, topic, 2+v.rng.IntN(40))}
			if v.rng.IntN(3) == 0 {
				t.memory = fmt.Sprintf("%s · %s · c%d t%d", user, topic, c, i+1)
			}
			turns = append(turns, t)
			topics = append(topics, topic)
		}
		conv := fmt.Sprintf("c%04d", c)
		_, mems := v.conversation(conv, "data/source/norm/"+conv+".norm.md", user, "mira", c, turns)
		for i, m := range mems {
			if m == "" || v.rng.IntN(4) != 0 {
				continue
			}
			topic := fmt.Sprintf("%s %d", topics[i], v.rng.IntN(1+n/400))
			if l, ok := last[user]; ok && v.rng.IntN(5) == 0 && l.topic != topic {
				cl := v.claimFast("user:"+user, "PREFERS_TOPIC", "daily", "Topic", topic, "active", c, m, turns[i].memory)
				v.supersede(l.claim, cl, "newer evidence")
				last[user] = held{cl, topic}
				continue
			}
			last[user] = held{v.claimFast("user:"+user, []string{"PREFERS_TOPIC", "DISLIKES_TOPIC", "SELF_TRAIT"}[v.rng.IntN(3)], "daily", []string{"Topic", "Tag"}[v.rng.IntN(2)], topic, "active", c, m, turns[i].memory), topic}
		}
	}
	return v.out
}

func (v *inventor) claimFast(root, predicate, domain, label, object, status string, day int, mem, text string) string {
	id := v.claim(root, predicate, domain, label, object, status, fmt.Sprintf("2026-03-%02dT22:00:00+08:00", 1+day%28))
	v.edge("EVIDENCED_BY", id, mem, "memory_item_id", mem, "text", text)
	return id
}

func count(es []schema.Element) (n int) {
	for _, e := range es {
		if e.Node != nil {
			n++
		}
	}
	return n
}

func seq(es []schema.Element) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		for i, e := range es {
			if !yield(schema.Record[schema.Element]{Pos: schema.Pos{File: "graph.jsonl", Line: i + 1}, V: e}, nil) {
				return
			}
		}
	}
}

// TestDemoFiles holds testdata/demo equal to demo(); -update rewrites it.
func TestDemoFiles(t *testing.T) {
	var nodes, edges []byte
	for _, e := range demo() {
		dst := &nodes
		if e.Edge != nil {
			dst = &edges
		}
		var err error
		if *dst, err = jsonl.Append(*dst, e, schema.Latest); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]byte{"nodes.jsonl": nodes, "edges.jsonl": edges} {
		path := filepath.Join("testdata", "demo", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not what demo() gives; run go test ./graphir/view -run TestDemoFiles -update", path)
		}
	}
}
