package codec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

var scanCases = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e+10`, `true`, `false`, `null`, ` { "a" : [ 1 , 2 , { } ] } `, "\t[\n]\r\n",
	``, ` `, `{`, `}`, `[`, `]`, `{]`, `[}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1 "b":2}`, `{a:1}`, `{"a":1}}`, `1 2`,
	`01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `0x1`, `-01`, `1E-5`, `NaN`, `Infinity`, `nul`, `nulll`, `truefalse`, `True`,
	`"a`, `"a\"`, `"\q"`, `"\u12"`, `"\u12g4"`, `"\u4e2d"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83dx"`, `"\ud83d\u0041"`, "\"a\nb\"", "\"\x00\"", "\"\x7f\u2028\"", `"\/\b\f\n\r\t\"\\"`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"a":1},"b":{"a":1}}`, `[{"a":1},{"a":2}]`, `{"\u0061":1,"\u0062":1}`, `{"":1,"":2}`,
	"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\xef\xbb\xbf{}", "{\"中\":\"文\"}", `"0123456789abcdef0123456789"`, `"01234567\n89abcdef"`, "\"0123456\x1f\"",
	`'a'`, `/**/1`, `[1]//`, `{"a":1}x`,
}

func scanValid(b []byte) bool {
	var s Scanner
	s.Reset(b, false)
	_, ok := s.Skip()
	return ok && s.End()
}

func many(n int, dup bool) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	last := n
	if dup {
		last = n / 2
	}
	fmt.Fprintf(&b, `"k%d":[{"k1":1}]}`, last)
	return b.String()
}

func TestScannerAgrees(t *testing.T) {
	cases := append([]string{many(10, true), many(23, true), many(24, true), many(25, true), many(60, true), many(60, false),
		strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1), strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)}, scanCases...)
	for _, c := range cases {
		if have, want := scanValid([]byte(c)), Valid([]byte(c)); have != want {
			t.Errorf("%.60q: scanner says %v, decoder %v", c, have, want)
		}
	}
}

// A scanner expects the names of the last object: what it read before changes nothing.
func TestScannerAfter(t *testing.T) {
	cases := append([]string{`{"a":1,"b":2,"a":3}`, `{"b":1,"a":2}`, `{"a":1,"b":{"a":1,"b":2},"c":3}`, `{"a":1,"b":{"b":1,"b":2}}`, `{"a" :1,"b": 2}`, `{"a":1,"ab":2}`, many(30, true), many(30, false)}, scanCases...)
	for _, before := range cases {
		for _, c := range cases {
			var s Scanner
			for _, text := range []string{before, c} {
				s.Reset([]byte(text), false)
				_, ok := s.Skip()
				if have, want := ok && s.End(), Valid([]byte(text)); have != want {
					t.Errorf("%.60q after %.60q: scanner says %v, decoder %v", text, before, have, want)
				}
			}
		}
	}
}

func TestScannerValues(t *testing.T) {
	var s Scanner
	s.Reset([]byte(`{"id": "a\u00e9\n", "n": -1.50, "list": [1, "x", null], "o": {"k": true}, "z": false}`), false)
	if !s.Object() {
		t.Fatal("no object")
	}
	var got []string
	for {
		name, ok := s.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "id":
			body, escaped, _ := s.String()
			got = append(got, fmt.Sprintf("id=%s,%v", AppendUnescaped(nil, body), escaped))
		case "n":
			n, _ := s.Number()
			got = append(got, "n="+string(n))
		case "list":
			n := 0
			for s.Array(); s.Element(); n++ {
				s.Skip()
			}
			got = append(got, fmt.Sprint("list=", n))
		default:
			raw, _ := s.Skip()
			got = append(got, string(name)+"="+string(raw))
		}
	}
	if want := "id=aé\n,true|n=-1.50|list=3|o={\"k\": true}|z=false"; !s.End() || strings.Join(got, "|") != want {
		t.Errorf("have %q, end %v", got, s.End())
	}
}

// The scanner accepts exactly what the decoder accepts, and finds the same strings.
func FuzzScanner(f *testing.F) {
	for _, c := range scanCases {
		f.Add([]byte(c))
	}
	f.Add([]byte(many(30, true)))
	f.Fuzz(func(t *testing.T, b []byte) {
		want := Valid(b)
		if have := scanValid(b); have != want {
			t.Fatalf("%q: scanner says %v, decoder %v", b, have, want)
		}
		if !want {
			return
		}
		var s Scanner
		s.Reset(b, true)
		if s.Kind() == '"' {
			body, escaped, ok := s.String()
			if text := Unquote(bytes.TrimSpace(b)); !ok || text != string(AppendUnescaped(nil, body)) || escaped != bytes.Contains(body, []byte(`\`)) {
				t.Fatalf("%q: have %q, want %q", b, AppendUnescaped(nil, body), text)
			}
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	line := []byte(`{"id":"169aef76-a175-41ec-922c-fea382a85815","payload":{"scene_id":"chill_ai_chat","character_id":"congyin","conv_id":"ch02","user_id":"xnne","agent_id":"congyin","data":"经常使用笔记功能来记录小事","hash":"fdf2768f19650a2cf47138343608d1a2","created_at":"2026-02-24T18:21:58.028703-08:00","owner_type":"Agent","owner_id":"congyin","owner_infer":"fallback"},"collection":"memory_bench_global","isolation":"global","exported_at":"2026-02-25T02:22:26Z"}`)
	var s Scanner
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		s.Reset(line, false)
		if _, ok := s.Skip(); !ok || !s.End() {
			b.Fatal("rejected")
		}
	}
}
