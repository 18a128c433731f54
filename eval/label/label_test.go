package label_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"membench/eval/calibrate"
	"membench/eval/explain"
	"membench/eval/label"
	"membench/eval/protocol"
	"membench/internal/browsertest"
	"membench/internal/exttest"
	"membench/internal/loopback"
	"membench/schema"
)

var forms = []label.Form{label.JSONL, label.TSV, label.CSV}

func TestRoundTrip(t *testing.T) {
	labels := []label.Label{
		{Sheet: explain.Sheet{System: "s", Dataset: "d", CaseID: "c", QuestionID: "q1", Repeat: 2, Question: "她住\"哪里\"？", Gold: "里斯本\t河边", Evidence: "turn 1\nturn 2"}, Digest: "0011", Draw: label.All, By: "ann",
			Verdict: label.Wrong, GoldWrong: label.Yes, Hop: schema.HopStore, Cause: schema.CauseMiss, Note: "好"},
		{Sheet: explain.Sheet{System: "s", Dataset: "d", CaseID: "c", QuestionID: "q2", Answer: `=HYPERLINK("http://evil.example")`, Gold: "'=1+1", Question: "+1", Context: strings.Repeat("x, y; z\n", 50)}, Draw: label.Failures},
		{Sheet: explain.Sheet{System: "s", CaseID: "c", QuestionID: "q3", Answer: "'quoted'", Gold: "@user"}},
	}
	for _, f := range forms {
		var b bytes.Buffer
		if err := label.Write(&b, labels, f); err != nil {
			t.Fatal(err)
		}
		if f != label.JSONL {
			for _, cell := range strings.FieldsFunc(b.String(), func(r rune) bool { return strings.ContainsRune("\t,\n\"", r) }) {
				if strings.ContainsRune("=+-@", rune(cell[0])) {
					t.Errorf("form %d: the cell %q is a formula", f, cell)
				}
			}
		}
		got, err := label.Read(&b, "labels", f, func(f *schema.Finding) { t.Error(f) })
		if err != nil || !reflect.DeepEqual(got, labels) {
			t.Errorf("form %d: %v\nhave %+v\nwant %+v", f, err, got, labels)
		}
	}
}

// A label that names no answer is no label: a file of millions of them is not held.
func TestNamesNoAnswer(t *testing.T) {
	for form, text := range map[label.Form]string{
		label.JSONL: `{"system":"s","case_id":"c","question_id":"q","hop":"gold"}` + "\n{}\n" + `{"system":"s","case_id":"c"}` + "\n",
		label.CSV:   "system,case_id,question_id,hop\ns,c,q,gold\n,,,gold\ns,,q,\n",
	} {
		var lines []int
		labels, err := label.Read(strings.NewReader(text), "labels", form, func(f *schema.Finding) {
			lines = append(lines, f.Pos.Line)
		})
		first := map[label.Form]int{label.JSONL: 2, label.CSV: 3}[form]
		if err != nil || len(labels) != 1 || !slices.Equal(lines, []int{first, first + 1}) {
			t.Errorf("form %d: %d labels, findings in lines %v, %v; want one label and two findings", form, len(labels), lines, err)
		}
	}
}

