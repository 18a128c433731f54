// Package published reads published result files into our records, and audits them: it compares the published figures with the rows.
//
// A file is one form (Formats); a form that was only seen in someone's source, never
// as a file at hand, is marked unverified. Recorded verdicts become grades of the
// protocols recorded-judge, recorded-mean (several votes), recorded-f1 and
// recorded-bleu1, whose version is the form's name: they are never mixed with grades
// of our own. A verdict that cannot be read is judge_failed, not wrong, and an error behind its record.
//
// A file is held whole in memory (result files are a few megabytes), its records one
// at a time.
package published

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"
)

// MaxFile is the largest result file that is read, in bytes.
const MaxFile = 1 << 30

// A Format is one form of result files.
type Format struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Origin   string `json:"origin"` // who writes it
	Verified bool   `json:"verified"`
	// Cases reports that the file has neither questions nor golds: they come from the cases that were asked.
	Cases bool `json:"needs_cases"`

	dataset string // "": named in the file
	where   string // path of the rows, see rows
	match   func(h head) bool
	rows    func(f *file) iter.Seq2[row, error] // in place of where
	row     func(f *file, r row) (schema.QARecord, error)
	session func(f *file) schema.Seq[schema.SessionRecord]
	claims  func(f *file) []Claim
}

// Formats lists every form, in the order in which they are tried.
func Formats() []Format {
	return slices.Concat(locomoFormats(), longmemevalFormats(), memoryAgentBenchFormats(), memorybenchFormats(), ambFormats(), halumemFormats(), memgalleryFormats(), tableFormats())
}

// ByName finds a form.
func ByName(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown form of result files %q: have %s", name, strings.Join(names, ", "))
}

// Options of an import.
type Options struct {
	Format  string // "": by the file's contents
	System  string // name of the system; "": the file's own, or the file's name
	Dataset string // "": the form's
	Reader  string // model that answered; "": the file's own, or "unknown"
	Judge   string // model that judged; "": the file's own, or "unknown"
	// Verdicts are the file's words for right and wrong answers, where they are not the usual ones.
	Verdicts Verdicts
	// Map places parts of an answer among the columns of a table (Parts); those that it
	// omits are known by their usual names.
	Map map[string]string
	// Asked are the questions of the cases that were asked, with which rows are compared; of several with one id the last. nil: none were given.
	Asked []Asked
}

// ReadAsked reads the questions of case files. It holds the questions only, about 500 bytes
// each. It fails where files have none. counted is called for each case.
func ReadAsked(files []string, stdin io.Reader, found func(*schema.Finding), counted func()) ([]Asked, error) {
	// asked is a case without its sessions, which may be 100 times as large.
	type asked struct {
		ID        string            `json:"case_id"`
		Questions []schema.Question `json:"questions"`
	}
	var out []Asked
	for c, err := range schema.Drop(jsonl.Files[asked](files, stdin), found) {
		if err != nil {
			return nil, err
		}
		counted()
		for _, q := range c.V.Questions {
			out = append(out, Asked{CaseID: c.V.ID, Question: q})
		}
	}
	if len(out) == 0 && len(files) > 0 {
		return nil, schema.Brokenf("%s: no case with questions: give the output of membench datasets convert", strings.Join(files, ", "))
	}
	return out, nil
}

// An Import is one result file, read.
type Import struct {
	Format   Format
	System   string
	QA       schema.Seq[schema.QARecord]
	Sessions schema.Seq[schema.SessionRecord] // nil where the form has none
	Claims   []Claim                          // figures that the file itself states
	Columns  string                           // of a table: the part of each column, and the ignored columns
	Systems  []string                         // of a table with a column of them
	asked    []Asked
}

// OpenFile is Open for a file, or "-" for stdin.
func OpenFile(ctx context.Context, path string, stdin io.Reader, o Options) (*Import, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, schema.Usagef("%s is a folder: give a result file of another program; membench eval report, aggregate, compare and explain read the folder of a run", path)
	}
	r, err := jsonl.Open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Open(jsonl.UntilDone(ctx, r), path, o)
}

