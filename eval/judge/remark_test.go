package judge

import "testing"

// What stands beside the answer and leaves it as it is raises no doubt; what answers the
// question otherwise does.
func TestRemarks(t *testing.T) {
	for _, c := range []struct {
		question, gold, reply string
		sure                  bool
	}{
		{"What is the name of Sol's boat?", "Kittiwake", "That would be Kittiwake: it was repainted last spring.", true},
		{"What kind of tree fell on the garage?", "a poplar", "To the best of my knowledge, a poplar fell on the garage. Please double-check if it matters.", true},
		{"Which day of the week is choir practice?", "Wednesday", "No, it isn't Monday. Choir practice is on Wednesday.", true},
		{"Which book is Carla's reading group on?", "Middlemarch", "**Answer:** Middlemarch\n\n**Why:** They meet every other Tuesday, and the message about the group says so.", true},
		{"Which VLAN is used for voice?", "VLAN 140", "VLAN 140 is used for voice. Source: the closing note.", true},
		{"老马的儿子在哪座城市上大学？", "兰州", "如果我没记错的话，老马的儿子在兰州上大学。", true},
		{"Which day of the week is choir practice?", "Wednesday", "Choir practice is on Wednesday. That was a slip of the pen.", false},
		{"Which VLAN is used for voice?", "VLAN 140", "Summary: VLAN 410 is used for voice. VLAN 140 was checked and was idle.", false},
		{"What is the name of Sol's boat?", "Kittiwake", "That would be Kittiwake: this is what the neighbours say.", false},
	} {
		v := Judge(Question{Text: c.question}, []string{c.gold}, c.reply, Options{})
		if sure := v.Correct && v.Doubt == ""; sure != c.sure {
			t.Errorf("%q: correct %v, doubt %q, want sure %v", c.reply, v.Correct, v.Doubt, c.sure)
		}
	}
}
