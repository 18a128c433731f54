package netops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

func matchOpsEval(name string) bool { return path.Ext(name) == ".json" }

// alarmWords choose OpsEval's items about alarms and faults: it has no field for them.
var alarmWords = []string{"告警", "故障", "根因", "alarm", "alert", "fault", "troubleshoot", "root cause", "failure"}

// rawItem is any of OpsEval's four forms.
type rawItem struct {
	ID       string          `json:"id"`
	Question string          `json:"question"`
	Choices  []string        `json:"choices"`
	Answer   datasets.Scalar `json:"answer"`
	Solution string          `json:"solution"`
	Topic    []string        `json:"topic"`
}

// item is a question with its answer in words.
type item struct {
	stem, answer, wrong string // wrong: another option, where there are options
	why                 string
	topic               string
	zh                  bool
}

var (
	// option begins a line of options inlined in the question: "A: …", "B. …", "C、…".
	option  = regexp.MustCompile(`(?m)^[ \t"]*([A-J])[ \t]*[.:：、．][ \t]*`)
	letters = regexp.MustCompile(`^[A-J](?:[\s,，、]*[A-J])*[\s,，]*$`)
	number  = regexp.MustCompile(`^"?\d{1,4}[、.．]\s*`) // of the exam
)

// perCase is how many items one case teaches at most, perSession how many in a sitting.
const (
	perCase    = 36
	perSession = 4
)

// OpsEval makes cases of exam items: one for each file, language and topic (topics of
// fewer than six items share one). All items chosen are held: about 1 kB each.
func OpsEval(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		groups, order, seen := map[string][]item{}, []string{}, map[string]bool{}
		for v, err := range datasets.FileValues(files, o.Max) {
			if f, ok := errors.AsType[*schema.Finding](err); ok {
				if !yield(schema.Record[schema.Case]{}, f) {
					return
				}
				continue
			}
			if err != nil {
				yield(schema.Record[schema.Case]{}, err)
				return
			}
			if ctx.Err() != nil {
				yield(schema.Record[schema.Case]{}, context.Cause(ctx))
				return
			}
			var r rawItem
			if err := v.Decode(&r); err != nil {
				if !yield(schema.Record[schema.Case]{}, err) {
					return
				}
				continue
			}
			it, why := read(r)
			if why == "" && seen[it.stem] {
				why = "the same question has another id"
			}
			if why != "" {
				x := v.Finding("DST022", "an item was skipped: "+why)
				x.Warning, x.Have = true, r.ID
				o.Tell(x)
				continue
			}
			seen[it.stem] = true
			if !chosen(r, it, o.Topics) {
				continue
			}
			stem := strings.TrimSuffix(path.Base(v.Pos.File), ".json")
			key := fmt.Sprintf("%s|%s|%s", stem, map[bool]string{true: "zh", false: "en"}[it.zh], it.topic)
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], it)
		}
		n := 0
		for _, g := range pool(groups, order) {
			for part := range slices.Chunk(g.items, perCase) {
				if len(part) < 4 {
					continue
				}
				if !yield(schema.Record[schema.Case]{V: runbook(g, part, n, o)}, nil) {
					return
				}
				n++
			}
		}
	}
}

// read makes an item; why is the reason if it cannot.
func read(r rawItem) (it item, why string) {
	it = item{zh: chinese(r.Question), why: squeeze(r.Solution)}
	if len(r.Topic) > 0 {
		it.topic = squeeze(r.Topic[0])
	}
	text := strings.Trim(strings.TrimSpace(r.Question), `"`)
	choices := r.Choices
	if at := option.FindAllStringSubmatchIndex(text, -1); len(at) > 1 && text[at[0][2]] == 'A' {
		if len(choices) == 0 {
			for i, m := range at {
				end := len(text)
				if i+1 < len(at) {
					end = at[i+1][0]
				}
				choices = append(choices, squeeze(text[m[1]:end]))
			}
		}
		text = text[:at[0][0]]
	}
	it.stem = squeeze(number.ReplaceAllString(text, ""))
	answer := strings.TrimSpace(r.Answer.Text)
	switch {
	case it.stem == "" || answer == "":
		return it, "no question or no answer"
	case len(choices) == 0 && letters.MatchString(answer):
		return it, "letters for an answer, and no options"
	case len(choices) == 0:
		it.answer = squeeze(answer)
		return it, ""
	case !letters.MatchString(answer):
		return it, fmt.Sprintf("the answer %q names no option", answer)
	}
	var right []string
	is := map[int]bool{}
	for _, c := range answer {
		if c < 'A' || c > 'J' {
			continue
		}
		i := int(c - 'A')
		if i >= len(choices) {
			return it, fmt.Sprintf("the answer %q names an option that is not there", answer)
		}
		if !is[i] {
			is[i] = true
			right = append(right, squeeze(choices[i]))
		}
	}
	for i, c := range choices {
		if !is[i] && it.wrong == "" {
			it.wrong = squeeze(c)
		}
	}
	it.answer = strings.Join(right, "; ")
	return it, ""
}