// Open reads a result file. It fails if the form cannot be determined or the file cannot be read.
func Open(r io.Reader, name string, o Options) (*Import, error) {
	b, want, err := jsonl.All(r, name, MaxFile)
	if err != nil {
		return nil, err
	}
	if want != "" {
		return nil, schema.Brokenf("%s: too large for a result file: want %s", name, want)
	}
	heads := look(b)
	if o.Format == "" && heads[0].has("system", "case_id", "question_id", "outcome", "hits") {
		return nil, schema.Brokenf("%s: these are records of membench, not a result file: membench eval report, aggregate and compare grade them again and hold them against their run", name)
	}
	f := &file{name: name, b: b, object: heads[0].shape == '{', o: o, questions: map[string]Asked{}, labels: map[string]bool{}}
	for _, a := range o.Asked {
		f.questions[a.ID], f.labels[a.RawCategory] = a, true
	}
	if o.Format == "" && len(o.Map) > 0 {
		o.Format = Table
	}
	if o.Format != "" {
		if f.format, err = ByName(o.Format); err != nil {
			return nil, err
		}
	} else {
		of := func() int {
			return slices.IndexFunc(Formats(), func(x Format) bool { return slices.ContainsFunc(heads, x.match) })
		}
		i := of()
		if i < 0 {
			f.widen(heads)
			i = of()
		}
		if i < 0 {
			more := ""
			if columns := heads[len(heads)-1].columns; len(columns) > 0 {
				more = "; if it is a table of answers, " + unplaced(columns)
			}
			return nil, schema.Brokenf("%s: the form of the result file cannot be determined: name it with --format (membench eval import --list shows them)%s", name, more)
		}
		f.format = Formats()[i]
	}
	if f.format.Name == Table {
		if err := f.placed(heads); err != nil {
			return nil, err
		}
	}
	if f.format.Cases && o.Asked == nil {
		return nil, fmt.Errorf("%s: form %s holds no questions and no golds: give the cases that were asked with --cases", name, f.format.Name)
	}
	if len(f.systems) == 1 {
		f.system = f.systems[0]
	}
	f.system = cmp.Or(o.System, f.system, f.named("provider"), f.named("memory_provider"), systemOf(name))
	im := &Import{Format: f.format, System: f.system, QA: f.records(), Columns: f.read(), Systems: f.systems, asked: o.Asked}
	if f.format.session != nil {
		im.Sessions = f.format.session(f)
	}
	if f.format.claims != nil {
		im.Claims = f.format.claims(f)
	}
	return im, nil
}

// systemOf is a file's name without folder and endings.
func systemOf(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, end := range []string{".json", ".hypotheses", ".csv", ".tsv"} {
		if i := strings.Index(base, end); i > 0 {
			base = base[:i]
		}
	}
	return base
}

// file is one result file while it is read.
type file struct {
	name, system string
	b            []byte
	object       bool // the file is one whole object
	o            Options
	format       Format
	head         head                      // of a table
	columns      csvdoc.Mapping            // of a table
	systems      []string                  // in its column of systems, in the order in which they come first
	placement    map[string]csvdoc.Mapping // of rows of JSON, by their members: see of
	strange      *schema.Finding           // about the categories of a table, until a row carries it
	words        []string                  // of the verdicts of a table, up to three; nil: not looked for
	questions    map[string]Asked          // of the cases, by id
	labels       map[string]bool           // the raw categories of the cases
}

// named is a text member of the whole file's object.
func (f *file) named(member string) string {
	if !f.object {
		return ""
	}
	for name, raw := range codec.Members(f.b) {
		if name == member && len(raw) > 0 && raw[0] == '"' {
			return codec.Unquote(raw)
		}
	}
	return ""
}

func (f *file) records() schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		seen, empty := map[string]int{}, true
		f.strange = f.strangers()
		each := rows(f.b, f.name, f.format.where)
		if f.format.rows != nil {
			each = f.format.rows(f)
		}
		for r, err := range each {
			empty = false
			rec := schema.Record[schema.QARecord]{Pos: r.pos}
			var beside []error
			if err == nil {
				rec.V, beside, err = f.record(r, seen)
			}
			if err == nil && f.strange != nil {
				err, f.strange = f.strange, nil
			}
			if !yield(rec, err) {
				return
			}
			for _, err := range beside {
				if !yield(schema.Record[schema.QARecord]{Pos: r.pos}, err) {
					return
				}
			}
		}
		if empty {
			yield(schema.Record[schema.QARecord]{}, &schema.Finding{Pos: schema.Pos{File: f.name}, Code: "PUB001", Message: "the file contains no row of its form", Want: f.format.Name})
		}
	}
}

// record reads a row. seen counts the rows of each question. beside are the findings about a row that is kept: of a verdict that cannot be read, and of what
// differs from the cases. With an error that is not a warning there is no record.
func (f *file) record(r row, seen map[string]int) (q schema.QARecord, beside []error, err error) {
	q, err = f.format.row(f, r)
	if lost(err) {
		beside, err = append(beside, err), nil
	}
	if fault, ok := err.(*schema.Finding); err != nil && (!ok || !fault.Warning) {
		return schema.QARecord{}, nil, err
	}
	if asked, ok := f.asked(q.QuestionID); ok {
		beside = append(beside, f.differs(&q, asked, r)...)
		f.join(&q, asked)
	}
	if missing := incomplete(q); missing != "" {
		return schema.QARecord{}, nil, r.lacks(missing)
	}
	key := q.CaseID + "\x00" + q.QuestionID + "\x00" + q.System
	n := seen[key]
	switch {
	case n > 0 && len(f.systems) > 0 && f.columns["id"] != "":
		return schema.QARecord{}, nil, &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: "PUB006", Message: "the question has an earlier row of this system; the row was skipped", Have: q.System + ", " + q.QuestionID, Want: "one"}
	case n > 0:
		message := "the question appears twice in its conversation; the later row gets an id of its own"
		if f.format.Name == Table && f.columns["id"] == "" {
			message = "the question was asked in an earlier row, and no column holds an id; the later row gets an id of its own"
		}
		err = &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: "PUB004", Warning: true, Message: message, Have: q.QuestionID}
		q.QuestionID = fmt.Sprintf("%s#%d", q.QuestionID, n+1)
	}
	seen[key]++
	return f.complete(q), beside, err
}

