package llmtest

import (
	_ "embed"
	"encoding/json"
)

//go:embed testdata/smollm2.json
var smollm2 []byte

//go:embed testdata/smollm2-questions.json
var smollm2Questions []byte

// A RealAnswer is what the same model answered, in 160 tokens at most, to a question whose
// answer (Gold) it was not told: it makes things up, repeats itself, or plays on.
type RealAnswer struct{ Question, Gold, Answer string }

// WrongAnswers are the model's answers to such questions. All are wrong.
func WrongAnswers() []RealAnswer {
	var out []RealAnswer
	if err := json.Unmarshal(smollm2Questions, &out); err != nil {
		panic("llmtest: " + err.Error()) // own data
	}
	return out
}

// RealAnswers are what a real, very small model said to the prompts of this project, cut
// off after 24 tokens (TestLocalModel -keep-answers): seeds for whatever reads answers.
func RealAnswers() []string {
	var out []string
	if err := json.Unmarshal(smollm2, &out); err != nil {
		panic("llmtest: " + err.Error()) // own data
	}
	return out
}
