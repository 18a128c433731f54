package grade

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"membench/llm"
	"membench/schema"
)

func erratum(kind, gold string) *schema.Erratum {
	return &schema.Erratum{Overlay: "list", Kind: kind, Answer: gold}
}

// said is the grades as text: protocol, gold and score or outcome.
func said(r schema.QARecord) string {
	var out []string
	for _, g := range r.Grades {
		s := g.Outcome
		if g.Score != nil {
			s = fmt.Sprint(*g.Score)
		}
		out = append(out, strings.TrimSpace(g.Protocol+" "+g.Gold)+" "+s)
	}
	return strings.Join(out, ", ")
}

// Both golds are graded; where no right answer can be told, that is said; a correction that changes nothing
// for the protocol gives no second grade, and one that is gone takes its grade along.
func TestCorrectedGolds(t *testing.T) {
	o := Options{Protocols: pick(t, "em", "evidence-recall")}
	one := func(r schema.QARecord) schema.QARecord { return drain(t, QA(context.Background(), stream(r), o))[0] }
	r := answer("q", "oolong", "sencha")
	r.K, r.Hits = 1, []schema.QAHit{{Rank: 1, ID: "p", Sources: []schema.EventRef{{ConvID: "c", TurnID: 2}}}}
	r.Evidence = []schema.EventRef{{ConvID: "c", TurnID: 1}}
	for _, c := range []struct {
		e    *schema.Erratum
		want string
	}{
		{nil, "em@1 0, evidence-recall@1 0"},
		{erratum("answer", "sencha"), "em@1 0, em@1 corrected 1, evidence-recall@1 0, evidence-recall@1 corrected 0"},
		{erratum("contested", "sencha"), "em@1 0, em@1 corrected not_applicable, evidence-recall@1 0, evidence-recall@1 corrected not_applicable"},
		{erratum("question", ""), "em@1 0, em@1 corrected not_applicable, evidence-recall@1 0, evidence-recall@1 corrected not_applicable"},
		{&schema.Erratum{Overlay: "list", Kind: "evidence", Evidence: []schema.EventRef{{ConvID: "c", TurnID: 2}}}, "em@1 0, evidence-recall@1 0, evidence-recall@1 corrected 1"},
	} {
		r.Errata = c.e
		r = one(r) // on the grades of the case before
		if have := said(r); have != c.want {
			t.Errorf("%+v:\nhave %s\nwant %s", c.e, have, c.want)
		}
		if r.Gold != "oolong" {
			t.Fatal("the recorded gold was exchanged")
		}
	}
	r.Errata, r.Outcome = erratum("answer", "sencha"), schema.OutcomeError
	r.Grades = nil
	if have := said(one(r)); strings.Contains(have, "corrected") {
		t.Errorf("an answer that was never given: %s", have)
	}
}

// A judge is asked about each gold once, and never again for what stands there.
func TestCorrectedGoldsByModel(t *testing.T) {
	var asked []string
	m := judgeOf(func(q llm.Request) (string, error) {
		asked = append(asked, q.Prompt)
		label := "WRONG"
		if strings.Contains(q.Prompt, "Gold answer: sencha") {
			label = "CORRECT"
		}
		return `{"label": "` + label + `"}`, nil
	})
	o := Options{Protocols: pick(t, "mem0-2025"), Judge: m}
	r := answer("q", "oolong", "sencha")
	r.Errata = erratum("answer", "sencha")
	got := drain(t, QA(context.Background(), stream(r), o))[0]
	if len(asked) != 2 || said(got) != "mem0-2025@1 0, mem0-2025@1 corrected 1" {
		t.Fatalf("%d calls: %s", len(asked), said(got))
	}
	again := drain(t, QA(context.Background(), stream(got), o))[0]
	if len(asked) != 2 || said(again) != said(got) {
		t.Errorf("%d calls: %s", len(asked), said(again))
	}
	r.Errata = &schema.Erratum{Overlay: "list", Kind: "evidence", Evidence: []schema.EventRef{{ConvID: "c", TurnID: 2}}}
	if got := drain(t, QA(context.Background(), stream(r), o))[0]; len(asked) != 3 || strings.Contains(said(got), "corrected") {
		t.Errorf("evidence that the judge is not shown: %d calls, %s", len(asked), said(got))
	}
}
