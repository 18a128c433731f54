package pipeline

import (
	"cmp"
	"strings"

	"membench/config"
	"membench/llm/openai"
	"membench/schema"
)

// NamedModels makes the model that the environment, .env or membench.yaml names answer and
// judge, where the flags leave open who does; an eval.yaml says it by itself.
func NamedModels(v *config.Eval, p *config.Project, lookup func(name string) (value, from string), log Log) error {
	var roles []string
	for _, role := range []config.Role{config.Read, config.Judge} {
		ep, err := p.Resolve(role, config.Model{}, lookup)
		switch {
		case err != nil:
			return &schema.UsageError{Err: err}
		case ep.Name == "":
			continue
		case ep.Key == "" && ep.BaseURL == openai.DefaultURL:
			log.Printf("the model %s is configured, but OPENAI_API_KEY is not set: answers and verdicts are made by rule", ep.Name)
			return nil
		}
		if role == config.Read && v.Reader.Type == "" && v.Reader.Model == "" {
			v.Reader.Type, v.Reader.Model = "model", ep.Name
			roles = append(roles, "answers")
		}
		if role == config.Judge && v.Grading.Judge == "" && v.Grading.JudgeModel == "" && len(v.Grading.Protocols) == 0 {
			v.Grading.Judge, v.Grading.JudgeModel = "model", ep.Name
			roles = append(roles, "verdicts")
		}
	}
	if len(roles) > 0 {
		log.Printf("%s are made by the model %s; --mock asks no model, --reader rule and --judge rule replace it in one role", strings.Join(roles, " and "), cmp.Or(v.Reader.Model, v.Grading.JudgeModel))
	}
	return nil
}
