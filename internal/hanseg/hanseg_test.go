package hanseg

import (
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	s := New(map[string]byte{"我妈": 'r', "没钱": 'v'})
	for in, want := range map[string]string{
		"我妈下个月要去北京看病":       "我妈 下 个 月 要 去 北京 看病",
		"最近没钱，旅游的事先放一放":     "最近 没钱 ， 旅游 的 事先 放 一 放",
		"我用 Go 1.24 写了个小程序": "我 用 Go 1.24 写 了 个 小 程序",
		"":                  "",
		"\xff我":             "\xff 我",
	} {
		var have []string
		for _, w := range s.Cut(in) {
			have = append(have, w.Form)
			if in[w.Start:w.End] != w.Form {
				t.Errorf("%q: span %d:%d is not %q", in, w.Start, w.End, w.Form)
			}
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%q: have %q, want %q", in, got, want)
		}
	}
}

// Nothing but white space is lost, whatever the text is.
func FuzzCut(f *testing.F) {
	f.Add("我妈 went to 北京\xff。")
	f.Fuzz(func(t *testing.T, in string) {
		end := 0
		for _, w := range (&Segmenter{}).Cut(in) {
			if w.Start < end || strings.TrimSpace(in[end:w.Start]) != "" || w.End <= w.Start {
				t.Fatalf("%q: word %+v after %d", in, w, end)
			}
			end = w.End
		}
		if strings.TrimSpace(in[end:]) != "" {
			t.Fatalf("%q: the end is lost", in)
		}
	})
}
