package plain_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/plain"
	"membench/internal/codec"
	"membench/schema"
)

func read(t testing.TB, text string) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, plain.Cases, datasets.Options{Workers: 1}, datasets.TextFile("f", text))
}

const short = `{"case_id": "bgp", "source": "netops", "chunks": [
  {"content": "BGP 邻居抖动时先查物理链路。", "timestamp": "2026-03-01T09:00:00", "metadata": {"speaker": "Mira", "session_id": "S1", "id": "c-1"}},
  {"content": "Then look at the hold timer.", "metadata": {"role": "assistant", "session_id": "S1"}},
  {"content": "", "metadata": {"session_id": "S1"}},
  {"content": "New: 30 seconds.", "timestamp": "2026-04-01T09:00:00", "metadata": {"session_id": "S2"}}],
 "questions": [
  {"question": "What is looked at first?", "answer": "the link", "category": "single_hop", "evidence": ["c-1", 2, 99]},
  {"question": "How long is the timer?", "answers": [30, "30 seconds"], "category": "KU", "evidence": [4], "timestamp": "2026-05-01"},
  {"question": "?", "answer": "x", "category": "what"}]}`

func TestShort(t *testing.T) {
	cases, found := read(t, short)
	if len(cases) != 1 || len(found) != 3 || found[1].Code != "DST018" || found[1].Pointer != "/questions/1/answers/0" || found[2].Code != "DST003" || found[2].Pos.Line != 9 {
		t.Fatalf("%d cases, %v", len(cases), found)
	}
	c := cases[0]
	if len(c.Sessions) != 2 || len(c.Sessions[0].Turns) != 2 || c.Sessions[1].Turns[0].TurnID != 3 || c.Source != "netops" {
		t.Errorf("sessions %+v", c.Sessions)
	}
	q := c.Questions[0]
	if q.Category != "IE" || q.RawCategory != "single_hop" || q.ID != "bgp/q/0" || !reflect.DeepEqual(q.Unresolved, []string{"99"}) || len(q.Evidence) != 2 {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[1]; q.Answer != "30" || len(q.Golds()) != 2 || q.Evidence[0].TurnID != 3 || q.AsOf != "2026-05-01" {
		t.Errorf("%+v", q)
	}
}

// TestNative: a Case record comes back as it is, unknown members too.
func TestNative(t *testing.T) {
	cases, _ := read(t, short)
	b, err := codec.Append(nil, cases[0], codec.Compact)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b[:len(b)-1]) + `,"later":{"z":1,"a":2}}`
	again, found := read(t, text)
	if len(again) != 1 || len(found) != 0 {
		t.Fatalf("%v", found)
	}
	if b, _ = codec.Append(nil, again[0], codec.Compact); string(b) != text {
		t.Errorf("have %s\nwant %s", b, text)
	}
	_, found = read(t, `{"case_id":"a","dataset":"d","conv_id":"c","unit":"turn","sessions":[{"session_id":"s","turns":[{"turn_id":2,"role":"user","text":"x"}]}],"questions":[]}`)
	if len(found) != 1 || found[0].Pointer != "/sessions/0/turns/0/turn_id" {
		t.Errorf("%v", found)
	}
}

// TestMisspelt: a member with nearly the name of one that is missing is a finding in its place, in both forms; members of one's own are not.
func TestMisspelt(t *testing.T) {
	for text, want := range map[string]string{
		`{"case_id":"a","chunks":[{"content":"x","metadata":{"mood":"own"}}],"questions":[{"question":"?","answer":"y","category":"IE","evidense":[1],"note":"own","catgory":"own: category is there"}]}`: "/questions/0/evidense",
		`{"case_id":"a","dataset":"d","conv_id":"c","unit":"turn","sessions":[{"session_id":"s","turns":[{"turn_id":1,"role":"user","text":"x","tme":"2025","type":"own"}]}],"questions":[]}`:             "/sessions/0/turns/0/tme",
		`{"case_id":"a","dataset":"d","conv_id":"c","unit":"turn","sessions":[{"session_id":"s","turns":[{"turn_id":1,"role":"user","text":"x"}]}],
			"questions":[{"question_id":"q","question":"?","answer":"","category":"ABS","raw_category":"x","abstian":true}]}`: "/questions/0/abstian",
	} {
		_, found := read(t, text)
		if found = slices.DeleteFunc(found, func(f *schema.Finding) bool { return f.Code != "DST027" }); len(found) != 1 || found[0].Pointer != want || found[0].Warning {
			t.Errorf("%s: %v, want %s", text, found, want)
		}
	}
}

