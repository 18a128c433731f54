package fidelity

import (
	"strings"
	"testing"

	"membench/schema"
)

// told are turns with honest texts in other words, and with texts of which one fact is false.
var told = []struct {
	time, speaker, said string
	honest              []string
	kind                string
	altered             []string
}{
	{"2030-06-04T09:00:00Z", "Ilse", "The boiler man is called Wendelin, he comes on 11 June at half past two and takes 85 euros.",
		[]string{"Ilse expects Wendelin, who looks after the boiler, on June 11th at 14:30; his price is €85.", "Boiler: Wendelin, 11/6, 2.30 pm, 85 €.", "There is a boiler man called Wendelin."},
		schema.FaultDate, []string{"Ilse expects Wendelin, who looks after the boiler, on June 13th at 14:30; his price is €85.", "Boiler: Wendelin, 11 June, 15:30, 85 €."}},
	{"2030-06-04T09:00:00Z", "Ilse", "I need 1.5 kg of plums and a dozen jars by tomorrow.",
		[]string{"By 5 June Ilse needs 1500 g of plums and twelve jars.", "Twelve jars and plums (1.5 kg) are needed by Wednesday."},
		schema.FaultNumber, []string{"By 5 June Ilse needs 1.8 kg of plums and twelve jars."}},
	{"2030-06-04T09:00:00Z", "Tarek", "The lift doesn't stop on the third floor since Monday.",
		[]string{"Since Monday there has been no stop of the lift on floor three, Tarek says.", "Lift: not stopping on the third floor."},
		schema.FaultNegated, []string{"The lift stops on the third floor since Monday."}},
	{"2030-06-04T09:00:00Z", "Tarek", "My sister Nour drives the van to Aleppo Street, ask her for the key.",
		[]string{"Tarek's sister is Nour; the van to Aleppo Street is driven by her, and she has the key."},
		schema.FaultName, []string{"Tarek's sister is Farah; the van to Aleppo Street is driven by her, and she has the key."}},
	{"2030-06-04T09:00:00Z", "严姐", "后天下午三点开会，会议室在二楼，不用带电脑。",
		[]string{"6月6日15:00在二楼的会议室开会，严姐说不用带电脑。"},
		schema.FaultDate, []string{"6月8日15:00在二楼的会议室开会，严姐说不用带电脑。"}},
	{"2030-06-04T09:00:00Z", "严姐", "这批灯一共120盏，不要放在门口。",
		[]string{"灯的数量是120盏，不能放在门口。"},
		schema.FaultNegated, []string{"灯的数量是120盏，要放在门口。"}},
}

// TestFactsTold holds that other words are no other facts.
func TestFactsTold(t *testing.T) {
	for _, r := range told {
		o := Original{Text: r.said, Time: r.time, Speaker: r.speaker, Speakers: []string{"Ilse", "Tarek", "严姐"}}
		for _, s := range r.honest {
			if d := Facts(o, s, true); !d.Same() {
				t.Errorf("%q told as %q: %s, %s", r.said, s, d.Kind, d.Marked)
			}
		}
		for _, s := range r.altered {
			if d := Facts(o, s, true); d.Kind != r.kind {
				t.Errorf("%q told as %q: have %q, want %s", r.said, s, d.Kind, r.kind)
			}
		}
	}
}

// TestSpokenOf holds that a system that puts the speaker's name in the place of "I" writes in its own words, and one that puts another's does not.
func TestSpokenOf(t *testing.T) {
	for name, verbatim := range map[string]bool{"Ilse": false, "Tarek": true} {
		var f Frame
		for _, s := range []string{"I ran the long race in two hours.", "My parrot is called Miroslav now.", "We painted the old stall orange.", "My cousin tunes old church organs.", "I sell candles at the market."} {
			f.Learn(Original{Text: s, Speaker: "Ilse", Speakers: []string{"Ilse", "Tarek"}}, strings.NewReplacer("I ", name+" ", "My ", name+"'s ", "We ", name+" and others ").Replace(s))
		}
		if f.Verbatim() != verbatim {
			t.Errorf("%s for Ilse's I: verbatim is %v", name, f.Verbatim())
		}
	}
}

// TestFactsBeside holds that what another memory of the turn has as it was said is not altered, and that a text is compared with the sentence it is from.
func TestFactsBeside(t *testing.T) {
	o := Original{Text: "The lift stops at 9 pm. The drain man comes on 11 June, not on Friday. The lift doesn't stop on the third floor since Monday.", Time: "2030-06-04T09:00:00Z", Speaker: "Ilse", Speakers: []string{"Ilse", "Tarek"}}
	for _, tc := range []struct {
		got    string
		beside []string
		kind   string
	}{
		{"Ilse expects the drain man on 12 June.", nil, schema.FaultDate},
		{"Ilse expects the drain man on 12 June.", []string{"The drain man comes to Ilse on 11 June."}, ""},
		{"Ilse said that the lift stops at 9 pm.", nil, ""},
		{"The lift stops on the third floor since Monday.", nil, schema.FaultNegated},
		{"The lift stops on the third floor since Monday.", []string{"Ilse says that the lift doesn't stop on the third floor since Monday."}, ""},
	} {
		if d := Facts(o, tc.got, true, tc.beside...); d.Kind != tc.kind {
			t.Errorf("%q beside %q: have %q (%s), want %q", tc.got, tc.beside, d.Kind, d.Marked, tc.kind)
		}
	}
}

// TestOwnWords holds that a system that tells turns in other words is known by that, and one that damages turns is not taken for it.
func TestOwnWords(t *testing.T) {
	for _, tc := range []struct {
		name     string
		text     func(said, honest string) string
		verbatim bool
	}{
		{"told", func(_, honest string) string { return honest }, false},
		{"cut", func(said, _ string) string { return said[:strings.LastIndexAny(said[:len(said)-3], " ，")] }, true},
		{"one word", func(said, _ string) string {
			return strings.NewReplacer("comes", "goes", "need", "want", "stop", "halt", "drives", "takes", "开会", "聚餐", "灯", "椅").Replace(said)
		}, true},
		{"whole", func(said, _ string) string { return "Note: " + said }, true},
	} {
		var f, loose Frame
		for _, r := range told {
			o := Original{Text: r.said, Speaker: r.speaker}
			f.Learn(o, tc.text(r.said, r.honest[0]))
			loose.Guess(o, tc.text(r.said, r.honest[0]))
		}
		if f.Verbatim() != tc.verbatim || loose.Verbatim() != tc.verbatim {
			t.Errorf("%s: verbatim is %v, and %v where the sources are not known; want %v", tc.name, f.Verbatim(), loose.Verbatim(), tc.verbatim)
		}
	}
}
