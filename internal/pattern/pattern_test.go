package pattern

import (
	"reflect"
	"regexp"
	"regexp/syntax"
	"testing"
)

func TestNeed(t *testing.T) {
	for _, c := range []struct {
		expr, text string
		may        bool
	}{
		{`喜欢|喜爱|讨厌`, "我爱喜剧", false},
		{`喜欢|喜爱|讨厌`, "我很喜爱", true},
		{`^(?:在|边)(.{1,4})`, "一边走", false},
		{`^(?:在|边)(.{1,4})`, "边走", true},
		{`^在?(?:读|看|追|听)(.{2,10})$`, "在读", true}, // the pattern itself says no
		{`^在?(?:读|看|追|听)(.{2,10})$`, "我看他", false},
		{`(?i)\bdepends on\b`, "It DEPENDS  on", false},
		{`(?i)\bdepends on\b`, "It DependS On", true},
		{`(?i)kiss`, "\u212aI\u017fs", true}, // Kelvin sign, long s
		{`a.*b`, "acc", false},
		{`a.*b`, "ba", true},
		{`(?:^|x)a`, "ba", true},
		{`a?`, "", true},
		{`[a-z]+`, "1", true}, // too many letters to list
		{`\x{FFFD}`, "\xff", true},
	} {
		if got := New(c.expr).may(c.text); got != c.may {
			t.Errorf("%s: %q may match: %v", c.expr, c.text, got)
		}
	}
}

func TestLazy(t *testing.T) {
	p := New(`不(?:能|会)`)
	if p.MatchString("能不去就不去") || p.re != nil {
		t.Errorf("compiled for a text that it cannot match: %v", p.re)
	}
	if !p.MatchString("他不会") {
		t.Error("did not match")
	}
	defer func() {
		if recover() == nil {
			t.Error("an expression that does not parse went unseen")
		}
	}()
	New(`不能(`).MatchString("any text")
}

// FuzzLikeRegexp holds that no method differs from that of regexp.Regexp.
func FuzzLikeRegexp(f *testing.F) {
	for _, expr := range []string{`^(?:a|b)c?d|e{2,3}`, `(?i)(straße|ſ|k)+x?`, `^a|^b.*c$`, `(?:^|x)a`, `x?^abc`, `[^,]{1,3}(?:的|了)$`, `(?m)^a`, `(?P<n>a|b)(c|)`, `a{0,1}b{2}`, `\bword\b`, `(a|b|)(c|d)e*f+`, `[k]`, `(?i)[k-m]x`, "\x00a", `\pL+a`} {
		for _, text := range []string{"", "ac", "bd eee", "STRASSE straßE \u212aX", "xabc", "这是的", "b\na", "\xff\xfea", "word"} {
			f.Add(expr, text)
		}
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 200 || len(text) > 1000 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			if _, perr := syntax.Parse(expr, syntax.Perl); perr == nil {
				t.Skip("too large to compile")
			}
			return
		}
		p := New(expr)
		for _, c := range []struct {
			name       string
			have, want any
		}{
			{"MatchString", p.MatchString(text), re.MatchString(text)},
			{"FindString", p.FindString(text), re.FindString(text)},
			{"FindStringIndex", p.FindStringIndex(text), re.FindStringIndex(text)},
			{"FindStringSubmatch", p.FindStringSubmatch(text), re.FindStringSubmatch(text)},
			{"FindStringSubmatchIndex", p.FindStringSubmatchIndex(text), re.FindStringSubmatchIndex(text)},
			{"FindAllString", p.FindAllString(text, -1), re.FindAllString(text, -1)},
			{"FindAllStringIndex", p.FindAllStringIndex(text, -1), re.FindAllStringIndex(text, -1)},
			{"FindAllStringSubmatch", p.FindAllStringSubmatch(text, 2), re.FindAllStringSubmatch(text, 2)},
			{"FindAllStringSubmatchIndex", p.FindAllStringSubmatchIndex(text, -1), re.FindAllStringSubmatchIndex(text, -1)},
			{"ReplaceAllString", p.ReplaceAllString(text, "<$0>"), re.ReplaceAllString(text, "<$0>")},
			{"Split", p.Split(text, -1), re.Split(text, -1)},
			{"Split 2", p.Split(text, 2), re.Split(text, 2)},
		} {
			if !reflect.DeepEqual(c.have, c.want) {
				t.Errorf("%s of %q in %q: have %#v, regexp has %#v", c.name, expr, text, c.have, c.want)
			}
		}
	})
}
