package published

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// Pseudo-protocols of claims about session grades.
const (
	sessionRecall       = "session-recall"
	sessionInterference = "session-interference"
	sessionUpdate       = "session-update"

	// AnyProtocol lets the audit look which string protocol gives the claimed value.
	AnyProtocol = "any"
)

// A Claim is one published figure of one run.
type Claim struct {
	Run      string  `json:"run,omitzero"` // system name of the import it belongs to
	Source   string  `json:"source"`       // where it was published
	Protocol string  `json:"protocol"`     // whose figure: recorded-judge, recorded-mean, recorded-f1, …, or one of ours
	Label    string  `json:"label,omitzero"`
	Category string  `json:"category,omitzero"` // raw category; "": overall
	Value    float64 `json:"value"`             // in [0,1]
	Decimals int     `json:"decimals"`          // of the value as published, as a share: 92.62 % has 4
	N        int     `json:"n"`                 // questions it claims to rest on; 0: not said
	Runs     int     `json:"runs,omitzero"`     // it is the mean of this many runs or votes over them
}

// percents makes claims of one run from a published table in percent with two
// decimals: overall, then LoCoMo's categories 1 to 4 (NaN: not published).
func percents(run, source, protocol string, overall float64, cats ...float64) []Claim {
	out := []Claim{{Run: run, Source: source, Protocol: protocol, Value: overall / 100, Decimals: 4, N: 1540}}
	for i, x := range cats {
		if !math.IsNaN(x) {
			out = append(out, Claim{Run: run, Source: source, Protocol: protocol, Category: fmt.Sprint(i + 1), Value: x / 100, Decimals: 4, N: locomoSizes[i]})
		}
	}
	return out
}

func meanOf(runs int, claims []Claim) []Claim {
	for i := range claims {
		claims[i].Runs = runs
	}
	return claims
}

// locomoSizes are the questions of categories 1 to 4 in the whole data set.
var locomoSizes = [...]int{282, 321, 96, 841}

// Published lists the figures that others have published of a public run that is recognised
// by its answers (Known). All are of the whole data set.
func Published(run string) []Claim {
	none := math.NaN()
	const fc = "dial481/locomo-audit fc-baseline/README.md @b32288d"
	const mb = "memodb-io/memobase docs/experiments/locomo-benchmark/README.md"
	var out []Claim
	for _, r := range []struct {
		run            string
		mean, majority float64
		cats           []float64
	}{
		{"fullcontext_gpt-4o-mini-memos", 74.29, 74.35, []float64{70.21, 51.09, 56.60, 86.52}},
		{"fullcontext_gpt-4o-mini-cot", 79.89, 79.94, []float64{82.62, 57.32, 66.67, 89.10}},
		{"fullcontext_gpt-4.1-mini-memos", 81.95, 82.08, []float64{78.84, 70.51, 61.81, 89.66}},
		{"fullcontext_gpt-4.1-mini-cot", 92.62, 92.66, []float64{92.20, 86.29, 80.90, 96.51}},
	} {
		out = append(out, meanOf(3, percents(r.run, fc, RecordedMean, r.mean, r.cats...))...)
		out = append(out, percents(r.run, fc, RecordedJudge, r.majority)...)
	}
	out = append(out, meanOf(10, percents("zep_cloud_2025", "getzep/zep-papers kg_architecture_agent_memory/locomo_eval, mean of ten runs", RecordedJudge, 75.14, 74.11, 67.71, 66.04, 79.79))...)
	out = append(out, percents("zep_cloud_2025", "Zep's first claim, recounted in getzep/zep-papers#5", RecordedJudge, 84)...)
	out[len(out)-1].Decimals = 2
	out = append(out, percents("memobase_0503_3000", mb, RecordedJudge, 70.91, 63.83, 80.37, 52.08, 71.82)...)
	out = append(out, percents("memobase_0503_3000", mb, RecordedF1, 48.84, 42.83, 64.38, 30.85, 46.98)...)
	out = append(out, percents("memobase_0503_3000", mb, RecordedBLEU1, 35.15, 30.45, 45.82, 20.78, 34.29)...)
	out = append(out, percents("memobase_0710_3000", mb+" (0.0.37)", RecordedJudge, 75.78, none, none, none, none)...)
	out = append(out, percents("wrong_answers_v1", "dial481/locomo-audit ap-baseline", RecordedMean, 10.6)...)
	out[len(out)-1].Decimals = 3
	out = append(out, percents("wrong_answers_v2", "dial481/locomo-audit ap-baseline", RecordedMean, 62.8)...)
	out[len(out)-1].Decimals = 3
	out = slices.DeleteFunc(out, func(c Claim) bool { return c.Run != run })
	for i := range out {
		out[i].Run = ""
	}
	return out
}

// ReadClaims reads a file of claims: a JSON array of Claim, or Mem-Gallery's NAME_evaluate_result.json.
func ReadClaims(b []byte, name string) ([]Claim, error) {
	if strings.HasSuffix(name, "_evaluate_result.json") {
		return memGalleryClaims(b)
	}
	var out []Claim
	if err := codec.Unmarshal(b, &out); err != nil {
		return nil, schema.Brokenf("reading claims %s: %w", name, err)
	}
	for i, c := range out {
		if c.Protocol == "" || c.Value < 0 || c.Value > 1 {
			return nil, schema.Brokenf("%s: /%d: a claim needs a protocol and a value in [0,1]; have %q, %v", name, i, c.Protocol, c.Value)
		}
	}
	return out, nil
}

// A Denominator is a number of verdicts that a published share could rest on.
type Denominator struct {
	N        int  `json:"n"`
	Possible bool `json:"possible"` // some whole count of N rounds to the value
	K        int  `json:"k"`        // the nearest whole count
}

// Denominators reports for each candidate whether a whole number of accepted answers rounds to the published value (the GRIM test of Brown and Heathers 2017).
// It needs no rows, and excludes denominators that cannot have produced a figure.
func Denominators(value float64, decimals int, candidates ...int) []Denominator {
	half := 0.5*math.Pow(10, -float64(decimals)) + 1e-12
	var out []Denominator
	for _, n := range candidates {
		if n <= 0 {
			continue
		}
		k := int(math.Round(value * float64(n)))
		out = append(out, Denominator{N: n, K: k, Possible: math.Abs(float64(k)/float64(n)-value) <= half})
	}
	return out
}
