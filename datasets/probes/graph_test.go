package probes_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/claims"
	"membench/graph"
	"membench/graphir"
	"membench/schema"
	"membench/schema/catalog"
)

// line is one turn of a test's dialogue: what was said, and the claims that were taken
// out of it as "PREDICATE object", of the speaker, or "PREDICATE subject > object".
type line struct {
	conv, day, name, text string
	claims                []string
}

// seqOf makes a stream of a list.
func seqOf[T any](list []T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for _, x := range list {
			if !yield(schema.Record[T]{V: x}, nil) {
				return
			}
		}
	}
}

// dialogue makes records of lines through the chain's own stages from claims on. A
// speaker whose name ends in "bot" is the assistant.
func dialogue(t testing.TB, lines []line) *graph.Local {
	t.Helper()
	cat, mint := catalog.Default(), schema.Mint{V: schema.Latest}
	var events []schema.Event
	var exports []schema.MemoryExport
	var statements []schema.Statement
	number := map[string]int{}
	object := func(v any) schema.Object {
		o, err := schema.NewObject(v)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	entity := func(typ, name string) schema.Ref {
		parts := []string{name}
		if typ == "Chapter" {
			parts = []string{"", name}
		}
		id, err := cat.EntityID(mint, typ, parts...)
		if err != nil {
			t.Fatal(err)
		}
		key := cat.Entities[typ].Key
		props := map[string]string{"name": name, "display": name}
		if key != "name" {
			props[key] = name
		}
		statements = append(statements, schema.Statement{Entity: &schema.Entity{RecordType: "entity", Type: typ, ID: id, Props: object(props), Aliases: []string{}, Tags: []string{}, Confidence: .9}})
		return schema.Ref{Type: typ, ID: id}
	}
	for _, l := range lines {
		number[l.conv]++
		n := number[l.conv]
		at := ""
		if l.day != "" {
			at = fmt.Sprintf("%sT%02d:%02d:00Z", l.day, 9+n/60%12, n%60)
		}
		role, owner, tag := schema.RoleHuman, "User", "[User] "
		if strings.HasSuffix(l.name, "bot") {
			role, owner, tag = schema.RoleAssistant, "Agent", "[Agent] "
		}
		meta := schema.EventMeta{SourcePath: "src/" + l.conv + ".md", StartLine: n, EndLine: n, Time: at}
		if role == schema.RoleHuman && !strings.HasPrefix(l.conv, "group") {
			meta.UserID = strings.ToLower(l.name)
		}
		events = append(events, schema.Event{SceneID: "s", CharacterID: "c", ConvID: schema.ConvID(l.conv), TurnID: n, RoleType: role, RoleName: l.name, Content: l.text, Tags: []string{schema.TagEpisodic}, Meta: object(meta)})
		if len(l.claims) == 0 {
			continue
		}
		data := tag + l.text
		point := schema.PointID(fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", len(exports), n))
		payload := map[string]any{"scene_id": "s", "character_id": "c", "conv_id": l.conv, "user_id": strings.ToLower(l.name), "agent_id": "bot", "data": data, "hash": schema.Hash(data), "created_at": at, "owner_type": owner, "owner_id": strings.ToLower(l.name), "owner_infer": "explicit", "events": []schema.EventRef{{ConvID: schema.ConvID(l.conv), TurnID: n}}}
		exports = append(exports, schema.MemoryExport{ID: point, Payload: object(payload), Collection: "c", Isolation: "global", ExportedAt: "2026-05-01T00:00:00Z"})
		for _, c := range l.claims {
			pred, rest, _ := strings.Cut(c, " ")
			p, ok := cat.Predicate(pred)
			if !ok {
				t.Fatalf("no predicate %s", pred)
			}
			var subject schema.Ref
			name := rest
			if s, o, ok := strings.Cut(rest, " > "); ok {
				typ, s, _ := strings.Cut(s, ":")
				subject, name = entity(typ, s), o
			} else {
				subject = entity(owner, strings.ToLower(l.name))
			}
			typ := p.Objects[0]
			if tt, nn, ok := strings.Cut(name, ":"); ok && cat.Entities[tt].Prefix != "" {
				typ, name = tt, nn
			}
			o := entity(typ, name)
			statements = append(statements, schema.Statement{Claim: &schema.Claim{RecordType: "claim", ID: mint.Claim(pred, p.Domain, subject.ID, o.ID), Predicate: pred, Subject: subject, Object: o, Domain: p.Domain, Confidence: .9, Status: "active", UpdatedAt: at, By: "rule",
				Rank:     rankOf(pred),
				Evidence: []schema.Evidence{{Memory: mint.Memory(data, "", point), Point: point, ConvID: schema.ConvID(l.conv), SceneID: "s", CreatedAt: at, Text: data}}}})
		}
	}
	ctx := context.Background()
	compiled := claims.Compile(ctx, seqOf(statements), claims.CompileOptions{})
	g := graph.NewLocal()
	in := graphir.Input{Events: seqOf(events), Exports: seqOf(exports), Claims: compiled}
	if err := g.Read(ctx, graphir.Build(ctx, in, graphir.Options{}), func(f *schema.Finding) {
		if !f.Warning {
			t.Error(f)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return g
}

func rankOf(pred string) *int {
	one := 1
	if slices.Contains([]string{"PREFERS_AUTHOR", "FAVORITE_WORK"}, pred) {
		return &one
	}
	return nil
}

// friends is a dialogue in which every type of question has something to ask.
var friends = []line{
	{"c1", "2026-01-05", "Nora", "My favourite author is Edda Lindqvist, nobody else comes near.", []string{"PREFERS_AUTHOR Edda Lindqvist"}},
	{"c1", "2026-01-05", "hobot", "I keep the harbour ledger. Knots calm me before the night shift.", []string{"PREFERS_TOPIC Topic:Knots"}},
	{"c1", "2026-01-05", "Nora", "I enjoy rowing across the fjord, it clears my head.", []string{"PREFERS_TOPIC Topic:rowing across the fjord"}},
	{"c1", "2026-01-05", "Nora", "Last week I read “The Salt Almanac” in one sitting.", []string{"DISCUSSED_WORK The Salt Almanac"}},
	{"c2", "2026-01-19", "Nora", "I love pickled herring on dark bread.", []string{"PREFERS_TOPIC Topic:pickled herring"}},
	{"c2", "2026-01-19", "hobot", "“The Salt Almanac” stands on our shelf, the spine is torn.", nil},
	{"c2", "2026-01-19", "hobot", "I like mending nets in the morning.", []string{"PREFERS_TOPIC Topic:mending nets"}},
	{"c2", "2026-01-19", "Nora", "Somebody taught me knots as a child, I forgot them all.", nil},
	{"c2", "2026-01-19", "Nora", "I tried blank verse for the anniversary poem.", []string{"TRIED_STYLE blank verse"}},
	{"c3", "2026-02-02", "Nora", "I have changed my mind: my favourite author is Ole Brandvik now.", []string{"PREFERS_AUTHOR Ole Brandvik"}},
	{"c3", "2026-02-02", "Nora", "And I don't like pickled herring any more, not since the ferry.", []string{"DISLIKES_TOPIC Topic:pickled herring"}},
	{"c3", "2026-02-02", "hobot", "Rowing across the fjord is forbidden from tomorrow on, by the way.", nil},
	{"c3", "2026-02-02", "hobot", "Brass lamps are my weakness, I polish them for hours.", []string{"PREFERS_TOPIC Topic:Brass lamps"}},
	{"c4", "2026-02-20", "Nora", "Rowing across the fjord was the best part of that winter.", []string{"PREFERS_TOPIC Topic:rowing across the fjord"}},
	{"c4", "2026-02-20", "Nora", "I bought two brass lamps at the market.", nil},
	{"k1", "2026-03-01", "小满", "我最喜欢的作家是顾长汀，一页都舍不得漏。", []string{"PREFERS_AUTHOR 顾长汀"}},
	{"k1", "2026-03-01", "小满", "我喜欢清明前的雨，屋檐下能坐一下午。", []string{"PREFERS_TOPIC Topic:清明前的雨"}},
	{"k1", "2026-03-01", "灯bot", "我喜欢旧船票，收了两抽屉。", []string{"PREFERS_TOPIC Topic:旧船票"}},
	{"k2", "2026-03-08", "小满", "想了一周，我最喜欢的作家换成陆闻笛了。", []string{"PREFERS_AUTHOR 陆闻笛"}},
	{"k2", "2026-03-08", "小满", "昨天在码头捡到一张旧船票，给你留着。", nil},
	{"k2", "2026-03-08", "灯bot", "谢谢。清明前的雨今年来得早。", nil},
	{"k3", "2026-03-20", "小满", "我不喜欢清明前的雨了，晒不干衣服。", []string{"DISLIKES_TOPIC Topic:清明前的雨"}},
	{"k3", "2026-03-20", "小满", "顾长汀的书我送人了。", nil},
	{"group", "2026-04-01", "opsbot", "quay-api depends on crane-db.", []string{"DEPENDS_ON Service:quay-api > Service:crane-db"}},
	{"group", "2026-04-01", "Ada", "crane-db depends on tide-store, says the map.", []string{"DEPENDS_ON Service:crane-db > Service:tide-store"}},
	{"group", "2026-04-02", "Ada", "tide-store runs on host-31 since Monday.", []string{"RUNS_ON Service:tide-store > Host:host-31"}},
	{"group", "2026-04-02", "Bo", "gate-job runs on host-07 and on host-08.", []string{"RUNS_ON Service:gate-job > Host:host-07", "RUNS_ON Service:gate-job > Host:host-08"}},
	{"group", "2026-04-03", "Bo", "crane-db is owned by the pier team.", []string{"OWNED_BY Service:crane-db > Topic:pier team"}},
	{"group-garden", "2026-03-02", "Ivo", "Good to see the barn again! What kind of vegetables do you grow behind the barn?", nil},
	{"group-garden", "2026-03-02", "Petra", "I planted leeks and red cabbage along the south wall.", nil},
	{"group-garden", "2026-03-02", "Ivo", "Lovely. How often do you water the seedlings?", nil},
	{"group-garden", "2026-03-02", "Petra", "I carry two cans out every evening after supper.", nil},
	{"group-garden", "2026-03-02", "Ivo", "Which tools did you buy for your workshop?", nil},
	{"group-garden", "2026-03-02", "Petra", "I picked up a used lathe and a set of chisels.", nil},
	{"group-garden", "2026-03-02", "Ivo", "What do you think of it?", nil},
	{"group-garden", "2026-03-02", "Petra", "I like the lathe best.", nil},
}