// TestOtherNames: what is written under another usual name, or beside the object that it belongs into, is reported once, with what was meant; a number is an id too.
func TestOtherNames(t *testing.T) {
	const native = `{"case_id":"a","dataset":"d","conv_id":"c","unit":"turn","sessions":[%s],"questions":[{"question_id":"q","question":"?","answer":"y","category":"IE","raw_category":"x"}]}`
	const form = `{"case_id":"a","chunks":[%s],"questions":[{"question":"?","answer":"y","category":"IE","evidence":[1]}]}`
	for text, want := range map[string]string{
		fmt.Sprintf(form, `{"content":"x","metadata":{"session":"S1"}},{"content":"y","metadata":{"session":"S2"}}`):             "/chunks/0/metadata/session session_id (in 2 places)",
		fmt.Sprintf(form, `{"content":"x","metadata":{"sessionId":3}}`):                                                          "/chunks/0/metadata/sessionId session_id",
		fmt.Sprintf(form, `{"content":"x","metadata":{"name":"Ada"}}`):                                                           "/chunks/0/metadata/name speaker",
		fmt.Sprintf(form, `{"content":"x","metadata":{"speaker":"Ada","name":"own"}}`):                                           "",
		fmt.Sprintf(form, `{"content":"x","speaker":"Ada"}`):                                                                     "/chunks/0/speaker speaker, in metadata",
		fmt.Sprintf(form, `{"content":"x","metadata":{"time":"2026-01-01"}}`):                                                    "/chunks/0/metadata/time timestamp, beside metadata",
		fmt.Sprintf(form, `{"content":"x","date":"2026-01-01","metadata":{}}`):                                                   "/chunks/0/date timestamp",
		fmt.Sprintf(form, `{"content":"x","metadata":{"mood":"own","topic":["own"]}}`):                                           "",
		fmt.Sprintf(native, `{"session_id":"s","turns":[{"turn_id":1,"role":"user","text":"x","speaker":"Ada"}]}`):               "/sessions/0/turns/0/speaker name",
		fmt.Sprintf(native, `{"session_id":"s","timestamp":"2026-01-01","turns":[{"turn_id":1,"role":"user","text":"x"}]}`):      "/sessions/0/timestamp time",
		fmt.Sprintf(native, `{"session_id":"s","time":"2026-01-01","date":"own","turns":[{"turn_id":1,"role":"u","text":"x"}]}`): "",
	} {
		_, found := read(t, text)
		var have []string
		for _, f := range found {
			if f.Code == "DST027" {
				_, more, _ := strings.Cut(f.Message, " (in")
				if more != "" {
					more = " (in" + more
				}
				have = append(have, f.Pointer+" "+f.Want+more)
			}
		}
		if strings.Join(have, "; ") != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
	cases, _ := read(t, fmt.Sprintf(form, `{"content":"x","metadata":{"session_id":7}},{"content":"y","metadata":{"session_id":8,"speaker":"Ada"}}`))
	if len(cases) != 1 || len(cases[0].Sessions) != 2 || cases[0].Sessions[1].ID != "8" || cases[0].Speakers[0] != "Ada" {
		t.Errorf("%+v", cases)
	}
}

// TestNoQuestions: a case of the short form that asks nothing is an error.
func TestNoQuestions(t *testing.T) {
	for _, questions := range []string{"", `,"questions":[]`} {
		if cases, found := read(t, `{"case_id":"a","chunks":[{"content":"x"}]`+questions+`}`); len(cases) != 0 || len(found) != 1 || found[0].Code != "DST001" {
			t.Errorf("%q: %v %v", questions, cases, found)
		}
	}
}

func FuzzCases(f *testing.F) {
	f.Add(short)
	f.Add(`{"case_id":1,"sessions":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, found := read(t, text)
		for _, x := range found {
			if x.Code == "" || x.Pos.Line < 1 {
				t.Errorf("finding without a place: %+v", x)
			}
		}
	})
}
