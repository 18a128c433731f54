package probes

import "testing"

func TestSeveral(t *testing.T) {
	for phrase, want := range map[string]bool{"a dog": false, "two cats": true, "cats": true, "3 hens": true, "one hen": false, "三只猫": true, "一只猫": false, "glass": false, "Biscuit": false, "Chris": false, "": false, "host-07": false} {
		if got := several(phrase); got != want {
			t.Errorf("%q: got %t", phrase, got)
		}
	}
}
