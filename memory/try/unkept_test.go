package try

import "testing"

// TestUnkept: turns that nothing was made of are lost, rewritten and merged ones are not.
func TestUnkept(t *testing.T) {
	var all []string
	for _, b := range sessions {
		for _, turn := range b.Turns {
			all = append(all, turn.Text)
		}
	}
	if whole, lost := unkept(all); whole != len(all) || len(lost) != 0 {
		t.Errorf("all turns: %d whole, lost %v", whole, lost)
	}
	if whole, lost := unkept([]string{all[0] + " | " + all[1]}); whole != 2 || len(lost) != len(all)-2 || lost[0].TurnID != 3 {
		t.Errorf("two in one: %d whole, lost %v", whole, lost)
	}
	if whole, lost := unkept(nil); whole != 0 || len(lost) != len(all) {
		t.Errorf("nothing: %d whole, lost %v", whole, lost)
	}
}
