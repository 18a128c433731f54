package schema

import (
	"bytes"
	"cmp"
	"testing"
	"time"
)

// instants are texts and what they mean; "" is not an instant.
var instants = []struct{ text, want string }{
	{"2026-02-24T18:21:58Z", "2026-02-24T18:21:58Z"},
	{"2026-02-24t18:21:58z", "2026-02-24T18:21:58Z"},
	{"2026-02-24 18:21:58", "2026-02-24T18:21:58Z"},
	{"2026-02-24T18:21", "2026-02-24T18:21:00Z"},
	{"2026-02-24T18:21+08:00", "2026-02-24T10:21:00Z"},
	{"2026-02-24", "2026-02-24T00:00:00Z"},
	{"2026-02", "2026-02-01T00:00:00Z"},
	{"2026", "2026-01-01T00:00:00Z"},
	{"2026-02-24T18:21:58.028703-08:00", "2026-02-25T02:21:58.028703Z"},
	{"2026-02-24T18:21:58,5+00:30", "2026-02-24T17:51:58.5Z"},
	{"2026-02-24T18:21:58.1234567891Z", "2026-02-24T18:21:58.123456Z"},
	{"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"},
	{"0001-01-01T00:00:00+14:00", "0000-12-31T10:00:00Z"},
	{"0000-01-01T00:00:00+23:59", "-0001-12-31T00:01:00Z"},
	{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
	{"2024-02-29", "2024-02-29T00:00:00Z"},
	{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"},
	{"", ""}, {"never", ""}, {"2026-02-30", ""}, {"2025-02-29T00:00:00Z", ""}, {"2026-04-31", ""}, {"2026-13-01T00:00:00Z", ""},
	{"2026-00-01", ""}, {"2026-02-00", ""}, {"2026-2-4", ""}, {"2026-02-24T", ""}, {"2026-02-24T18", ""}, {"2026-02-24T24:00:00Z", ""},
	{"2026-02-24T18:60:00Z", ""}, {"2026-02-24T18:21:61Z", ""}, {"2026-02-24T18:21:58.Z", ""}, {"2026-02-24T18:21:58+0800", ""},
	{"2026-02-24T18:21:58 Z", ""}, {"2026-02-24T18:21:58Zx", ""}, {"2026-02-24+08:00", ""}, {"26-02-24", ""}, {" 2026-02-24", ""}, {"12345", ""},
}

func TestInstant(t *testing.T) {
	for _, tt := range instants {
		have, ok := ParseInstant(tt.text)
		if have.String() != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: have %v, %t, want %q", tt.text, have, ok, tt.want)
		}
		if b, _ := ParseInstant([]byte(tt.text)); b != have {
			t.Errorf("%q: as bytes %v, as text %v", tt.text, b, have)
		}
		at, ok2 := ParseTime(tt.text, nil)
		if ok2 != ok || ok && InstantOf(at) != have || ok && InstantOf(have.Time()) != have {
			t.Errorf("%q: a time %v, an instant %v", tt.text, at, have)
		}
		for _, u := range instants {
			other, _ := ParseInstant(u.text)
			c := cmp.Compare(have, other)
			if k := bytes.Compare(have.AppendKey(nil), other.AppendKey(nil)); k != c {
				t.Errorf("%q and %q: keys compare as %d, instants as %d", tt.text, u.text, k, c)
			}
			if l := have.CompareUnknownLast(other); have != 0 && other != 0 && l != c || have != 0 && other == 0 && l >= 0 {
				t.Errorf("%q and %q: %d with the unknown one last, else %d", tt.text, u.text, l, c)
			}
		}
	}
}

// A text without an offset is in the zone of its source; one with an offset keeps it.
func TestParseTimeZone(t *testing.T) {
	zone := time.FixedZone("", 8*3600)
	for text, want := range map[string]string{
		"2026-02-24": "2026-02-24T00:00:00+08:00", "2026-02-24 18:21": "2026-02-24T18:21:00+08:00",
		"2026-02-24T18:21:58Z": "2026-02-24T18:21:58Z", "2026-02-24T18:21:58-08:00": "2026-02-24T18:21:58-08:00",
	} {
		if have, ok := ParseTime(text, zone); !ok || have.Format(time.RFC3339) != want {
			t.Errorf("%s: have %v, want %s", text, have, want)
		}
	}
}

func TestParsePeriod(t *testing.T) {
	for text, want := range map[string]string{
		"2024": "2025-01-01T00:00:00Z", "2024-02": "2024-03-01T00:00:00Z", "2024-02-28": "2024-02-29T00:00:00Z",
		"2024-02-28T23:59": "2024-02-29T00:00:00Z", "2024-02-28T23:59:59Z": "2024-02-29T00:00:00Z",
	} {
		if _, end, ok := ParsePeriod(text); !ok || end.Format(time.RFC3339) != want {
			t.Errorf("%s: ends %v, want %s", text, end, want)
		}
	}
	if _, _, ok := ParsePeriod("spring"); ok {
		t.Error("spring is a period")
	}
}

// FuzzInstant: what time.Parse and we both read means the same.
func FuzzInstant(f *testing.F) {
	for _, tt := range instants {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		have, ok := ParseInstant(s)
		want, err := time.Parse(time.RFC3339Nano, s)
		if err == nil && ok && InstantOf(want) != have && !want.IsZero() {
			t.Errorf("%q: have %v, want %v", s, have, want)
		}
		if again, ok2 := ParseInstant(have.String()); ok && have.Time().Year() >= 0 && (!ok2 || again != have) {
			t.Errorf("%q: printed as %s, read as %v", s, have, again)
		}
	})
}

func BenchmarkParseInstant(b *testing.B) {
	s := []byte("2026-02-24T18:21:58.028703-08:00")
	for b.Loop() {
		ParseInstant(s)
	}
}
