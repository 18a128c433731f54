package schema

import (
	"testing"

	"membench/internal/codec"
)

func TestCheckReadsTheOldKey(t *testing.T) {
	want := Check{Name: "disk", State: CheckFail, Detail: "full", Fix: "make room"}
	for _, in := range []string{
		`{"name":"disk","state":"fail","detail":"full","fix":"make room"}`,
		`{"name":"disk","state":"fail","detail":"full","mend":"make room"}`,
	} {
		var c Check
		if err := codec.Unmarshal([]byte(in), &c); err != nil || c != want {
			t.Errorf("%s: %+v, %v", in, c, err)
		}
	}
	b, err := codec.Append(nil, want, codec.Compact)
	if err != nil || string(b) != `{"name":"disk","state":"fail","detail":"full","fix":"make room"}` {
		t.Errorf("%s, %v", b, err)
	}
	if err := codec.Unmarshal([]byte(`{"name":"disk","fix":"a","mend":"b"}`), new(Check)); err == nil {
		t.Error("both keys were read")
	}
}
