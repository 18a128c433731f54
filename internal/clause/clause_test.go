package clause

import "testing"

func TestRead(t *testing.T) {
	fs := Read("I love pottery.", Options{})
	if len(fs) != 1 || fs[0].Subject.Kind != Speaker || fs[0].Slot != "PREFERS_TOPIC" || fs[0].Value.Text != "pottery" || fs[0].Negated {
		t.Fatalf("have %+v", fs)
	}
}
