package llmtest

import (
	_ "embed"
	"encoding/json"
)

//go:embed testdata/smollm2.json
var smollm2 []byte

// RealAnswers are what a real, very small model said to the prompts of this project, cut
// off after 24 tokens (TestLocalModel -keep-answers): seeds for whatever reads answers.
func RealAnswers() []string {
	var out []string
	if err := json.Unmarshal(smollm2, &out); err != nil {
		panic("llmtest: " + err.Error()) // own data
	}
	return out
}
