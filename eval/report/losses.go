package report

import (
	"fmt"
	"maps"
	"slices"

	"membench/schema"
)

// losses say at which hop questions were lost, by system and by category.
func (d *Dataset) losses() (out []table) {
	facts := table{Title: w("What memories, hits and failures show", "记忆、命中与失败显示了什么"), Head: []column{systemColumn(), {w("membench eval explain", "membench eval explain"), true}}}
	for i := range d.Systems {
		for _, f := range d.Systems[i].Facts {
			facts.Rows = append(facts.Rows, []cell{{words: data(d.Systems[i].Name())}, {words: data(f)}})
		}
	}
	if len(facts.Rows) > 0 {
		defer func() { out = append(out, facts) }()
	}
	explained := 0
	for i := range d.Systems {
		l := d.Systems[i].Lost()
		explained += l.Answers - l.Right - l.Open
	}
	if explained == 0 {
		return nil
	}
	head := append([]column{systemColumn()}, numbers(w("answers", "回答"), w("failed", "失败"))...)
	for _, h := range schema.Hops() {
		head = append(head, column{words: named(hopWords, h)})
	}
	head = append(head, column{words: w("unexplained", "未解释")})
	row := func(s *System, l Loss, filter map[string]string) []cell {
		r := []cell{{words: data(s.Name())}, num(grouped(l.Answers)), num(grouped(l.Answers - l.Right))}
		for _, h := range schema.Hops() {
			f := map[string]string{"hop": h}
			maps.Copy(f, filter)
			c := cell{words: data(grouped(l.Hops[h]))}
			if l.Hops[h] > 0 {
				c.Find = d.find(s, f)
			}
			r = append(r, c)
		}
		return append(r, num(grouped(l.Open)))
	}
	all := table{Title: w("Where facts are lost: failed answers by hop", "事实丢失在哪里：失败的回答按环节计"), Head: head}
	why := table{Title: w("Why: failed answers by cause", "原因：失败的回答按原因计"), Head: append([]column{systemColumn()}, numbers(w("failed", "失败"))...)}
	for _, c := range schema.Causes() {
		why.Head = append(why.Head, column{words: named(causeWords, c)})
	}
	why.Head = append(why.Head, numbers(w("no cause", "无原因"), w("unexplained", "未解释"))...)
	by := table{Title: w("Where facts are lost, by category", "事实丢失在哪里：按类别"), Head: slices.Insert(slices.Clone(head), 1, column{w("category", "类别"), true})}
	for i := range d.Systems {
		s := &d.Systems[i]
		l := s.Lost()
		all.Rows = append(all.Rows, row(s, l, nil))
		r := []cell{{words: data(s.Name())}, num(grouped(l.Answers - l.Right))}
		for _, c := range schema.Causes() {
			x := num(grouped(l.Causes[c]))
			if l.Causes[c] > 0 {
				x.Find = d.find(s, map[string]string{"cause": c})
			}
			r = append(r, x)
		}
		without := l.Answers - l.Right - l.Open // gold and judge errors, and undetermined ones
		for _, n := range l.Causes {
			without -= n
		}
		why.Rows = append(why.Rows, append(r, num(grouped(without)), num(grouped(l.Open))))
		for _, l := range s.Losses {
			if l.Answers > l.Right {
				by.Rows = append(by.Rows, slices.Insert(row(s, l, map[string]string{"category": l.Category}), 1, cell{words: named(categoryWords, l.Category)}))
			}
		}
	}
	all.Notes = append(all.Notes, wordsf("Failed: scored below %.0f %% by %s, or not scored. One hop and at most one cause for each (membench eval explain).", "失败：%[2]s 的得分低于 %[1].0f %%，或没有得分。每条一个环节、至多一个原因（membench eval explain）。", 100*Threshold, d.grader()))
	return []table{all, why, by}
}

// sessions are the six dimensions of seed 001.
func (d *Dataset) sessions() (table, bool) {
	t := table{Title: w("Memory by session (the six dimensions of aggregate_metrics.json), in percent (n)", "按会话的记忆（aggregate_metrics.json 的六个维度），百分数（n）"),
		Head: append([]column{systemColumn()}, numbers(w("recall", "召回"), w("recall of updates", "更新召回"), w("correct", "正确"), w("hallucinated", "幻觉"), w("updates handled", "更新处理"), w("interference rejected", "干扰拒绝"),
			w("answers correct", "回答正确"), w("hallucination", "回答幻觉"), w("omission", "遗漏"), w("evidence covered", "证据覆盖"))...)}
	any := false
	for i := range d.Systems {
		s := &d.Systems[i]
		m := s.Summary.Metrics
		if m == nil {
			t.Rows = append(t.Rows, append([]cell{{words: data(s.Name())}}, slices.Repeat([]cell{num(none)}, 10)...))
			continue
		}
		any = true
		c := func(x *float64, n int) cell {
			if x == nil {
				return num(none)
			}
			return num(fmt.Sprintf("%s (%s)", percent(x), grouped(n)))
		}
		q := m.QuestionAnswering
		t.Rows = append(t.Rows, []cell{{words: data(s.Name())}, c(m.MemoryRecall.AvgRecall, m.MemoryRecall.Sessions), c(m.MemoryRecall.AvgUpdateRecall, m.MemoryRecall.UpdateSessions),
			c(m.MemoryCorrectness.AvgCorrectness, m.MemoryCorrectness.Sessions), c(m.MemoryCorrectness.AvgHallucination, m.MemoryCorrectness.Sessions), c(m.UpdateHandling.Score, m.UpdateHandling.Total),
			c(m.InterferenceRejection.Score, m.InterferenceRejection.Total), c(q.CorrectRatio, q.Total), c(q.HallucinationRatio, q.Total), c(q.OmissionRatio, q.Total), c(m.EvidenceCoverage.HitRate, m.EvidenceCoverage.Total)})
	}
	t.Notes = append(t.Notes, w("Recall and correctness are means over sessions (n sessions), the rest is pooled (n points, answers or questions).", "召回与正确是会话的均值（n 为会话数），其余合并计算（n 为记忆点、回答或问题数）。"))
	return t, any
}
