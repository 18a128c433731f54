package llmtest

import (
	_ "embed"
	"encoding/json"
)

//go:embed testdata/smollm2.json
var smollm2 []byte

//go:embed testdata/smollm2-questions.json
var smollm2Questions []byte

// A RealAnswer is the answer of the same model, in 160 tokens at most, to a question whose answer (Gold) it was not given: it invents, repeats itself, or
// continues the dialogue.
type RealAnswer struct{ Question, Gold, Answer string }

// WrongAnswers are the model's answers to such questions. All are wrong.
func WrongAnswers() []RealAnswer {
	var out []RealAnswer
	if err := json.Unmarshal(smollm2Questions, &out); err != nil {
		panic("llmtest: " + err.Error()) // own data
	}
	return out
}

// RealAnswers are the answers of a real, very small model to the prompts of this project, cut off after 24 tokens (TestLocalModel -keep-answers): inputs for
// tests of code that parses answers.
func RealAnswers() []string {
	var out []string
	if err := json.Unmarshal(smollm2, &out); err != nil {
		panic("llmtest: " + err.Error()) // own data
	}
	return out
}