func chosen(r rawItem, it item, words []string) bool {
	if words == nil {
		words = alarmWords
	}
	text := strings.ToLower(strings.Join(r.Topic, " ") + " " + r.Question + " " + it.answer)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, strings.ToLower(w)) })
}

type group struct {
	name  string
	zh    bool
	items []item
}

// pool joins the small topics of a file and language.
func pool(groups map[string][]item, order []string) []group {
	var out []group
	rest := map[string]int{}
	for _, key := range order {
		items := groups[key]
		part := strings.SplitN(key, "|", 3)
		if part[2] != "" && len(items) >= 6 {
			out = append(out, group{part[0] + ": " + part[2], part[1] == "zh", items})
			continue
		}
		k := part[0] + "|" + part[1]
		i, ok := rest[k]
		if !ok {
			i = len(out)
			rest[k] = i
			out = append(out, group{part[0], part[1] == "zh", nil})
		}
		out[i].items = append(out[i].items, items...)
	}
	return out
}

// The parts that items play.
const (
	partPlain    = iota
	partUpdate   // stated wrongly, then corrected by name
	partConflict // stated twice, differently, without comment
	partHeldBack // never stated
)

type told struct {
	item
	part  int
	entry int // number in the runbook
	turns []int
	at    time.Time // of the last telling
}

// runbook makes a case: weekly sessions in which colleagues state entries of a runbook, then questions about it.
func runbook(g group, items []item, n int, o datasets.Options) schema.Case {
	r := newRand(o.Seed, n)
	id := fmt.Sprintf("opseval-%s-%03d", map[bool]string{true: "zh", false: "en"}[g.zh], n+1)
	a := &asker{Builder: datasets.NewBuilder("opseval", id, schema.ConvID(id), schema.UnitTurn), raw: g.name}
	a.Case.Source = g.name
	a.Case.Speakers = []string{say(g.zh, "On-call engineer", "值班工程师"), say(g.zh, "Assistant", "助手")}
	all := make([]*told, len(items))
	for i, k := range r.Perm(len(items)) {
		t := &told{item: items[k], entry: i + 1}
		switch {
		case i%8 == 7:
			t.part = partHeldBack
		case i%6 == 2 && t.wrong != "":
			t.part = partUpdate
		case i%6 == 5 && t.wrong != "":
			t.part = partConflict
		}
		all[i] = t
	}
	tell(a, g, all)
	questions(a, g, all)
	return a.Case
}

