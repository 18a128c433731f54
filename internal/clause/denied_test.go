package clause

import "testing"

// What is denied: the answer "no" denies what was asked before, not what follows it; "no" before an object and a denied thought deny the clause.
func TestDenied(t *testing.T) {
	for _, c := range []struct {
		text, slot, value string
		negated           bool
	}{
		{"No, I like pears.", "PREFERS_TOPIC", "pears", false},
		{"No, I live in Turin now.", "LIVES_IN", "Turin", false},
		{"No, I don't like pears.", "PREFERS_TOPIC", "pears", true},
		{"I have no piano.", "HAS", "piano", true},
		{"I have no allergies.", "HAS_CONDITION", "allergies", true},
		{"I no longer work at Vega.", "WORKS_AT", "Vega", true},
		{"I don't think I like opera.", "PREFERS_TOPIC", "opera", true},
		{"I think I like opera.", "PREFERS_TOPIC", "opera", false},
	} {
		found := false
		for _, f := range Read(c.text, Options{}) {
			if f.Slot == c.slot && f.Value.Text == c.value {
				if found = true; f.Negated != c.negated || f.Modality != Asserted {
					t.Errorf("%q: %+v", c.text, f)
				}
			}
		}
		if !found {
			t.Errorf("%q: no %s", c.text, c.slot)
		}
	}
	for _, f := range Read("I bought three lamps and Otto bought two.", Options{}) {
		if (f.Value.Text == "three lamps") != (f.Subject.Kind == Speaker) {
			t.Errorf("who bought what: %+v", f)
		}
	}
}

// Sentences of other languages are not read as English; names with their words are.
func TestOtherLanguages(t *testing.T) {
	for text, read := range map[string]bool{
		"im Urlaub in Rom bin ich gern allein.": false, "Ich arbeite im Klinikum.": false, "Im Sommer heiraten wir.": false, "Je travaille chez Vega.": false, "Tengo una casa en Oviedo.": false, "Me mudé a Sevilla": false, "私は東京に住んでいます。": false, "Я живу в Москве.": false, "저는 서울에 살아요": false, "我在の茶屋上班": true, "She loves crème brûlée": true,
		"im in Rome with my sister.": true, "Tom lives in El Paso.": true, "I ate at Chez Pierre.": true, "I met a nurse from La Paz.": true,
	} {
		if found := Read(text, Options{}); (len(found) > 0) != read || Unread(text) == read {
			t.Errorf("%q: %+v, unread %t", text, found, Unread(text))
		}
	}
}
