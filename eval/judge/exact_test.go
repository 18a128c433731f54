package judge

import "testing"

// TestExact: numbers, names and telephone numbers of the gold are certain only where the answer has these, with their words, in their order.
func TestExact(t *testing.T) {
	const right, wrong, doubtful, notCertain = "right", "wrong", "doubtful", "not certainly right"
	for _, c := range []struct{ question, gold, answer, want string }{
		{"What is the meter number?", "8204417", "8204418", wrong},
		{"What is the meter number?", "987654321", "987654329", wrong},
		{"What is the serial number?", "90210000000000000017", "90210000000000000018", notCertain},
		{"What is the serial number?", "90210000000000000017", "It is 90210000000000000017.", right},
		{"What is Ivo's phone number?", "0152 7300441", "0152 7300442", wrong},
		{"What is Ivo's phone number?", "+44 20 7300441", "+44 20 7300442", wrong},
		{"What is Ivo's phone number?", "0152 7300441", "0152", wrong},
		{"What is Ivo's phone number?", "0152 7300441", "01527300441", right},
		{"What is Ivo's phone number?", "0152 7300441", "It's 0152/730 04 41.", right},
		{"What is Ivo's phone number?", "0152 7300441", "+49 152 7300441", right},
		{"What is Ivo's phone number?", "730 0441", "7300441", right},
		{"How long does a cycle take?", "3 ns", "4 ns", wrong},
		{"What was the score?", "4:1", "1:4", doubtful},
		{"What was the score?", "4:1", "4:1", right},
		{"What are the coordinates?", "52.3, 13.2", "13.2, 52.3", doubtful},
		{"Which lanes are closed?", "2, 4 and 9", "9, 4 and 2", right},
		{"Where is the archive?", "room 7 floor 21", "room 21 floor 7", doubtful},
		{"Where is the archive?", "room 7, floor 21", "It's on floor 21, in room 7.", right},
		{"What animals do they keep?", "6 goats and 4 hens", "4 goats and 6 hens", doubtful},
		{"What animals do they keep?", "6 goats and 4 hens", "4 hens and 6 goats", right},
		{"他们养了什么？", "六只羊四只鸡", "四只鸡六只羊", right},
		{"他们养了什么？", "六只羊四只鸡", "四只羊六只鸡", doubtful},
		{"Who is Ivo's doctor?", "Dr. Wilkes", "Dr. Wilken", doubtful},
		{"Who is Ivo's doctor?", "Dr. Wilkes", "Dr: My doctor is Dr.", wrong},
		{"Who is Ivo's doctor?", "Dr. Wilkes", "Wilkes", right},
		{"Who won?", "Simons", "Simon", doubtful},
		{"Who joined the team?", "Larsen / Meiners / Koehler", "Larson / Meiner / Koehl", notCertain},
		{"Where does Ivo live?", "Church St. 14", "Church St.", doubtful},
		{"What is the fee?", "2.340,75 €", "2.34 €", wrong},
		{"What is the fee?", "2.340,75 €", "2340.75 Euro", right},
		{"When is the hearing?", "07.09.2026", "7. September 2026", right},
		{"When is the hearing?", "07.09.2026", "8. September 2026", wrong},
	} {
		v := Judge(Question{Text: c.question}, []string{c.gold}, c.answer)
		have := wrong
		if v.Doubt != "" {
			have = doubtful
		} else if v.Correct {
			have = right
		}
		if have != c.want && !(c.want == notCertain && have != right) {
			t.Errorf("%s %s: %q: have %s (%s; doubt %q), want %s", c.question, c.gold, c.answer, have, v.Reason, v.Doubt, c.want)
		}
	}
}