// TestCellsMoved: a row whose cells are not those of its columns, or whose repeat is no number, is not read as a label of another answer.
func TestCellsMoved(t *testing.T) {
	text := "repeat,system,case_id,question_id,verdict,hop\n1,s,c,q,right,\nx,s,c,q,wrong,\n-1,s,c,q,wrong,\n0,s,c,q,a, quoted comma,wrong,\n,s,c,q2,wrong\n0,s,c,q3,right,,,\n"
	var lines []int
	labels, err := label.Read(strings.NewReader(text), "labels", label.CSV, func(f *schema.Finding) { lines = append(lines, f.Pos.Line) })
	if err != nil || len(labels) != 3 || labels[0].Repeat != 1 || labels[1].QuestionID != "q2" || labels[2].QuestionID != "q3" || !slices.Equal(lines, []int{3, 4, 5}) {
		t.Errorf("%+v, findings in lines %v, %v", labels, lines, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, form := range forms {
		var b bytes.Buffer
		label.Write(&b, []label.Label{{Sheet: explain.Sheet{System: "系统", QuestionID: "q"}, Hop: "gold"}}, form)
		f.Add(b.Bytes(), int(form))
	}
	f.Add([]byte("system\tcase_id\tquestion_id\thop\n\"a\tb\n\xff"), 1)
	f.Fuzz(func(t *testing.T, in []byte, form int) {
		if form < 0 || form > 2 {
			return
		}
		labels, err := label.Read(bytes.NewReader(in), "f", label.Form(form), func(f *schema.Finding) {
			if f.Code != "EVL102" && f.Code != "JSON003" || f.Message == "" {
				t.Errorf("finding %+v", f)
			}
		})
		if err != nil {
			return
		}
		for _, l := range labels {
			if l.Hop != "" && !slices.Contains(schema.Hops(), l.Hop) || l.Verdict != "" && !slices.Contains(label.Verdicts(), l.Verdict) {
				t.Errorf("read %+v", l)
			}
		}
	})
}

func seq[T any](list []T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for _, v := range list {
			if !yield(schema.Record[T]{V: v}, nil) {
				return
			}
		}
	}
}

// exam has questions of three categories, by far not equally many, of which every fifth
// is right and every seventh doubtful.
func exam(n int) (out []schema.QARecord) {
	for i := range n {
		score := 0.
		if i%5 == 0 {
			score = 1
		}
		r := schema.QARecord{System: "s", Dataset: "d", CaseID: "c", QuestionID: fmt.Sprint(i), Question: fmt.Sprintf("Where is item %d?", i), Gold: "Lisbon", Answer: fmt.Sprintf("in town %d", i), Category: "IE",
			Context: "Iris: I live in Lisbon.", Outcome: schema.OutcomeAnswered, Grades: []schema.Grade{{Protocol: "rule@2", By: schema.ByRule, Score: &score, Outcome: schema.GradeScored}}}
		switch {
		case i%50 == 1:
			r.Category = "TR"
		case i%10 == 2:
			r.Category = "KU"
		}
		if i%7 == 0 {
			r.Grades[0].Doubt = "it names another candidate"
		}
		if score == 0 {
			r.Attribution = &schema.Attribution{Hop: schema.HopRetrieve, Cause: schema.CauseMiss}
		}
		out = append(out, r)
	}
	return out
}

func draw(t *testing.T, qa []schema.QARecord, o label.Options) []label.Label {
	t.Helper()
	out, err := label.Draw(context.Background(), seq(qa), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ids(labels []label.Label) (out []string) {
	for _, l := range labels {
		out = append(out, l.QuestionID)
	}
	return out
}

// The draw is the same whatever the order, a smaller one is its beginning, and strata have
// their share.
func TestDraw(t *testing.T) {
	qa := exam(500)
	first := draw(t, qa, label.Options{From: label.Failures, N: 60, Seed: 1})
	back := slices.Clone(qa)
	slices.Reverse(back)
	if !slices.Equal(ids(first), ids(draw(t, back, label.Options{From: label.Failures, N: 60, Seed: 1}))) {
		t.Error("another order of the records gives another draw")
	}
	if !slices.Equal(ids(first[:10]), ids(draw(t, qa, label.Options{From: label.Failures, N: 10, Seed: 1}))) {
		t.Error("a smaller draw is not the beginning of the larger")
	}
	if slices.Equal(ids(first), ids(draw(t, qa, label.Options{From: label.Failures, N: 60, Seed: 2}))) {
		t.Error("another seed gives the same draw")
	}
	count := func(labels []label.Label) map[string]int {
		n := map[string]int{}
		for _, l := range labels {
			n[l.Category]++
			if !l.Blank() || l.Digest == "" || l.Context == "" {
				t.Errorf("drawn %+v", l)
			}
		}
		return n
	}
	if n := count(first); n["TR"] != 10 || n["KU"] != 25 || n["IE"] != 25 {
		t.Errorf("failures by category: %v, want all 10 of TR and the others evenly", n)
	}
	if n := count(draw(t, qa, label.Options{From: label.All, N: 50, Seed: 1})); n["IE"] != 44 || n["KU"] != 5 || n["TR"] != 1 {
		t.Errorf("all by category: %v, want a tenth of 440, 50 and 10", n)
	}
	doubtful := draw(t, qa, label.Options{From: label.Doubtful, N: 500, Seed: 1})
	if len(doubtful) != 72 {
		t.Errorf("%d doubtful drawn, want exactly the 72", len(doubtful))
	}
	for _, l := range doubtful {
		var i int
		fmt.Sscan(l.QuestionID, &i)
		if i%7 != 0 {
			t.Errorf("%s is not doubtful", l.QuestionID)
		}
	}
}

// Labels are there line by line: a kill in the middle of one costs that line only.
func TestBook(t *testing.T) {
	dir := t.TempDir()
	list := draw(t, exam(20), label.Options{From: label.All, N: 5, Seed: 1})
	b, err := label.Open(dir, "Ann / 安")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := label.Open(dir, "Ann / 安"); err == nil {
		t.Error("a second process writes the same book")
	}
	for i, v := range []string{label.Right, label.Wrong, label.Wrong} {
		l := list[i]
		l.Verdict = v
		if err := b.Put(l); err != nil {
			t.Fatal(err)
		}
	}
	l := list[0]
	l.Verdict = "perhaps"
	if err := b.Put(l); err == nil {
		t.Error("a verdict that is none is saved")
	}
	l.Verdict = label.Unsure // said again: the last counts
	if err := b.Put(l); err != nil {
		t.Fatal(err)
	}
	b.Close()
	f, err := os.OpenFile(b.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"system":"s","dataset":"d","case_id":"c","question_id":"4","verd`)
	f.Close()
	b, err = label.Open(dir, "Ann / 安")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i, want := range []string{label.Unsure, label.Wrong, label.Wrong, ""} {
		if have := b.Said(list[i]).Verdict; have != want {
			t.Errorf("answer %d: have %q, want %q", i, have, want)
		}
	}
	changed := list[1]
	changed.Digest = "another"
	if b.Said(changed).Verdict != "" {
		t.Error("a label holds for another answer")
	}
	labels, err := label.ReadFiles([]string{dir}, func(f *schema.Finding) { t.Error(f) })
	if err != nil || len(labels) != 3 || labels[0].By != "Ann / 安" || labels[0].Verdict != label.Unsure {
		t.Errorf("read %+v, %v", labels, err)
	}
}

// Two people, explain and a judge: figures that were counted by hand.
func TestAgreement(t *testing.T) {
	qa := exam(40)
	var labels []label.Label
	for i, l := range draw(t, qa, label.Options{From: label.All, N: 40, Seed: 3}) {
		var n int
		fmt.Sscan(l.QuestionID, &n)
		ann, ben := l, l
		ann.By, ben.By = "ann", "ben"
		ann.Verdict, ann.Hop = label.Wrong, schema.HopRetrieve
		if n%5 == 0 { // as the judge
			ann.Verdict, ann.Hop = label.Right, ""
		}
		ben.Verdict, ben.Hop = ann.Verdict, ann.Hop
		switch {
		case n == 1: // ben says another hop
			ben.Hop = schema.HopRead
		case n == 2: // both hold the gold for wrong
			ann.GoldWrong, ben.GoldWrong, ann.Hop, ben.Hop = label.Yes, label.Yes, "", ""
		case n == 3: // ben holds the answer for right
			ben.Verdict, ben.Hop = label.Right, ""
		case n == 4: // both hold it for right, the judge for wrong
			ann.Verdict, ben.Verdict, ann.Hop, ben.Hop = label.Right, label.Right, "", ""
		case n == 6:
			ben = label.Label{Sheet: l.Sheet, By: "ben", Digest: "00"} // blank
		case n == 7:
			ben.Digest = "stale"
		}
		_ = i
		labels = append(labels, ann, ben)
	}
	labels = append(labels, label.Label{Sheet: explain.Sheet{System: "gone"}, By: "ann", Verdict: label.Right})
	c := label.NewCount(label.NewPeople(labels), .5)
	for i := range qa {
		c.Add(&qa[i])
	}
	a := c.Agreement()
	if want := []label.Person{{Name: "ann", Labels: 41, Unknown: 1}, {Name: "ben", Labels: 39, Blank: 1, Stale: 1}}; !slices.Equal(a.People, want) {
		t.Errorf("people %+v, want %+v", a.People, want)
	}
	if a.Answers != 40 || a.Disputed["hop"] != 2 || a.Disputed["verdict"] != 1 || a.Disputed["gold"] != 0 {
		t.Errorf("answers %d, disputed %v", a.Answers, a.Disputed)
	}
	find := func(of, first, second string) label.Comparison {
		t.Helper()
		for _, c := range a.Comparisons {
			if c.Of == of && c.First == first && c.Second == second {
				return c
			}
		}
		t.Fatalf("no comparison of %s, %s and %s", of, first, second)
		return label.Comparison{}
	}
	if x := find("verdict", "ann", "ben"); x.N != 38 || x.Same != 37 || x.Kappa.Kappa == nil || *x.KappaLow > *x.Kappa.Kappa || len(x.Apart) != 1 || x.Apart[0] != (label.Apart{First: label.Wrong, Second: label.Right, N: 1}) {
		t.Errorf("verdicts of ann and ben: %+v", x)
	}
	// Of 32 failed answers, ann says gold of 2, judge of 4, and as explain of the others.
	if x := find("hop", "ann", "explain"); x.N != 32 || x.Same != 30 {
		t.Errorf("hops of ann and explain: %+v", x)
	}
	// Together they leave out 1 and 3, on which they differ.
	if x := find("hop", "people", "explain"); x.N != 30 || x.Same != 28 {
		t.Errorf("hops of people and explain: %+v", x)
	}
	// 2 has a wrong gold, 3 is disputed; of the rest the judge is wrong on 4.
	if x := find("verdict", "people", "rule@2"); x.N != 38 || x.Same != 37 {
		t.Errorf("verdicts of people and the judge: %+v", x)
	}

	// Calibration sees what people say of answers drawn from all, and nothing else.
	people := label.NewPeople(labels)
	n := 0
	for i := range qa {
		qa[i].Grades = nil
		if g := people.Grade(&qa[i]); g != nil {
			qa[i].Grades = []schema.Grade{*g}
			n++
		}
	}
	if n != 38 {
		t.Errorf("%d verdicts for calibration, want 38", n)
	}
	rule, err := calibrate.Protocol(protocol.RuleJudge(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := calibrate.Run(context.Background(), qa, rule, calibrate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// 9 right: 8 and the fourth. The rule judge finds no gold in any answer.
	if l := rep.Labels; l == nil || l.FalseRejects.N != 9 || l.FalseRejects.K != 9 || l.FalseAccepts.N != 29 || l.FalseAccepts.K != 0 || !slices.Equal(l.By, []string{"label@1"}) {
		t.Errorf("rates by labels: %+v", l)
	}
	failures := slices.Clone(labels)
	for i := range failures {
		failures[i].Draw = label.Failures
	}
	if g := label.NewPeople(failures).Grade(&qa[9]); g != nil {
		t.Error("a label of a failure is taken for a sample of all answers")
	}
}

// A person labels with the keyboard; what was said is on disk at once, and the page goes
// on where it stopped.
func TestPage(t *testing.T) {
	exttest.Need(t, "chromium")
	qa := exam(30)
	qa[1].Answer = `<img src="https://evil.example/x" onerror="window.ran=1"></script><script>window.ran=1</script>`
	list := draw(t, qa, label.Options{From: label.Failures, N: 4, Seed: 1})
	list[1].Answer, list[1].Evidence = qa[1].Answer, qa[1].Answer
	dir := t.TempDir()
	serve := func() (url string, stop func()) {
		book, err := label.Open(dir, "ann")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		at, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- loopback.Serve(ctx, "127.0.0.1:0", label.Handler(list, book), func(u string) { at <- u })
		}()
		return <-at, func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if err := book.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	url, stop := serve()
	b := browsertest.Open(t, url, "en-US", 1200, 900, url)
	if s := b.Text("#question"); s != list[0].Question {
		t.Errorf("the first question is %q", s)
	}
	saved := func() { b.Until("all is saved", `document.documentElement.dataset.unsaved === "0"`) }
	b.Key("n")
	b.Key("R") // altered when retrieved
	b.Key("1")
	b.Key("1") // taken back
	b.Key("3")
	saved()
	b.Key("Enter")
	b.Until("the next", `document.documentElement.dataset.at === "1"`)
	if s := b.Text("#answer"); !strings.Contains(s, "onerror") || browsertest.Eval[bool](b, "window.ran === 1 || document.querySelectorAll('main img').length > 0") {
		t.Errorf("a text of the data is markup: %q", s)
	}
	b.Key("g")
	b.Key("/")
	b.Type("the gold names another town, y")
	b.Key("Escape")
	saved()
	b.Key("j")
	b.Until("the third", `document.documentElement.dataset.at === "2"`)
	b.Key("y")
	b.Key("k")
	b.Until("back", `document.documentElement.dataset.at === "1" && document.querySelector("#note").value.startsWith("the gold")`)
	saved()
	b.Shot("", "label")
	b.Clean()
	stop()

	raw, err := os.ReadFile(filepath.Join(dir, "ann.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(raw, []byte("\n")); n != 8 {
		t.Errorf("%d lines, want one for each of 8 changes:\n%s", n, raw)
	}
	labels, err := label.ReadFiles([]string{dir}, func(f *schema.Finding) { t.Error(f) })
	if err != nil || len(labels) != 3 {
		t.Fatalf("have %+v, %v", labels, err)
	}
	first, second, third := labels[0], labels[1], labels[2]
	if first.Verdict != label.Wrong || first.Hop != schema.HopAlteredRetrieved || first.Cause != schema.CauseTemporal || first.QuestionID != list[0].QuestionID || first.By != "ann" || first.Draw != label.Failures {
		t.Errorf("first %+v", first)
	}
	if second.GoldWrong != label.Yes || second.Note != "the gold names another town, y" || second.Verdict != "" || third.Verdict != label.Right {
		t.Errorf("second %+v, third %+v", second, third)
	}

	// Started again, it shows what was said and opens the first that has no label.
	url, stop = serve()
	b = browsertest.Open(t, url, "en-US", 1200, 900, url)
	b.Until("the fourth", `document.documentElement.dataset.at === "3"`)
	b.Key("k")
	b.Until("what was said", `document.querySelector('[data-value="right"]').getAttribute("aria-pressed") === "true"`)
	stop()
	// What cannot be saved is said, and is not lost on the page.
	b.Key("n")
	b.Until("the fault is shown", `document.querySelector("#fault").textContent.includes("not saved")`)
}
