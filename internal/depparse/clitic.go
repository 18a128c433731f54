package depparse

import "strings"

// read fills in the tags, heads and relations of the words of one sentence. 's behind a noun is read again as a verb where nothing is possessed: "mom's from
// Oaxaca", "my sister's allergic to cats". The treebank has little talk in which a noun carries its verb.
func (m *models) read(ws []Word) {
	m.readOnce(ws)
	forms := map[int]string{} // of 's that is read as a verb
	for i, w := range ws {
		if i == 0 || i+1 >= len(ws) || w.Form != "'s" && w.Form != "’s" || w.Tag != "POS" && (w.Tag != "VBZ" || !strings.HasPrefix(ws[i-1].Tag, "NN")) {
			continue
		}
		next := strings.ToLower(ws[i+1].Form)
		certain := w.Tag == "VBZ" || unowned[next]
		if !certain && !lacksVerb(ws, i) {
			continue
		}
		ws[i].Form = "is"
		if perfect[next] {
			ws[i].Form = "has"
		}
		if m.readOnce(ws); certain || describes(ws, i) {
			forms[i] = w.Form
			continue
		}
		ws[i].Form = w.Form
		m.readOnce(ws)
	}
	for i, form := range forms {
		ws[i].Form = form
	}
	ownSubjects(ws)
}

// ownSubjects gives a second finite verb the name right before it as its subject, where the parser joined the name to the object of the first one: "I bought three
// tickets and Paul bought two".
func ownSubjects(ws []Word) {
	for i := 2; i < len(ws); i++ {
		name, and := &ws[i-1], &ws[i-2]
		if t := ws[i].Tag; (t == "VBD" || t == "VBZ") && ws[i].Rel == "conj" && name.Tag == "NNP" && name.Rel == "conj" && name.Head < i-1 && and.Tag == "CC" {
			name.Head, name.Rel, and.Head = i, "nsubj", i
		}
	}
}

// unowned are words of closed classes before which nothing is possessed, perfect those before which 's is "has".
var (
	unowned = set(`a an the this that these those my your his her its our their from in on at with for of to into by about after before between during without under over above near off out up down away back
	not n't been got gone had not always never still already just now really so too also probably definitely currently here there home asleep awake ill due i you he she it we they`)
	perfect = set("been got gone had")
)

// lacksVerb reports whether the clause of the 's at i has no other finite verb, or has it right behind: "my dad's moved to Hull".
func lacksVerb(ws []Word, i int) bool {
	for k := i - 1; k >= 0 && !breaks(ws[k]); k-- {
		if t := ws[k].Tag; t[0] == 'V' || t == "MD" || t == "IN" || t == "TO" {
			return false
		}
	}
	for k := i + 1; k < len(ws) && !breaks(ws[k]); k++ {
		if t := ws[k].Tag; t == "VBZ" || t == "VBP" || t == "VBD" || t == "MD" {
			return k == i+1
		}
	}
	return true
}

func breaks(w Word) bool { return w.Tag == "CC" || strings.ContainsAny(w.Form, ",.;:!?()") }

// describes reports whether the verb at i has a complement that is no bare noun: "my sister's dog" says nothing.
func describes(ws []Word, i int) bool {
	h := max(ws[i].Head, i+1)
	for k := i + 1; k < h; k++ {
		if t := ws[k].Tag; t == "DT" || t == "CD" || t == "IN" || t == "PRP$" {
			return true
		}
	}
	return !strings.HasPrefix(ws[h].Tag, "NN")
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
