package judge

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema/jsonl"
)

// BenchmarkRecorded judges the recorded answers of the shared folder on every core:
// rows/s is what docs/quality.md gives.
func BenchmarkRecorded(b *testing.B) {
	type row struct {
		Question string `json:"question"`
		Gold     any    `json:"gold"`
		Answer   string `json:"answer"`
	}
	var rows []row
	for _, name := range []string{"memobase_0503_3000", "zep_cloud_2025", "fullcontext_gpt-4.1-mini-cot", "fullcontext_gpt-4o-mini-memos"} {
		file := "data/locomo_recorded/" + name + ".jsonl"
		shared := exttest.Shared(b, file)
		f, err := os.Open(shared + "/" + file)
		if err != nil {
			b.Fatal(err)
		}
		for line, err := range jsonl.Lines(f, file, 0) {
			var r row
			if err == nil {
				err = codec.Unmarshal(line.Bytes, &r)
			}
			if err != nil {
				b.Fatal(err)
			}
			rows = append(rows, r)
		}
		f.Close()
	}
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			r := &rows[i%len(rows)]
			Judge(Question{Text: r.Question}, []string{strings.TrimSpace(fmt.Sprint(r.Gold))}, r.Answer)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
