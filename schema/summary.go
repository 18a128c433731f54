package schema

// Summary holds the figures of the graded records of one system on one data set. Key: (system, dataset). Every value is in [0,1]; printing converts to per
// cent.
type Summary struct {
	System     string         `json:"system"`
	Type       string         `json:"system_type,omitzero"` // see QARecord.Type
	Dataset    string         `json:"dataset"`
	Questions  int            `json:"questions"`         // distinct questions in the records
	Repeats    int            `json:"repeats"`           // how often each was asked, at most
	Declared   int            `json:"declared,omitzero"` // questions of the set declared before the run
	Coverage   *float64       `json:"coverage,omitempty"`
	Confidence float64        `json:"confidence"` // of every interval
	Outcomes   map[string]int `json:"outcomes"`   // of asking, see the Outcome constants; every record counted once
	// Fingerprint holds the fields that must be equal for runs to be comparable: field → value.
	Fingerprint map[string]string `json:"fingerprint"`
	Scores      []Score           `json:"scores"` // by (protocol, by)
	Metrics     *Metrics          `json:"metrics,omitempty"`
	RetrieveMS  *Spread           `json:"retrieve_ms,omitempty"`
	AnswerMS    *Spread           `json:"answer_ms,omitempty"`
	AnswerChars *Spread           `json:"answer_chars,omitempty"` // code points; long answers flatter a judge
	Usage       []StepUsage       `json:"usage,omitempty"`        // summed by (step, model)
	Cost        *Cost             `json:"cost,omitempty"`         // of Usage, where prices were given
	Warnings    []string          `json:"warnings,omitempty"`
	Extra       Extra             `json:",embed"`
}

// At returns s: summaries exist since 0.1.0 only.
func (s Summary) At(Version) Summary { return s }

// Cost is the price of the usage of all tokens, including calls answered from a cassette (paid earlier). A model without a price is listed and adds nothing.
type Cost struct {
	Currency string     `json:"currency"`
	AsOf     string     `json:"as_of,omitzero"` // day of the price table
	Total    float64    `json:"total"`          // of everything that has a price, in the currency
	Steps    []StepCost `json:"steps"`          // sorted by step
	Unpriced []string   `json:"unpriced,omitempty"`
}

// StepCost is the cost of one step, over its models.
type StepCost struct {
	Step string  `json:"step"`
	Cost float64 `json:"cost"`
}

// Score is one protocol's result for the run.
type Score struct {
	Protocol string         `json:"protocol"` // name@version
	By       By             `json:"by"`
	Binary   bool           `json:"binary"`          // every score was 0 or 1
	Outcomes map[string]int `json:"outcomes"`        // of grading, see the Grade constants
	Apart    []string       `json:"apart,omitempty"` // raw categories that never enter overall or macro
	Overall  Figure         `json:"overall"`         // micro: every scored question weighs the same
	// Macro is the mean of the raw categories' values, each of the same weight; null
	// where none is scored.
	Macro         *float64         `json:"macro"`
	Categories    []CategoryFigure `json:"categories"`
	RawCategories []CategoryFigure `json:"raw_categories"`
	Repeats       *Spread          `json:"repeats,omitempty"` // of the overall value over repeats
	// Corrected is Overall with the corrected golds in place of the recorded ones; absent
	// where no answer was graded against one.
	Corrected *Corrected `json:"corrected,omitempty"`
}

// Corrected is a figure against corrected golds.
type Corrected struct {
	Overlays  []string `json:"overlays"`  // the correction lists
	Questions int      `json:"questions"` // graded again against a corrected gold
	LeftOut   int      `json:"left_out"`  // excluded because no right answer is known: contested golds, wrong questions
	Overall   Figure   `json:"overall"`   // micro average without the excluded questions
	// RawCategories are the set's labels that hold such a question, apart ones too.
	RawCategories []CategoryFigure `json:"raw_categories,omitempty"`
}

// CategoryFigure is the figure of one category.
type CategoryFigure struct {
	Category string `json:"category"`
	// Of are the labels of the other set that its questions have: our categories for a
	// raw one, raw ones for ours; sorted.
	Of     []string `json:"of,omitempty"`
	Figure Figure   `json:"figure"`
}

