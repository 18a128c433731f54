package clause

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"membench/internal/exttest"
)

var turnID = regexp.MustCompile(`D\d+:\d+`)

// TestCoverage counts the evidence turns of LoCoMo's and REALTALK's questions that hold a
// fact of the default tier, asserted or planned: what a graph can lead to.
func TestCoverage(t *testing.T) {
	texts := map[string]said{}
	locomoTexts(t, texts)
	realtalkTexts(t, texts)
	evidence := map[string][]string{} // by source
	add := func(source, conv, list string) {
		for _, id := range turnID.FindAllString(list, -1) {
			if key := source + " " + conv + "/" + id; texts[key].text != "" {
				evidence[source] = append(evidence[source], key)
			}
		}
	}
	type question struct{ Evidence json.RawMessage }
	var samples []struct {
		ID string `json:"sample_id"`
		QA []question
	}
	readJSON(t, open(t, filepath.Join(exttest.Shared(t, "data"), "data", "locomo", "locomo8.json")), &samples)
	for _, s := range samples {
		for _, q := range s.QA {
			add("locomo", s.ID, string(q.Evidence))
		}
	}
	for _, name := range glob(t, "realtalk", "*.json") {
		var chat struct{ QA []question }
		readJSON(t, open(t, name), &chat)
		for _, q := range chat.QA {
			add("realtalk", strings.TrimSuffix(filepath.Base(name), ".json"), string(q.Evidence))
		}
	}
	touched := map[string]bool{}
	for key, text := range texts {
		for _, f := range Read(text.text, Options{Names: text.names}) {
			touched[key] = touched[key] || f.Tier == Default && (f.Modality == Asserted || f.Modality == Plan)
		}
	}
	for _, source := range []string{"locomo", "realtalk"} {
		n := 0
		for _, key := range evidence[source] {
			if touched[key] {
				n++
			}
		}
		share := float64(n) / float64(max(1, len(evidence[source])))
		t.Logf("%s: %d of %d evidence turns hold a fact (%.3f)", source, n, len(evidence[source]), share)
		if share < 0.6 {
			t.Errorf("%s: %.3f of the evidence turns hold a fact, want 0.6", source, share)
		}
	}
}