// incomplete names a member that a row must have and lacks; "" if it is complete.
func incomplete(q schema.QARecord) string {
	switch "" {
	case q.CaseID:
		return "case_id"
	case q.QuestionID:
		return "question_id"
	case q.Category:
		return "category"
	}
	return ""
}

// complete fills in the members that are the same in every record of the file.
func (f *file) complete(q schema.QARecord) schema.QARecord {
	if q.System == "" || f.o.System != "" {
		q.System = f.system
	}
	q.Dataset = cmp.Or(f.o.Dataset, q.Dataset, f.format.dataset)
	q.By = cmp.Or(schema.By(f.o.Reader), q.By, "unknown")
	if q.Outcome == "" {
		q.Outcome = schema.OutcomeAnswered
		if strings.TrimSpace(q.Answer) == "" {
			q.Outcome = schema.OutcomeEmpty
		}
	}
	if q.Hits == nil {
		q.Hits = []schema.QAHit{}
	}
	for i := range q.Grades {
		g := &q.Grades[i]
		if f.o.Judge != "" && g.By != schema.ByRule {
			g.By = schema.By(f.o.Judge)
		}
		g.By = cmp.Or(g.By, "unknown")
	}
	return q
}

// join fills in the missing parts of a row's question: a judge needs the words of the question, and the choices, as well as the gold. The case and the category
// are those of the cases where the form has none of its own, in a table also the gold.
func (f *file) join(q *schema.QARecord, asked Asked) {
	of := asked.Record()
	switch f.format.Name {
	case Table:
		q.RawCategory, q.Gold, q.Golds = of.RawCategory, of.Gold, of.Golds
		fallthrough
	case "amb", "memorybench-report":
		q.CaseID, q.Category, q.Abstain = asked.CaseID, of.Category, of.Abstain
	}
	q.Question = cmp.Or(q.Question, of.Question)
	q.AsOf = cmp.Or(q.AsOf, of.AsOf)
	q.Wrong = cmp.Or(q.Wrong, of.Wrong)
	if q.Gold == asked.Answer && q.Golds == nil {
		q.Golds = of.Golds
	}
	q.Choices, q.Rubric, q.OpenEnded = of.Choices, of.Rubric, of.OpenEnded
	if q.Errata == nil && asked.Answer == q.Gold { // the cases define the compared gold, but not for a row with another gold
		q.Errata = asked.Errata
	}
	if q.Evidence == nil {
		q.Evidence, q.EvidenceTexts = of.Evidence, of.EvidenceTexts
		if q.EvidenceIDs == nil {
			q.EvidenceIDs = of.EvidenceIDs
		}
	}
}

func orUnknown(s string) schema.By { return schema.By(cmp.Or(s, "unknown")) }

// Protocols of recorded values.
const (
	RecordedJudge = "recorded-judge" // the recorded verdict; of several votes the majority
	RecordedMean  = "recorded-mean"  // share of several votes that accepted
	RecordedF1    = "recorded-f1"
	RecordedBLEU1 = "recorded-bleu1"

	// PartVotes and PartAccepted of a recorded-judge grade: votes cast, and how many accepted.
	PartVotes    = "votes"
	PartAccepted = "accepted"
)

func (f *file) recorded(protocol string, score float64, by schema.By) schema.Grade {
	return schema.Grade{Protocol: protocol + "@" + f.format.Name, By: by, Score: &score, Outcome: schema.GradeScored}
}

// judge grades a row by its votes; an unreadable vote makes the verdict judge_failed.
func (f *file) judge(q *schema.QARecord, r row, votes []datasets.Scalar, by schema.By) error {
	accepted := 0
	for _, v := range votes {
		yes, ok := f.o.Verdicts.read(v.Text)
		if !ok {
			q.Grades = []schema.Grade{{Protocol: RecordedJudge + "@" + f.format.Name, By: by, Outcome: schema.GradeJudgeFailed, Reply: v.Text}}
			return &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: unread, Message: "the recorded verdict cannot be read and is lost; its answer is kept", Have: strconv.Quote(v.Text), Want: f.wanted()}
		}
		if yes {
			accepted++
		}
	}
	if len(votes) == 0 {
		return nil
	}
	score := 0.0
	if 2*accepted > len(votes) {
		score = 1
	}
	g := f.recorded(RecordedJudge, score, by)
	g.Parts = map[string]float64{PartVotes: float64(len(votes)), PartAccepted: float64(accepted)}
	if len(votes) == 1 {
		g.Reply = votes[0].Text
		q.Grades = []schema.Grade{g}
		return nil
	}
	q.Grades = []schema.Grade{g, f.recorded(RecordedMean, float64(accepted)/float64(len(votes)), by)}
	return nil
}
