package graphmem

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStyle(t *testing.T) {
	talk := func(turns ...string) style {
		s := style{bySpeaker: map[string]length{}}
		last := ""
		for _, x := range turns {
			who, said, _ := strings.Cut(x, ": ")
			s.add(who, said, last != "", who == last)
			last = who
		}
		return s
	}
	long := strings.Repeat("advice steps tables figures ", 60)
	var peers, helper []string
	for range 40 {
		peers = append(peers, "Ann: Went hiking today, lovely views", "Ann: Met Tom there", "Bo: Sounds great, which trail was that")
		helper = append(helper, "user: How do I bake rye bread", "assistant: "+long)
	}
	p, h := talk(peers...), talk(helper...)
	if p.chat() < .9 || h.chat() != 0 {
		t.Errorf("chat: two messages to one %.2f, strict turns %.2f; want near 1 and 0", p.chat(), h.chat())
	}
	if p.even() < .7 || h.even() != 0 {
		t.Errorf("even: peers %.2f, helper %.2f; want near 1 and 0", p.even(), h.even())
	}
	if x := h.terse(); x["user"] < 2 || x["assistant"] > -2 {
		t.Errorf("terse: %v, want the user far above 0 and the assistant far below", x)
	}
	was, model, hashed := Learnt(), p.fit(Learnt(), 20, false), p.fit(Learnt(), 20, true)
	if model.Meaning != was.Meaning || model.Words != was.Words || hashed.Meaning > .1*was.Meaning || hashed.Words < 1.9*was.Words {
		t.Errorf("a chat: with a model meaning %.2f, words %.2f, hashed %.2f, %.2f; want %.2f, %.2f, and near 0 and twice as much", model.Meaning, model.Words, hashed.Meaning, hashed.Words, was.Meaning, was.Words)
	}
	if x := h.fit(was, 20, true); x.Meaning != was.Meaning || x.Words != was.Words {
		t.Errorf("strict turns: meaning %.2f, words %.2f; want them as learnt", x.Meaning, x.Words)
	}
	if few := talk("user: tea", "assistant: "+long); few.even() < .5 {
		t.Errorf("two turns: even %.2f; so few say little of a style", few.even())
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", "Short.", strings.Repeat("One sentence of words. ", 60), strings.Repeat("没有空格的一句话，", 90), strings.Repeat("\x80\xbf", 900), strings.Repeat("/", 3000)} {
		parts := cut(text)
		if strings.Join(parts, "") != text {
			t.Fatalf("%.20q: the parts are not the text", text)
		}
		for _, p := range parts {
			if len(p) > passage || utf8.ValidString(text) && !utf8.ValidString(p) {
				t.Errorf("%.20q: part of %d bytes, valid %v", text, len(p), utf8.ValidString(p))
			}
		}
		if len(text) > 0 && opening(text) != parts[0] {
			t.Errorf("%.20q: the opening is not the first part", text)
		}
	}
}

// A long turn is shown by its opening and what fits the question; a short one whole.
func TestExcerpt(t *testing.T) {
	filler := strings.Repeat("Nothing of interest stands in this sentence. ", 40)
	text := "The opening says what it is about. " + filler + "The tortoise is called Hugo and eats clover. " + filler
	v := newView("s", nil)
	v.parts.add(text)
	got := v.parts.excerpt(text, "What is the tortoise called?")
	if !strings.HasPrefix(got, "The opening says") || !strings.Contains(got, "called Hugo") || len(got) > (1+shown)*passage+20 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if short := "Hugo eats clover."; v.parts.excerpt(short, "Hugo?") != short {
		t.Error("a short turn is cut")
	}
}

// A name in a question stands for the speaker who is called by it, or whose name is written
// nearly so; a name that somebody speaks of stands for nobody here.
func TestCalled(t *testing.T) {
	v := newView("s", nil)
	for _, x := range []string{"Emi: Hello there", "Muhhamed: Hey Kate! How was it?", "Emi: Fine", "Muhhamed: Thanks, Kate. My aunt Mohamad called."} {
		who, said, _ := strings.Cut(x, ": ")
		if _, ok := v.voices[who]; !ok {
			v.voices[who] = int32(len(v.voices))
		}
		v.hear(v.voices[who], said)
	}
	if who, ok := v.nickname("Kate"); !ok || who != "Emi" {
		t.Errorf("Kate: have %q, %v, want Emi", who, ok)
	}
	if who, ok := v.nickname("Mohamad"); ok {
		t.Errorf("Mohamad is only spoken of, have %q", who)
	}
}
