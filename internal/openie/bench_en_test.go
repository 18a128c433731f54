package openie

import "testing"

// BenchmarkDev reads the development corpus: sentences per second of chat and of talk
// about systems in English, which need not cost the same.
func BenchmarkDev(b *testing.B) {
	for _, file := range []string{"en", "ops"} {
		b.Run(file, func(b *testing.B) {
			var texts []string
			sentences := 0
			for _, l := range readLines[devLine](b, "testdata/dev/"+file+".jsonl") {
				if !hasHan(l.Text) {
					texts = append(texts, l.Text)
					sentences += len(Sentences(l.Text))
				}
			}
			n := 0
			for b.Loop() {
				for _, t := range texts {
					Triples(t, TripleOptions{Ops: true})
				}
				n += sentences
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "sentences/s")
		})
	}
}
