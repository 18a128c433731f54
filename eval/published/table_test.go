package published_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		{name: "other members later", file: "r.jsonl", text: `{"question":"Where?","gold":"Porto","prediction":"In Porto."}` + "\n" + `{"category":"MR","question":"Who?","expected":"Ana; Anna","response":"Ana"}` + "\n", want: both},
		{name: "an answer that means another part", file: "r.json", text: `[{"question":"Where?","gold":"Porto","answer":"In Porto."}, {"question":"Who?","answer":"Ana; Anna","prediction":"Ana"}]`, want: both},
		{name: "mapped, only in a later row", file: "r.jsonl", text: `{"q":"Where?","gold":"Porto","response":"In Porto."}` + "\n" + `{"q":"Who?","gold":"Ana; Anna","kind":"MR","response":"Ana"}` + "\n", o: published.Options{Map: map[string]string{"question": "q", "category": "kind"}}, want: both},
		{name: "no answer", file: "r.jsonl", text: `{"question":"Where?","gold":"Porto","prediction":"In Porto."}` + "\n" + `{"question":"Who?","gold":"Ana"}` + "\n" + `{"question":"Why?","gold":"Ana","prediction":""}` + "\n", want: "Where?|Porto|In Porto.||Why?|Ana|", faults: 1},
		{name: "the first row has no answer", file: "r.jsonl", text: `{"question":"Why?","gold":"Ana"}` + "\n" + `{"question":"Where?","gold":"Porto","prediction":"In Porto."}` + "\n", want: "Where?|Porto|In Porto.", faults: 1},
		{name: "no gold", file: "r.csv", text: "question,gold,prediction,category\nWhere?,,In Porto.,\nWho?,,I do not know.,unanswerable\n", want: "Who?||I do not know.", faults: 2},
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

// TestRowsAreWhole: a row that breaks off, or whose parts are not what they should be, is a
// finding at its place.
func TestRowsAreWhole(t *testing.T) {
	good := `{"question":"q1","gold":["g",2],"prediction":true}` + "\n"
	for row, want := range map[string]string{
		`{"pre`: "2:6 ",
		`{"question":"q2","gold":"g","prediction":"x",`:     "2:46 ",
		`{"question":"q2","gold":"g","prediction":"x"}{g`:   "2:46 ",
		`{"question":5,"gold":"g","prediction":"x"}`:        "2:13 /question",
		`{"question":"q2","gold":{"a":1},"prediction":"x"}`: "2:25 /gold",
		`{"question":"q2","gold":[[1]],"prediction":"x"}`:   "2:25 /gold",
		`{"question":"q2","gold":"g","prediction":{}}`:      "2:42 /prediction",
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		if err := os.WriteFile(path, []byte(good+row+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, answers, findings := read(t, path, published.Options{})
		if len(answers) != 1 || len(findings) != 1 || !strings.HasPrefix(fmt.Sprintf("%d:%d %s", findings[0].Pos.Line, findings[0].Pos.Col, findings[0].Pointer), want) {
			t.Errorf("%s: %d answers, %v, want %s", row, len(answers), findings, want)
		}
	}
}

// TestTableCategories: a label outside the common set stays what it is, under no other category, and is reported once.
func TestTableCategories(t *testing.T) {
	for text, want := range map[string]string{
		"question,gold,prediction,type\na,1,1,time\na,1,1,time\nb,1,1,Temporal Reasoning\nc,1,1,\nd,1,1,banana\ne,1,1,single-hop\nf,1,1,ku\n": "OTHER:time OTHER:time TR:Temporal Reasoning OTHER: OTHER:banana IE:single-hop KU:ku|" +
			`PUB020 ["time" "" "banana"] in 4 rows, PUB004 a-twice`,
		"question,gold,prediction,type\na,1,1,IE\nb,1,1,multi_hop\n": "IE:IE MR:multi_hop|",
		"question,gold,prediction\na,1,1\n":                          "OTHER:|",
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, recs, found := read(t, path, published.Options{})
		var have, said []string
		for _, q := range recs {
			have = append(have, q.Category+":"+q.RawCategory)
		}
		for _, f := range found {
			if f.Code == "PUB004" {
				f.Have = "a-twice"
			}
			said = append(said, f.Code+" "+f.Have)
			if !f.Warning {
				t.Error(f)
			}
		}
		if s := strings.Join(have, " ") + "|" + strings.Join(said, ", "); s != want {
			t.Errorf("have %s\nwant %s", s, want)
		}
	}
}

// TestTableBesideCases: what a row states otherwise than the cases do is an error of its place, also where the record takes the cases' value; a category by
// another name of the same, an empty cell and a gold of a question without an answer are none.
func TestTableBesideCases(t *testing.T) {
	cases := []published.Asked{
		{CaseID: "c", Question: schema.Question{ID: "a", Text: "Which dye?", Answer: "woad", Category: schema.CatIE, RawCategory: "dyes"}},
		{CaseID: "c", Question: schema.Question{ID: "b", Text: "Which loom?", Answer: "a floor loom", Category: schema.CatMR, RawCategory: "looms"}},
		{CaseID: "c", Question: schema.Question{ID: "n", Text: "Which sheep?", Category: schema.CatABS, RawCategory: "none", Abstain: true}},
	}
	for rows, want := range map[string]string{
		"a,Which dye?,woad,dyes,madder\nb,,,multi_hop,x\nn,Which sheep?,It was not said.,ABS,x": "",
		"a,Which  dye?,madder,dyes,madder\nb,,a floor loom,mine,x":                              "2 PUB009 madder",
		"a,,woad,looms,x\nb,,a floor loom,dyes,x":                                               "2 PUB008 looms, 3 PUB008 dyes",
		"a,Which yarn?,woad,KU,x":                                                               "2 PUB007 Which yarn?, 2 PUB008 KU",
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, []byte("id,question,gold,category,prediction\n"+rows+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, recs, found := read(t, path, published.Options{Asked: cases})
		var have []string
		for _, f := range found {
			have = append(have, fmt.Sprint(f.Pos.Line, " ", f.Code, " ", f.Have))
		}
		if s := strings.Join(have, ", "); s != want || len(recs) != strings.Count(rows, "\n")+1 || recs[0].Gold != "woad" || recs[0].RawCategory != "dyes" || recs[0].CaseID != "c" {
			t.Errorf("%q: have %q, %+v, want %q", rows, s, recs, want)
		}
	}
}
