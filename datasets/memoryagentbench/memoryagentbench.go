// Package memoryagentbench reads MemoryAgentBench: a row is one long context, asked
// many questions, each with several accepted golds. Rows come as JSON or as the
// parquet files of the publisher.
//
// No data file was at hand: the form is read as the benchmark's loaders and the traces
// of others' runs describe it (unverified). The context is cut into chunks that are
// ingested one by one; Options.Chunk says how. Numbers of facts stay in the text: the
// larger one is the newer.
package memoryagentbench

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset is MemoryAgentBench.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("memoryagentbench")
	return datasets.Dataset{Info: info, Match: match, Cases: Cases}
}

func match(name string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".parquet"}, path.Ext(name))
}

// Splits are the four competences by their sources' prefixes; the longest match counts.
var splits = []struct{ prefix, split, category string }{
	{"ruler_", "Accurate_Retrieval", schema.CatIE},
	{"eventqa_", "Accurate_Retrieval", schema.CatIE},
	{"longmemeval_s", "Accurate_Retrieval", schema.CatIE},
	{"icl_", "Test_Time_Learning", schema.CatTTL},
	{"recsys_", "Test_Time_Learning", schema.CatTTL},
	{"infbench_sum", "Long_Range_Understanding", schema.CatLRU},
	{"detective_qa", "Long_Range_Understanding", schema.CatLRU},
	{"factconsolidation_", "Conflict_Resolution", schema.CatCR},
}

// Split returns the competence of a source and the category of its questions.
func Split(source string) (split, category string, ok bool) {
	for _, s := range splits {
		if strings.HasPrefix(source, s.prefix) {
			return s.split, s.category, true
		}
	}
	return "", "", false
}

// lmeTypes are the categories of the LongMemEval questions in longmemeval_s*.
var lmeTypes = map[string]string{"multi-session": schema.CatMR, "temporal-reasoning": schema.CatTR, "knowledge-update": schema.CatKU}

type row struct {
	Context   string    `json:"context"`
	Questions []string  `json:"questions"`
	Answers   []answers `json:"answers"`
	Meta      metadata  `json:"metadata"`
}

// metadata has lists that run beside the questions, where the source has them.
type metadata struct {
	Source  string   `json:"source"`
	PairIDs []string `json:"qa_pair_ids"`
	IDs     []string `json:"question_ids"`
	Types   []string `json:"question_types"`
	Dates   []string `json:"question_dates"`
	// Points are the key points of a row's summary (infbench_sum), which has one question.
	Points answers `json:"keypoints"`
}

// answers are the accepted golds of one question: a list, or a single one.
type answers []datasets.Scalar

func (a *answers) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		for el := range codec.Elements(b) {
			var s datasets.Scalar
			if err := s.UnmarshalJSON(el); err != nil {
				return err
			}
			*a = append(*a, s)
		}
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	var s datasets.Scalar
	err := s.UnmarshalJSON(b)
	*a = answers{s}
	return err
}

// chunkRunes is the size of a chunk without Options.Chunk: about the benchmark's 4,096
// tokens of English.
const chunkRunes = 16000

// Cases reads rows. A question's id is the row's own where it has one, else
// <case>/q/<index>.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
	if o.Chunk == nil {
		o.Chunk = func(text string) []string { return datasets.Chunks(text, chunkRunes) }
	}
	one := func(v *datasets.Value, r row) (schema.Case, error) { return read(v, r, o) }
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for _, f := range files {
			in := []jsonl.File{f}
			if strings.HasSuffix(f.Name, ".parquet") {
				in = []jsonl.File{asLines(f)}
			}
			for r, err := range datasets.ReadAs(ctx, in, o, one) {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func read(v *datasets.Value, r row, o datasets.Options) (schema.Case, error) {
	switch {
	case r.Context == "":
		return schema.Case{}, v.Finding("DST001", "a row without context")
	case len(r.Questions) != len(r.Answers):
		f := v.Finding("DST011", "questions and answers differ in number")
		f.Have = fmt.Sprintf("%d questions, %d answers", len(r.Questions), len(r.Answers))
		return schema.Case{}, f
	}
	split, category, ok := Split(r.Meta.Source)
	if !ok {
		f := v.Finding("DST003", "an unknown source, the row skipped", "metadata", "source")
		f.Have = r.Meta.Source
		return schema.Case{}, f
	}
	id := fmt.Sprintf("%s#%d", r.Meta.Source, v.Index)
	b := datasets.NewBuilder("memoryagentbench", id, schema.ConvID(id), schema.UnitChunk)
	b.Case.Source = r.Meta.Source // protocols score by the sub-set
	meta, err := schema.NewObject(map[string]string{"split": split})
	if err != nil {
		return schema.Case{}, err
	}
	b.Case.Meta = meta
	b.Session(schema.Session{ID: "S1"})
	for i, chunk := range o.Chunk(r.Context) {
		if strings.TrimSpace(chunk) != "" {
			b.Turn(schema.CaseTurn{SourceID: "chunk_" + strconv.Itoa(i), Role: "user", Text: chunk})
		}
	}
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	for i, text := range r.Questions {
		var golds []string
		for j, s := range r.Answers[i] {
			golds = append(golds, v.Gold(s, "answers", strconv.Itoa(i), strconv.Itoa(j)))
		}
		if len(golds) == 0 {
			f := v.Finding("DST002", "a question without a gold, skipped", "answers", strconv.Itoa(i))
			v.Report(f)
			continue
		}
		q := schema.Question{ID: at(r.Meta.PairIDs, i), Text: text, Answer: golds[0], Category: category, RawCategory: r.Meta.Source,
			AsOf: datasets.LocalTime(v.Time(datasets.LongMemEvalTime, at(r.Meta.Dates, i), "metadata", "question_dates", strconv.Itoa(i)))}
		if len(golds) > 1 {
			q.Answers = golds
		}
		q.ID = cmp.Or(q.ID, id+"/q/"+strconv.Itoa(i))
		if t := at(r.Meta.Types, i); strings.HasPrefix(r.Meta.Source, "longmemeval") && t != "" {
			q.RawCategory = t
			if c, ok := lmeTypes[t]; ok {
				q.Category = c
			}
			if strings.Contains(at(r.Meta.IDs, i), "_abs") {
				q.Category, q.Abstain = schema.CatABS, true
			}
		}
		if strings.HasPrefix(r.Meta.Source, "infbench_sum") {
			for _, s := range r.Meta.Points {
				q.EvidenceTexts = append(q.EvidenceTexts, s.Text)
			}
		}
		b.Case.Questions = append(b.Case.Questions, q)
	}
	return b.Case, nil
}
