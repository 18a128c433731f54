package pcm

import (
	"slices"
	"strings"
	"testing"
)

func TestReadConfig(t *testing.T) {
	c, err := ReadConfig([]byte(`model:
  openai_api_key: "your-api-key"
  openai_base_url: "https://your-api-endpoint/v1"
  llm_model: "gpt-4o"
thresholds: {theta_high: 2.5, theta_low: 1, lambda_factor: 0.4}
weights: {eta: 0.1, beta: 0.2}
working_memory: {max_context_tokens: 1500}
storage: {chroma_path: data/chroma_db}
`), Defaults())
	if err != nil || c.ThetaHigh != 2.5 || c.ThetaLow != 1 || c.Lambda != .4 || c.Eta != .1 || c.Beta != .2 || c.MaxContextTokens != 1500 || c.Model != "gpt-4o" || !c.Key || c.TopK != 10 || !slices.Equal(c.Ignored, []string{"storage.chroma_path"}) {
		t.Errorf("have %+v (%v)", c, err)
	}
	for text, want := range map[string]string{"thresholds: {theta_high: hot}": "theta_high", "working_memory: {max_context_tokens: 1.5}": "max_context_tokens", "model: {llm_model: 4}": "llm_model", "[": ""} {
		if _, err := ReadConfig([]byte(text), Defaults()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: have %v", text, err)
		}
	}
}

// Whatever the file, reading it ends with a configuration or an error.
func FuzzReadConfig(f *testing.F) {
	f.Add([]byte("thresholds: {theta_high: 3}\nmodel: {llm_model: m}"))
	f.Add([]byte("weights: [1, 2]\n? [a]: b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ReadConfig(b, Defaults())
		if err == nil && c.check(nil) == nil && (c.TopK < 1 || c.ThetaLow > c.ThetaHigh) {
			t.Fatalf("%+v", c)
		}
	})
}
