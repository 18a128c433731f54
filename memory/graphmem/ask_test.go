package graphmem_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/eval/judge"
	"membench/eval/reader"
	"membench/internal/stats"
	"membench/llm/hashing"
	"membench/memory/graphmem"
	"membench/schema"
)

// A stratum is a kind of human question in the draw, so many of each half.
type stratum struct {
	kind, set string
	raw       []string // categories as the source has them
	n         int      // of each half
	asOf      string   // "before" what is asked about was said first, "after" it was said last; "" now
}

var strata = []stratum{
	{"facts", "LoCoMo", []string{"4"}, 12, ""},
	{"facts", "LoCoMo", []string{"1"}, 5, ""},
	{"facts", "REALTALK", []string{"1"}, 11, ""},
	{"facts", "BEAM", []string{"information_extraction"}, 5, ""},
	{"facts", "BEAM", []string{"multi_session_reasoning"}, 3, ""},
	{"time", "LoCoMo", []string{"2"}, 7, ""},
	{"time", "REALTALK", []string{"2"}, 7, ""},
	{"time", "BEAM", []string{"temporal_reasoning"}, 4, ""},
	{"updates", "BEAM", []string{"knowledge_update"}, 8, ""},
	{"updates", "BEAM", []string{"contradiction_resolution"}, 4, ""},
	{"order", "BEAM", []string{"event_ordering"}, 4, ""},
	{"as of", "LoCoMo", []string{"4"}, 3, "before"},
	{"as of", "LoCoMo", []string{"4"}, 3, "after"},
	{"as of", "REALTALK", []string{"1", "2"}, 3, "before"},
	{"as of", "REALTALK", []string{"1", "2"}, 3, "after"},
	{"wrong person", "LoCoMo", []string{"5"}, 12, ""},
	{"unanswerable", "BEAM", []string{"abstention"}, 6, ""},
}

// A drawn question; none is what nothing that was said by then answers.
type drawn struct {
	stratum
	q    schema.Question
	when string
	none bool
}

// draw takes n questions of a stratum from one half of the cases, by the hash of their ids.
func (s stratum) draw(cases []schema.Case, back bool) map[string][]drawn {
	type one struct {
		conv string
		key  string
		drawn
	}
	var list []one
	for _, c := range cases {
		if keptBack(c) != back {
			continue
		}
		for _, q := range c.Questions {
			if !slices.Contains(s.raw, q.RawCategory) || len(q.Evidence) == 0 && !q.Abstain || strings.Contains(q.Text, "photo") {
				continue
			}
			d := drawn{stratum: s, q: q, none: q.Abstain}
			if s.asOf != "" {
				first, last := saidDays(c, q)
				d.when, d.none = last, false
				if s.asOf == "before" {
					t, err := time.Parse(time.DateOnly, first)
					if err != nil || len(c.Sessions[0].Time) < 10 || first <= c.Sessions[0].Time[:10] {
						continue
					}
					d.when, d.none = t.AddDate(0, 0, -1).Format(time.DateOnly), true
				}
			}
			sum := sha256.Sum256([]byte("ask 20261123 " + s.asOf + q.ID))
			list = append(list, one{c.ID, hex.EncodeToString(sum[:]), d})
		}
	}
	slices.SortFunc(list, func(a, b one) int { return cmp.Compare(a.key, b.key) })
	out := map[string][]drawn{}
	for _, x := range list[:min(s.n, len(list))] {
		out[x.conv] = append(out[x.conv], x.drawn)
	}
	return out
}

// saidDays are the days of the first and the last turn that a question's gold names.
func saidDays(c schema.Case, q schema.Question) (first, last string) {
	for _, s := range c.Sessions {
		for _, u := range s.Turns {
			x := u.Turn(c.ConvID)
			day := cmp.Or(x.Time, s.Time)
			if len(day) < 10 || !slices.Contains(q.Evidence, x.Sources[0]) {
				continue
			}
			if first == "" {
				first = day[:10]
			}
			last = day[:10]
		}
	}
	return first, last
}

// What became of a question. The last two are counted among the wrong as well.
const (
	right   = "right"
	quoted  = "quoted"  // it says that nothing answers for certain, and quotes what does
	honest  = "honest"  // it says that it does not know, and nobody said it
	missed  = "missed"  // it says that it does not know, it was said, and what it quotes does not say it
	wrong   = "wrong"   // anything else
	other   = "person"  // another person's fact
	retired = "retired" // a withdrawn claim as current
)

// labels are what a reader said of answers: by question, day and hash of the answer, since
// an answer quotes what was said. A label of another answer counts for nothing.
func labels(t *testing.T) map[string]string {
	f, err := os.Open("testdata/ask_labels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if x := strings.Split(sc.Text(), "\t"); len(x) == 4 {
			out[x[0]+"\t"+x[1]+"\t"+x[2]] = x[3]
		}
	}
	return out
}

