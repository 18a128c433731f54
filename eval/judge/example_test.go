package judge_test

import (
	"fmt"

	"membench/eval/judge"
)

// The judge asks no model: what an answer says is compared with the gold, dates as dates.
func ExampleJudge() {
	q := judge.Question{Text: "When did Lin move to Porto?"}
	for _, answer := range []string{"She moved there on March 5th, 2026.", "It was 2026-03-06.", ""} {
		v := judge.Judge(q, []string{"5 March 2026"}, answer)
		fmt.Println(v.Correct, v.Rule)
	}
	// Output:
	// true date
	// false date
	// false empty
}
