package published_test

import (
	"errors"
	"strings"
	"testing"

	"membench/eval/published"
	"membench/schema"
)

// A table of answers is read in every form that people keep one in; what is no answer is
// a finding, and columns that nobody can tell are named.
func TestTable(t *testing.T) {
	const both = "Where?|Porto|In Porto.||Who?|Ana; Anna|Ana"
	for _, c := range []struct {
		name, file, text string
		o                published.Options
		want             string // question|gold|answer, two bars between rows
		faults           int
		err              string
	}{
		{name: "usual names", file: "r.csv", text: "id,question,expected,prediction\n1,Where?,Porto,In Porto.\n2,Who?,\"Ana; Anna\",Ana\n", want: both},
		{name: "answer is the system's", file: "r.csv", text: "Question,Gold Answer,Answer\nWhere?,Porto,In Porto.\nWho?,Ana; Anna,Ana\n", want: both},
		{name: "answer is the gold", file: "r.tsv", text: "\ufeffquery\tanswer\tmodel answer\nWhere?\tPorto\tIn Porto.\nWho?\tAna; Anna\tAna\n", want: both},
		{name: "mapped", file: "r.csv", text: "F;S;A\nWhere?;Porto;In Porto.\nWho?;Ana; Anna;Ana\n", o: published.Options{Map: map[string]string{"question": "F", "gold": "S", "prediction": "A"}}, want: "Where?|Porto|In Porto.", faults: 1},
		{name: "lines", file: "r.jsonl", text: `{"question":"Where?","gold":"Porto","response":"In Porto."}` + "\n" + `{"question":"Who?","gold":["Ana; Anna"],"response":"Ana"}` + "\n", want: both},
		{name: "one line", file: "r.jsonl", text: `{"question":"Where?","gold":["Porto","Oporto"],"response":"In Porto."}`, want: "Where?|Porto|In Porto."},
		{name: "an array", file: "r.json", text: `[{"question":"Where?","gold":"Porto","response":"In Porto."}, {"question":"Who?","gold":"Ana; Anna","response":"Ana"}]`, want: both},
		{name: "a list in an object", file: "r.json", text: `{"run":7,"rows":[{"question":"Where?","gold":"Porto","response":"In Porto."}, {"question":"Who?","gold":"Ana; Anna","response":"Ana"}]}`, want: both},
		{name: "members within", file: "r.jsonl", text: `{"in":{"q":"Where?"},"gold":"Porto","out":{"text":"In Porto."}}`, o: published.Options{Map: map[string]string{"question": "in.q", "prediction": "out.text"}}, want: "Where?|Porto|In Porto."},
		{name: "no gold", file: "r.csv", text: "question,gold,prediction,category\nWhere?,,In Porto.,\nWho?,,I do not know.,unanswerable\n", want: "Who?||I do not know.", faults: 1},
		{name: "not UTF-8", file: "r.csv", text: "question,gold,prediction\nWhere?,M\xfcnchen,x\nWho?,Ana,Ana\n", want: "Who?|Ana|Ana", faults: 1},
		{name: "asked twice", file: "r.csv", text: "question,gold,prediction\nWho?,Ana,Ana\nWho?,Ana,Bob\n", want: "Who?|Ana|Ana||Who?|Ana|Bob", faults: 1},
		{name: "unknown columns", file: "r.csv", text: "F,S,A\n1,2,3\n", err: "its columns are F, S, A: name those"},
		{name: "no such column", file: "r.csv", text: "question,gold,prediction\n1,2,3\n", o: published.Options{Map: map[string]string{"gold": "Soll"}}, err: `has no column "Soll"; it has question, gold, prediction`},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, err := published.Open(strings.NewReader(c.text), c.file, c.o)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("have %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			ids, faults := map[string]bool{}, 0
			for r, err := range im.QA {
				var f *schema.Finding
				if err != nil && !errors.As(err, &f) {
					t.Fatal(err)
				}
				if f != nil {
					faults++
				}
				if f == nil || f.Warning {
					have = append(have, r.V.Question+"|"+r.V.Gold+"|"+r.V.Answer)
					ids[r.V.QuestionID] = true
				}
			}
			if s := strings.Join(have, "||"); s != c.want || faults != c.faults || len(ids) != len(have) || im.System != "r" {
				t.Errorf("have %q with %d findings and the ids %v of %s, want %q and %d", s, faults, ids, im.System, c.want, c.faults)
			}
		})
	}
}
