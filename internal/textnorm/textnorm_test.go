package textnorm

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"一个人创作容易走神":             "一个人创作容易走神",
		"  a \t b\u3000c ":      "a b c",
		"\ufeffx\u200by":        "xy",
		"e\u0301":               "\u00e9",
		"👩\u200d💻":              "👩\u200d💻",
		"a\u200db":              "ab",
		"Ｗｉｄｅ（全角），":             "Ｗｉｄｅ（全角），",
		"":                      "",
		"a b":                   "a b",
		"a  b":                  "a b",
		" ":                     "",
		"\u200b \u200b":         "",
		"a\u200b \u200b\u3000b": "a b",
	} {
		if got := Name(in); got != want {
			t.Errorf("Name(%q): have %q, want %q", in, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("  a \u200b b\u0301 👩\u200d💻")
	f.Fuzz(func(t *testing.T, s string) {
		n := Name(s)
		if again := Name(n); again != n {
			t.Errorf("Name(%q) = %q, again %q", s, n, again)
		}
		if !norm.NFC.IsNormalString(n) {
			t.Errorf("Name(%q) = %q is not NFC", s, n)
		}
	})
}

func TestKey(t *testing.T) {
	for _, pair := range [][2]string{{"BGM", "ｂｇｍ"}, {"《我是猫》", "我是猫"}, {"Straße", "STRASSE"}, {"a-b c", "ABC"}} {
		if Key(pair[0]) != Key(pair[1]) {
			t.Errorf("Key: %q and %q give %q and %q", pair[0], pair[1], Key(pair[0]), Key(pair[1]))
		}
	}
	if Key("北京 University") == Key("上海 University") {
		t.Error("Key drops Chinese characters")
	}
}

func TestLangCutStrip(t *testing.T) {
	for in, want := range map[string]string{"我喜欢 tea": "zh", "I like 茶 very much indeed": "en", "": "en", "😂": "en"} {
		if got := Lang(in); got != want {
			t.Errorf("Lang(%q): have %s, want %s", in, got, want)
		}
	}
	if got := Cut("你好吗x", 3); got != "你好吗" {
		t.Errorf("Cut: have %q", got)
	}
	if got := Collapse("\u001c a\u0085 b\u200b "); got != "a b\u200b" {
		t.Errorf("Collapse: have %q", got)
	}
}

func TestPad(t *testing.T) {
	for s, want := range map[string]int{"": 0, "ab": 2, "周末": 4, "a周": 3, "e\u0301": 1, "ＡＢ": 4, "–": 1} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) is %d, want %d", s, got, want)
		}
		if p := Pad(s, 6); Width(p) != 6 || p[:len(s)] != s {
			t.Errorf("Pad(%q, 6) is %q", s, p)
		}
	}
	if Pad("周末爬山", 3) != "周末爬山" {
		t.Error("a text that is wider than its column was changed")
	}
}
