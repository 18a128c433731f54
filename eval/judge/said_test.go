package judge

import "testing"

// A yes or no is also said by repeating the question as a statement, or behind its reasons; not by a guess, a question, another time, or a statement of something else.
func TestYesOrNoRepeated(t *testing.T) {
	for _, c := range []struct {
		question, answer string
		want             int
	}{
		{"Did Bertil sell the barn?", "There were two offers, and the roof had to be mended. Bertil did sell the barn: the deed was signed in May.", 1},
		{"Did Bertil sell the barn?", "He thought about it all winter. But he didn't sell.", -1},
		{"Did Bertil sell the barn?", "The bank wanted more papers, so no, he kept it.", -1},
		{"Did Bertil sell the barn?", "It took a year, but yes, he sold it.", 1},
		{"Did Bertil sell the barn?", "The answer to the question \"Did Bertil sell the barn\" is not known to me.", 0},
		{"Did Bertil sell the barn?", "He may have sold the barn.", 0},
		{"Did Bertil sell the barn?", "Bertil sold the boat.", 0},
		{"Is Runa still a smoker?", "Runa was a smoker for ten years.", 0},
		{"Is Runa still a smoker?", "Runa is no longer a smoker.", -1},
		{"Is the ferry full?", "The ferry is empty.", -1},
		{"小舟会游泳吗？", "小舟会游泳，是在海边学的。", 1},
		{"小舟会游泳吗？", "教练很好，可是她不会游泳。", -1},
	} {
		if got := toldYesNo(cut(c.question, nil), cut(c.answer, nil)); got != c.want {
			t.Errorf("%s | %s: %d, want %d", c.question, c.answer, got, c.want)
		}
	}
	for _, c := range []struct {
		gold, answer string
		sure         bool
	}{
		{"Yes", "There were two offers, and the roof had to be mended. Bertil did sell the barn: the deed was signed in May.", true},
		{"No", "There were two offers, and the roof had to be mended. Bertil did sell the barn: the deed was signed in May.", false},
		{"Yes", "In a dream Bertil did sell the barn.", false},
		{"Yes", "Did Bertil sell the barn?", false},
	} {
		v := Judge(Question{Text: "Did Bertil sell the barn?"}, []string{c.gold}, c.answer)
		if sure := v.Correct && v.Doubt == ""; sure != c.sure {
			t.Errorf("%s | %s: %v, want %v (%s, doubt %q)", c.gold, c.answer, sure, c.sure, v.Reason, v.Doubt)
		}
	}
}

// A repeated question with the gold is as sure as what introduces it: a verb of saying or knowing, or a label that names a source.
func TestIntroduced(t *testing.T) {
	q := Question{Text: "Where does Sigrid keep the skates?"}
	for intro, sure := range map[string]bool{
		"The landlord told me that ":            true,
		"I can confirm that ":                   true,
		"From the chat of Monday: ":             true,
		"In short: ":                            true,
		"Half of the street is convinced that ": false,
		"The handout mistakenly says that ":     false,
		"It was the postman's pet theory that ": false,
		"Make a case for the proposition that ": false,
		"Unchecked: ":                           false,
	} {
		v := Judge(q, []string{"the cellar"}, intro+"Sigrid keeps the skates in the cellar.")
		if got := v.Correct && v.Doubt == ""; got != sure {
			t.Errorf("%s…: sure %v, want %v (doubt %q)", intro, got, sure, v.Doubt)
		}
	}
}