// tell writes the sessions: first every entry once, then the second statements.
func tell(a *asker, g group, all []*told) {
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC) // a Monday
	var first, second []func(at time.Time)
	say2 := func(at time.Time, text, reply string) int {
		turn := a.Turn(schema.CaseTurn{Role: "user", Name: a.Case.Speakers[0], Text: text, Time: datasets.LocalTime(at)})
		a.Turn(schema.CaseTurn{Role: "assistant", Name: a.Case.Speakers[1], Text: reply, Time: datasets.LocalTime(at.Add(30 * time.Second))})
		return turn
	}
	noted := say(g.zh, "Noted.", "已记录。")
	for _, t := range all {
		if t.part == partHeldBack {
			continue
		}
		answer := t.answer
		if t.part != partPlain {
			answer = t.wrong
		}
		first = append(first, func(at time.Time) {
			t.at, t.turns = at, []int{say2(at, fragment(g.zh, t, answer, t.part == partPlain), noted)}
		})
		switch t.part {
		case partUpdate:
			second = append(second, func(at time.Time) {
				t.at, t.turns = at, []int{say2(at, say(g.zh, "Correction to runbook entry %d (%q): what we wrote is out of date. The right procedure is: %s%s",
					"更正运维手册第%d条（“%s”）：原来的写法已过时，正确做法是：%s%s", t.entry, t.stem, t.answer, because(g.zh, t.why)), noted)}
			})
		case partConflict:
			second = append(second, func(at time.Time) {
				t.at, t.turns = at, append(t.turns, say2(at, fragment(g.zh, t, t.answer, true), noted))
			})
		}
	}
	at := start
	for i, f := range append(first, second...) {
		if i%perSession == 0 {
			at = start.AddDate(0, 0, 7*(i/perSession))
			a.Session(schema.Session{ID: datasets.Numbered("S", i/perSession+1, 2), Time: datasets.LocalTime(at)})
		}
		f(at.Add(time.Duration(i%perSession) * 5 * time.Minute))
	}
}

func fragment(zh bool, t *told, answer string, why bool) string {
	text := say(zh, "Runbook entry %d. Situation: %s Procedure: %s", "运维手册第%d条。情形：%s 处理：%s", t.entry, t.stem, answer)
	if why {
		text += because(zh, t.why)
	}
	return text
}

func because(zh bool, why string) string {
	if why == "" {
		return ""
	}
	return say(zh, " Why: %s", " 说明：%s", why)
}

// questions asks about the stated entries. Each kind has variants of wording, used in turn.
func questions(a *asker, g group, all []*told) {
	variant := func(i int, stem string) string {
		switch i % 3 {
		case 0:
			return stem
		case 1:
			return say(g.zh, "According to our runbook: %s", "按照我们的运维手册：%s", stem)
		}
		return say(g.zh, "A colleague on call asks: %s What should the answer be?", "值班同事问：%s 应如何答复？", stem)
	}
	var plain []*told
	for i, t := range all {
		switch t.part {
		case partHeldBack:
			a.ask(schema.CatABS, variant(i, t.stem), say(g.zh, "The runbook says nothing about this.", "运维手册没有相关内容。"), t.answer)
		case partUpdate:
			a.ask(schema.CatKU, say(g.zh, "What is the procedure now? %s", "现在的做法是什么？%s", t.stem), t.answer, t.wrong, t.turns...)
		case partConflict:
			a.ask(schema.CatCR, say(g.zh, "The runbook was told twice about this; which procedure holds, the newest being right? %s", "手册对此先后有两种说法，以最新的为准，应采用哪一种？%s", t.stem), t.answer, t.wrong, t.turns[1])
		default:
			a.ask(schema.CatIE, variant(i, t.stem), t.answer, t.wrong, t.turns...)
			plain = append(plain, t)
		}
	}
	for i := 0; i+1 < len(plain); i += 4 {
		x, y := plain[i], plain[i+1]
		a.ask(schema.CatMR, say(g.zh, "Two things from the runbook, in this order: (1) %s (2) %s", "手册中的两个问题，请按顺序回答：（1）%s（2）%s", x.stem, y.stem), "(1) "+x.answer+" (2) "+y.answer, "", x.turns[0], y.turns[0])
	}
	for i := 2; i < len(plain); i += 4 {
		x := plain[i]
		a.ask(schema.CatTR, say(g.zh, "On which date was this entry of the runbook told? %s", "这条手册内容是哪一天讲的？%s", x.stem), x.at.Format("2006-01-02"), "", x.turns[0])
	}
	for i := 3; i+4 < len(plain); i += 8 {
		x, y := plain[i], plain[i+4]
		gold := x
		if cmp.Compare(y.at.Unix(), x.at.Unix()) < 0 {
			gold = y
		}
		a.ask(schema.CatTR, say(g.zh, "Which was told first, entry %d or entry %d of the runbook?", "手册第%d条和第%d条，哪一条先讲？", x.entry, y.entry), say(g.zh, "entry %d", "第%d条", gold.entry), "", x.turns[0], y.turns[0])
	}
}