// TestAsk asks 200 human questions as `membench ask` does, by rule with hashed vectors, and
// writes docs/quality.md: half of them from conversations whose answers nobody read while
// the reader was changed. Answers are judged by rule unless they were read.
func TestAsk(t *testing.T) {
	if os.Getenv("MEMBENCH_SOAK") == "" && !*update {
		t.Skip("minutes of work: set MEMBENCH_SOAK=1")
	}
	read := labels(t)
	type key struct {
		half, kind string
	}
	counts, byReader := map[key]map[string]int{}, map[string]int{}
	for _, s := range sets[:3] {
		var cases []schema.Case
		asked := map[string][]drawn{}
		for _, c := range s.whole(t) {
			for _, st := range strata {
				if st.set == s.name {
					asked[c.ID] = append(asked[c.ID], st.draw(s.whole(t), keptBack(c))[c.ID]...)
				}
			}
			if len(asked[c.ID]) > 0 {
				cases = append(cases, c)
			}
		}
		for i, r := range readings(t, graphs(t, cases), hashing.New(0)) {
			half := map[bool]string{false: "open", true: "kept back"}[keptBack(cases[i])]
			for _, d := range asked[cases[i].ID] {
				a, err := r.Answer(context.Background(), nil, d.q.Text, d.when, 10)
				if err != nil {
					t.Fatal(err)
				}
				id := d.q.ID + "\t" + d.when + "\t" + short(shown(a))
				got, ok := read[id]
				if ok {
					byReader[half]++
				} else {
					got = verdict(d, a)
				}
				if slices.Contains(strings.Split(os.Getenv("MEMBENCH_ASK_LIST"), ","), half) { // to be read by a person
					t.Logf("%s\t%s\nQ %s\nG %s\nA %s\n", id, got, d.q.Text, d.q.Answer, shown(a))
				}
				k := key{half, d.kind}
				if counts[k] == nil {
					counts[k] = map[string]int{}
				}
				counts[k][got]++
			}
		}
	}
	if len(counts) == 0 {
		t.Skip("no data")
	}
	var b strings.Builder
	b.WriteString("| | questions | right | refused, the answer quoted | refused, nobody said it | refused, it was said | wrong | of another person | withdrawn as current | right, quoted or nobody said it |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, half := range []string{"open", "kept back"} {
		all := map[string]int{}
		row := func(name string, c map[string]int) {
			n := 0
			for _, v := range c {
				n += v
			}
			good := c[right] + c[quoted] + c[honest]
			w := stats.Wilson(good, n, .95)
			fmt.Fprintf(&b, "| %s, %s | %d | %d | %d | %d | %d | %d | %d | %d | %.2f [%.2f, %.2f] |\n", half, name, n, c[right], c[quoted], c[honest], c[missed], c[wrong]+c[other]+c[retired], c[other], c[retired], float64(good)/float64(n), w.Lo, w.Hi)
		}
		for _, kind := range []string{"facts", "time", "updates", "order", "as of", "wrong person", "unanswerable"} {
			c := counts[key{half, kind}]
			for k, v := range c {
				all[k] += v
			}
			row(kind, c)
		}
		row("all ("+fmt.Sprint(byReader[half])+" read)", all)
	}
	fill(t, "../../docs/quality.md", "ask", b.String())
}

func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// shown is what a person sees of an answer.
func shown(a graphmem.Answer) string {
	out := a.Text
	for _, q := range a.Near {
		out += "\n" + q.Text
	}
	return out
}

// verdict is what the rule judge makes of an answer, and beside a refusal of the quotes that are of gold turns: of 108 refusals that were read it agreed on 86,
// and on 69 where it judged all quotes together.
func verdict(d drawn, a graphmem.Answer) string {
	refused := a.Text == reader.Refusal || a.Text == reader.RefusalZH
	text := a.Text
	if refused {
		text = ""
		for _, q := range a.Near {
			if slices.ContainsFunc(a.Hits[q.Hit-1].Sources, func(e schema.EventRef) bool { return slices.Contains(d.q.Evidence, e) }) {
				text += "\n" + q.Text
			}
		}
	}
	good := text != "" && judge.Judge(judge.Question{Text: d.q.Text}, []string{d.q.Answer}, text).Correct
	switch {
	case refused && d.none:
		return honest
	case refused && good && d.kind != "order": // quotes are in no order
		return quoted
	case refused:
		return missed
	case d.none && d.kind == "wrong person":
		return other
	case d.none:
		return wrong
	case good:
		return right
	}
	return wrong
}