// Figure is a mean of scores with its intervals and the number of excluded answers. A missing number is null, never 0.
type Figure struct {
	N        int `json:"n"`        // questions scored; of repeats each question once
	Unscored int `json:"unscored"` // the protocol applies, but asking or judging failed
	// Doubtful counts the answers with a doubtful verdict; Value counts them as the judge leans. DoubtLo is the mean with all of them wrong, DoubtHi with all
	// of them right; absent if there are none.
	Doubtful int      `json:"doubtful,omitzero"`
	DoubtLo  *float64 `json:"doubt_lo,omitempty"`
	DoubtHi  *float64 `json:"doubt_hi,omitempty"`
	Value    *float64 `json:"value"`  // mean over the scored
	Strict   *float64 `json:"strict"` // the unscored count as 0
	// Lo and Hi are Wilson's interval; of scores between 0 and 1 it is too wide.
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
	// Clusters is the number of cases; ClusterLo and ClusterHi the t interval
	// over cases (stats.ClusterMean), null below two cases.
	Clusters  int      `json:"clusters"`
	ClusterLo *float64 `json:"cluster_lo"`
	ClusterHi *float64 `json:"cluster_hi"`
}

// Spread describes repeated measurements.
type Spread struct {
	N             int      `json:"n"`
	Mean          *float64 `json:"mean"`
	StdPopulation *float64 `json:"std_population"` // n below the bar
	StdSample     *float64 `json:"std_sample"`     // n−1 below the bar
	P50           *float64 `json:"p50"`            // linear between neighbours
	P95           *float64 `json:"p95"`
}

// Metrics holds the six dimensions of aggregate_metrics.json (seed 001). The first two are
// means over sessions, the others are pooled. A dimension that nothing was graded for
// has null values and n 0.
type Metrics struct {
	BaselineID string `json:"baseline_id"`
	// Who graded; a model's verdicts are before a rule's, which are never mixed in.
	SessionsBy            By                  `json:"sessions_by,omitzero"`
	AnswersBy             By                  `json:"answers_by,omitzero"`
	EvidenceBy            By                  `json:"evidence_by,omitzero"`
	MemoryRecall          RecallMetrics       `json:"memory_recall"`
	MemoryCorrectness     CorrectnessMetrics  `json:"memory_correctness"`
	UpdateHandling        UpdateMetrics       `json:"update_handling"`
	InterferenceRejection InterferenceMetrics `json:"interference_rejection"`
	QuestionAnswering     AnsweringMetrics    `json:"question_answering"`
	EvidenceCoverage      EvidenceHitMetrics  `json:"evidence_coverage"`
}

// RecallMetrics are means over sessions of the share of gold points covered.
type RecallMetrics struct {
	AvgRecall       *float64 `json:"avg_recall"`
	AvgUpdateRecall *float64 `json:"avg_update_recall"` // over the points that are updates
	Sessions        int      `json:"num_sessions"`
	UpdateSessions  int      `json:"num_update_sessions"`
}

// CorrectnessMetrics are means over sessions of the share of new memories.
type CorrectnessMetrics struct {
	AvgCorrectness   *float64 `json:"avg_correctness"`
	AvgHallucination *float64 `json:"avg_hallucination"`
	AvgIrrelevant    *float64 `json:"avg_irrelevant"`
	Sessions         int      `json:"num_sessions"`
}

// UpdateMetrics are pooled over update points: updated 1, both 0.5, outdated 0.
type UpdateMetrics struct {
	Score    *float64 `json:"score"`
	Updated  int      `json:"num_updated"`
	Both     int      `json:"num_both"`
	Outdated int      `json:"num_outdated"`
	Total    int      `json:"num_total"`
}

// InterferenceMetrics are pooled over interference points.
type InterferenceMetrics struct {
	Score     *float64 `json:"score"` // rejected / total
	Rejected  int      `json:"num_rejected"`
	Memorized int      `json:"num_memorized"`
	Total     int      `json:"num_total"`
}

// AnsweringMetrics are pooled over questions.
type AnsweringMetrics struct {
	CorrectRatio       *float64 `json:"correct_ratio"`
	HallucinationRatio *float64 `json:"hallucination_ratio"`
	OmissionRatio      *float64 `json:"omission_ratio"`
	Total              int      `json:"num_total"`
}

// EvidenceHitMetrics are pooled over questions with gold evidence.
type EvidenceHitMetrics struct {
	HitRate *float64 `json:"hit_rate"` // gold evidence covered / gold evidence, pooled
	Total   int      `json:"num_total"`
}
