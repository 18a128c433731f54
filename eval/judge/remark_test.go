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
		{"How many stamps do I have in total?", "99", "There are 57 + 25 + 17 = 99 stamps in your album.", true},
		{"How many comments are there in all?", "33", "In all there are 33 comments: 12 on the video and 21 on the photo.", true},
		{"How long did Jon wait?", "six months", "Half a year.", true},
		{"老两口打算去哪里旅游？", "喀什", "老两口打算去喀什旅游，机票已经买好了。", true},
		{"小周养的是什么宠物？", "仓鼠", "综合来看，答案就是仓鼠。", true},
		{"What did Ana bake for the fair?", "a plum cake", "Ana baked a plum cake for the fair (everybody asked for the recipe).", true},
		{"How many stamps do I have in total?", "99", "You have 99 stamps, or 57, or 25.", false},
		{"What did Ana bake for the fair?", "a plum cake", "Tom baked a plum cake; Ana baked bread for the fair.", false},
		{"Which pupil has the most points?", "Ida", "The pupil with the least points is Ida.", false},
		{"Which films has Tim seen?", "Brazil, Alien", "Tim has never seen Brazil or Alien.", false},
		{"小雅生日收到了什么礼物？", "一台缝纫机", "一台缝纫机是别人的，小雅生日收到了一把吉他。", false},
		{"Which day of the week is choir practice?", "Wednesday", "Choir practice is on Wednesday. That was a slip of the pen.", false},
		{"Which VLAN is used for voice?", "VLAN 140", "Summary: VLAN 410 is used for voice. VLAN 140 was checked and was idle.", false},
		{"What is the name of Sol's boat?", "Kittiwake", "That would be Kittiwake: this is what the neighbours say.", false},
	} {
		v := Judge(Question{Text: c.question}, []string{c.gold}, c.reply)
		if sure := v.Correct && v.Doubt == ""; sure != c.sure {
			t.Errorf("%q: correct %v, doubt %q, want sure %v", c.reply, v.Correct, v.Doubt, c.sure)
		}
	}
}
