package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"membench/internal/exttest"
)

// docs/audit.md holds figures that `membench eval audit` prints of the shared data:
// the command's own output, without a word of the data.
func TestAuditDocs(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo_recorded/NOTICE.md", "data/halumem/mem0_eval", "data/mem_gallery/result_debug", "data/memoryagentbench/results")
	data := func(parts ...string) string { return filepath.Join(append([]string{dir, "data"}, parts...)...) }
	glob := func(parts ...string) []string {
		files, err := filepath.Glob(data(parts...))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v: %v", parts, err)
		}
		return files
	}
	gallery := data("mem_gallery", "result_debug", "qwen2-5-vl-7b")
	const topic = "AI_Robotics_Automation_Future_Tech"
	var text bytes.Buffer
	for _, args := range [][]string{
		append(glob("locomo_recorded", "fullcontext*.jsonl"), glob("locomo_recorded", "[mwz]*.jsonl")...),
		{data("halumem", "mem0_eval", "halumem_pilot_user0_FULL_results.json"), data("halumem", "mem0_eval", "halumem_pilot_user12_Results.json")},
		{filepath.Join(gallery, "FUMemory", topic+"_results.json"), "--system", "FUMemory", "--claims", filepath.Join(gallery, "FUMemory", topic+"_evaluate_result.json")},
		{filepath.Join(gallery, "STMemory", topic+"_results.json"), "--system", "STMemory", "--claims", filepath.Join(gallery, "STMemory", topic+"_evaluate_result.json")},
		glob("memoryagentbench", "results", "*.jsonl"),
		{data("longmemeval", "system_outputs", "s_fullcontext_gemini-2.5-flash_eval.json")},
	} {
		var words bytes.Buffer
		e := &env{in: bytes.NewReader(nil), out: &text, err: &words, getenv: func(string) string { return "" }}
		if code := run(t.Context(), e, append([]string{"eval", "audit", "--markdown"}, args...)); code != exitFine {
			t.Fatalf("%v: exit %d: %s", args, code, words.String())
		}
	}
	checkDoc(t, "../docs/audit.md", "audit", fmt.Sprintf("\n%s", text.String()))
}
