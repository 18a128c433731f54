package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"membench/schema"
)

// An invented run: systems of known strength, questions in English and Chinese, and for
// each failure a hop. Everything comes from a seed.
type invention struct {
	systems   []string
	dataset   string
	cases     int
	questions int // of each case
	hostile   bool
}

var (
	people = []string{"Mira", "Tomas", "林越", "Odile", "周岚", "Bram"}
	things = []string{"the lighthouse log", "a rye loaf", "望远镜的镜片", "the blue ferry", "一盆迷迭香", "the spare oar"}
	places = []string{"the pier", "阁楼", "the east shed", "观测站", "the bakery", "码头仓库"}
	cats   = []string{schema.CatIE, schema.CatMR, schema.CatTR, schema.CatKU, schema.CatABS}
	// strength is the share of right answers, shown the length of contexts in sentences.
	strength = map[string]float64{"oracle": .93, "full-context": .82, "bm25": .66, "fused": .74, "embedding-only": .52, "null": .12, "mem0": .58, "图谱记忆": .71}
	sentence = map[string]int{"oracle": 2, "full-context": 90, "bm25": 10, "fused": 10, "embedding-only": 10, "mem0": 5, "图谱记忆": 7}
	hopsOf   = []string{"ingest", "store", "overwrite", "retrieve", "retrieve", "retrieve", "context", "read", "read", "judge", "gold"}
	causeOf  = map[string]string{"ingest": "miss", "store": "miss", "overwrite": "conflict", "retrieve": "miss", "context": "overload", "read": "generation"}
)

// hostileText would run if anything took text for markup or script.
const hostileText = "</script><script>window.ran=1</script><img src=x onerror=\"window.ran=1\">\u2028\u2029]]>--><!--'\"`${window.ran=1}{{data}}\\u003c/script>"

func (v invention) each(yield func(schema.QARecord) bool) {
	for _, sys := range v.systems {
		for c := range v.cases {
			for k := range v.questions {
				if !yield(v.record(sys, c, k)) {
					return
				}
			}
		}
	}
}

func (v invention) seq() schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		v.each(func(q schema.QARecord) bool { return yield(schema.Record[schema.QARecord]{V: q}, nil) })
	}
}

func (v invention) record(sys string, c, k int) schema.QARecord {
	shared := rand.New(rand.NewPCG(uint64(c)+1, uint64(k)+1)) // the same for every system
	own := rand.New(rand.NewPCG(uint64(c)*1000+uint64(k), uint64(len(sys))*7919+uint64(sys[0])))
	who, what, where := people[shared.IntN(len(people))], things[shared.IntN(len(things))], places[shared.IntN(len(places))]
	hard := shared.Float64()
	conv := schema.ConvID(fmt.Sprintf("case-%02d", c))
	cat := cats[k%len(cats)]
	q := schema.QARecord{System: sys, Dataset: v.dataset, CaseID: string(conv), QuestionID: fmt.Sprintf("%s/q%d", conv, k), Category: cat, RawCategory: map[string]string{schema.CatIE: "single", schema.CatMR: "list", schema.CatTR: "when", schema.CatKU: "update", schema.CatABS: "none"}[cat],
		K: 5, By: "llama-3.1-8b", Outcome: schema.OutcomeAnswered, Hits: []schema.QAHit{}, Evidence: []schema.EventRef{{ConvID: conv, TurnID: k + 1}}}
	if shared.IntN(2) == 0 {
		q.Question, q.Gold = fmt.Sprintf("Where did %s leave %s in week %d?", who, what, k), where
	} else {
		q.Question, q.Gold = fmt.Sprintf("第%d周%s把%s放在哪里了？", k, who, what), where
	}
	if v.hostile {
		q.Question += hostileText
		q.Answer = hostileText
	}
	fact := fmt.Sprintf("%s said that %s was now kept at %s. %s把它放在%s。", who, what, where, who, where)
	right := own.Float64()*.4+hard*.6 < strength[sys]
	hop := ""
	if !right {
		hop = hopsOf[own.IntN(len(hopsOf))]
		q.Attribution = &schema.Attribution{Hop: hop, Cause: causeOf[hop], Reason: "the turn " + fmt.Sprint(q.Evidence[0]) + " was lost at this hop", Evidence: q.Evidence, IDs: []string{fmt.Sprintf("mem:%d", k)}}
		q.Answer += "at " + places[own.IntN(len(places))]
	} else {
		q.Answer += "At " + where + "."
	}
	if n := sentence[sys]; n > 0 {
		var lines []string
		for i := range min(n, 5) {
			h := schema.QAHit{Rank: i + 1, ID: schema.PointID(fmt.Sprintf("m%d-%d", k, i)), Score: 9.5 - float64(i), Text: fmt.Sprintf("%s walked past %s and spoke of %s.", people[own.IntN(len(people))], places[own.IntN(len(places))], things[own.IntN(len(things))]),
				Sources: []schema.EventRef{{ConvID: conv, TurnID: 200 + i}}}
			if i == 1 && (right || hop == "read" || hop == "context") {
				h.Text, h.Sources, h.Cut = fact, q.Evidence, hop == "context"
			}
			if v.hostile {
				h.Text += hostileText
			}
			q.Hits = append(q.Hits, h)
			lines = append(lines, h.Text)
		}
		for i := len(lines); i < n; i++ {
			lines = append(lines, fmt.Sprintf("Day %d: %s mended a net near %s.", i, people[i%len(people)], places[(i+k)%len(places)]))
		}
		q.Context = strings.Join(lines, "\n")
	}
	if hop == "retrieve" {
		q.Below = []schema.QARank{{Rank: 6 + own.IntN(30), ID: "m-late", Sources: q.Evidence}}
	}
	q.RetrieveMS = .4 + own.ExpFloat64()*1.7*float64(1+len(sys)%4)
	q.AnswerMS = 180 + own.ExpFloat64()*240
	q.Usage = []schema.StepUsage{{Step: "read", Model: "gpt-4o-mini", Calls: 1, InputTokens: 80 + len(q.Context)/4, OutputTokens: 12}}
	score := 0.0
	if right {
		score = 1
	}
	q.Grades = []schema.Grade{{Protocol: "rule@2", By: "rule", Score: &score, Outcome: schema.GradeScored, Facts: []string{"place: " + where}, Reason: "compared the place"},
		{Protocol: "evidence-recall@1", By: "rule", Score: &score, Outcome: schema.GradeScored}}
	switch own.IntN(60) {
	case 0:
		q.Outcome, q.Error, q.Answer = schema.OutcomeTimeout, "the reader took longer than 30 s", ""
		q.Grades = []schema.Grade{{Protocol: "rule@2", By: "rule", Outcome: schema.GradeNotAnswered}}
		q.Attribution = nil
	case 1:
		q.Grades[0].Score, q.Grades[0].Outcome, q.Grades[0].Reason = nil, schema.GradeJudgeFailed, "no verdict in the reply"
	}
	return q
}
