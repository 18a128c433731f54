package schema_test

import (
	"errors"
	"testing"

	"membench/internal/codec"
	"membench/schema"
)

func TestPointID(t *testing.T) {
	for _, c := range []struct{ in, text, out string }{
		{`"a"`, "a", `"a"`}, {`7`, "7", `7`}, {`"7"`, "7", `"7"`}, {`18446744073709551615`, "18446744073709551615", `18446744073709551615`},
		{`null`, "", `""`}, {`"\u00e9\n"`, "é\n", `"é\n"`},
	} {
		var p schema.PointID
		if err := codec.Unmarshal([]byte(c.in), &p); err != nil || p.Text() != c.text {
			t.Errorf("%s: have %q, %v", c.in, p.Text(), err)
		}
		if out, err := codec.Append(nil, p, codec.Compact); err != nil || string(out) != c.out {
			t.Errorf("%s: written as %s, %v", c.in, out, err)
		}
	}
	for _, bad := range []string{`7.0`, `true`, `[]`, `{}`, `1e3`} {
		var m schema.MemoryExport
		err := codec.Unmarshal([]byte(`{"id":`+bad+`}`), &m)
		var ce *codec.Error
		if !errors.As(err, &ce) || ce.Pointer != "/id" || ce.Want != "string" {
			t.Errorf("%s: have %v", bad, err)
		}
	}
}
