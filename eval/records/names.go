package records

import (
	"path/filepath"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Names tell systems apart that several inputs have under one name, such as those of a run before a change and of the run after it. Without an entry a system
// keeps its name.
type Names map[systemIn]string

type systemIn struct{ file, dataset, system string }

// Of returns the name of a system whose records are in file.
func (n Names) Of(file, dataset, system string) string {
	if name, ok := n[systemIn{file, dataset, system}]; ok {
		return name
	}
	return system
}

// NameIn returns the name of a system of an input that another input has too.
func NameIn(input, system string) string { return filepath.ToSlash(input) + ":" + system }

// Apart names the systems of inputs, as Find takes them, by their input where two inputs have answers of one system to the same question. Inputs that share no
// question, such as the shards of a run, keep their names. With one input it reads nothing; of several it holds 24 bytes for each answer.
func Apart(inputs []string) (Names, error) {
	if len(inputs) < 2 {
		return nil, nil
	}
	type system struct{ dataset, name string }
	type place struct{ input, qa, sessions string }
	first := map[recordID]int{} // the input that has the answer
	places, in := make([]place, len(inputs)), map[system][]int{}
	twice := map[system]bool{}
	for i, input := range inputs {
		qa, sessions, err := Find(input)
		if err != nil {
			return nil, err
		}
		places[i] = place{input, qa, sessions}
		for r := range answersOf(qa) {
			s := system{r.Dataset, r.System}
			id, _ := questionID(&r)
			if at, known := first[id]; !known {
				first[id] = i
			} else if places[at].qa != qa { // the same file twice is no second run
				twice[s] = true
			}
			if at := in[s]; len(at) == 0 || at[len(at)-1] != i {
				in[s] = append(at, i)
			}
		}
	}
	n := Names{}
	for s := range twice {
		for _, i := range in[s] {
			p := places[i]
			name := NameIn(p.input, s.name)
			n[systemIn{p.qa, s.dataset, s.name}], n[systemIn{p.sessions, s.dataset, s.name}] = name, name
		}
	}
	return n, nil
}

// answersOf yields what identifies the answers of a file, as far as it can be read: who reads the whole records reports the rest.
func answersOf(path string) func(yield func(schema.QARecord) bool) {
	return func(yield func(schema.QARecord) bool) {
		if path == "" || path == "-" {
			return
		}
		f, err := jsonl.Open(path, nil)
		if err != nil {
			return
		}
		defer f.Close()
		for line, err := range jsonl.Lines(f, path, 0) {
			if err != nil {
				return
			}
			var r struct {
				System     string `json:"system"`
				Dataset    string `json:"dataset"`
				CaseID     string `json:"case_id"`
				QuestionID string `json:"question_id"`
				Repeat     int    `json:"repeat"`
			}
			if codec.Unmarshal(line.Bytes, &r) == nil && !yield(schema.QARecord{System: r.System, Dataset: r.Dataset, CaseID: r.CaseID, QuestionID: r.QuestionID, Repeat: r.Repeat}) {
				return
			}
		}
	}
}
