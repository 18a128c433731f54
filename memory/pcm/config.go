package pcm

import (
	"fmt"
	"slices"

	"membench/internal/yamldoc"
)

// A Config is the config.yaml of the published project.
type Config struct {
	Options
	Model   string   // model.llm_model
	BaseURL string   // model.openai_base_url
	Key     bool     // it contains an API key, which is ignored: the key comes from the environment
	Ignored []string // members that mean nothing here
}

// ReadConfig reads the published config.yaml over o: model, thresholds, weights,
// working_memory and retrieval. Unknown members are listed, not refused: the file has
// settings of the published program's own parts.
func ReadConfig(b []byte, o Options) (Config, error) {
	c := Config{Options: o}
	var file map[string]any
	if err := yamldoc.Unmarshal(b, &file); err != nil {
		return c, err
	}
	number := map[string]*float64{
		"thresholds.theta_high": &c.ThetaHigh, "thresholds.theta_low": &c.ThetaLow, "thresholds.lambda_factor": &c.Lambda, "thresholds.surprisal_alpha": &c.Alpha,
		"weights.eta": &c.Eta, "weights.beta": &c.Beta, "weights.gamma": &c.Gamma,
	}
	whole := map[string]*int{"working_memory.max_context_tokens": &c.MaxContextTokens, "working_memory.eviction_size": &c.EvictionSize, "retrieval.top_k": &c.TopK}
	text := map[string]*string{"model.llm_model": &c.Model, "model.openai_base_url": &c.BaseURL}
	for section, v := range file {
		members, ok := v.(map[string]any)
		if !ok {
			c.Ignored = append(c.Ignored, section)
			continue
		}
		for name, v := range members {
			at := section + "." + name
			var f float64
			var isNumber bool
			switch x := v.(type) {
			case float64:
				f, isNumber = x, true
			case int:
				f, isNumber = float64(x), true
			case int64:
				f, isNumber = float64(x), true
			case uint64:
				f, isNumber = float64(x), true
			}
			s, isText := v.(string)
			switch {
			case at == "model.openai_api_key":
				c.Key = s != ""
			case number[at] != nil && isNumber:
				*number[at] = f
			case whole[at] != nil && isNumber && f == float64(int(f)):
				*whole[at] = int(f)
			case text[at] != nil && isText:
				*text[at] = s
			case number[at] != nil || whole[at] != nil:
				return c, fmt.Errorf("%s: have %v, want a number", at, v)
			case text[at] != nil:
				return c, fmt.Errorf("%s: have %v, want text", at, v)
			default:
				c.Ignored = append(c.Ignored, at)
			}
		}
	}
	slices.Sort(c.Ignored)
	return c, nil
}
