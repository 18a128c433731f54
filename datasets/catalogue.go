package datasets

// Status describes membench's support of a set.
type Status string

const (
	StatusRead    Status = "read"    // its files are cases
	StatusConvert Status = "convert" // its files are not cases; a converter makes some
	StatusListed  Status = "listed"  // named for its terms; nothing reads it
)

// Info is the catalogue's entry of a data set: its location, its terms of use, and how far its reader was tested.
type Info struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Home    string `json:"home"`
	Licence string `json:"licence"`
	Terms   string `json:"terms"` // terms of use of its files; shown before fetching
	// Redistributable reports that the files, or parts of them, may be redistributed with their notice.
	Redistributable bool   `json:"redistributable"`
	Status          Status `json:"status"`
	Checked         string `json:"checked,omitzero"`    // the files that the reader was run on
	Unverified      string `json:"unverified,omitzero"` // parts of the format known only from someone's source code
	Size            string `json:"size,omitzero"`       // cases and questions upstream, as counted or published
	Files           []File `json:"files,omitempty"`
	// Whole is the size of the published set; ByCase the known sizes of its cases, by id: reading reports a smaller case. Both are counts from the published
	// files.
	Whole  Counts            `json:"whole,omitzero"`
	ByCase map[string]Counts `json:"by_case,omitempty"`
	Note   string            `json:"note,omitzero"`
}

// A File is one that can be fetched. Without SHA256 fetching wants the sum from the user.
type File struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	SHA256 string `json:"sha256,omitzero"`
	Bytes  int64  `json:"bytes,omitzero"`
	Note   string `json:"note,omitzero"`
}

const nonCommercial = "Non-commercial use only. Do not include it in this project, or in what you publish with it, beyond what the licence allows."

// Catalogue lists every known data set by name. Sums and sizes were copied from the
// places given in Note or measured on the file itself.
func Catalogue() []Info { return catalogue }

// Lookup finds one by name.
func Lookup(name string) (Info, bool) {
	for _, i := range catalogue {
		if i.Name == name {
			return i, true
		}
	}
	return Info{}, false
}

// locomoCases are the ten conversations as published; the available ones agree with the release of 2024.
var locomoCases = map[string]Counts{
	"conv-26": {Sessions: 19, Turns: 419, Questions: 199},
	"conv-30": {Sessions: 19, Turns: 369, Questions: 105},
	"conv-41": {Sessions: 32, Turns: 663, Questions: 193},
	"conv-42": {Sessions: 29, Turns: 629, Questions: 260},
	"conv-43": {Sessions: 29, Turns: 680, Questions: 242},
	"conv-44": {Sessions: 28, Turns: 675, Questions: 158},
	"conv-47": {Sessions: 31, Turns: 689, Questions: 190},
	"conv-48": {Sessions: 30, Turns: 681, Questions: 239},
	"conv-49": {Sessions: 25, Turns: 509, Questions: 196},
	"conv-50": {Sessions: 30, Turns: 568, Questions: 204},
}

var catalogue = []Info{
	{
		Name: "5g-rca", Title: "5G RCA challenge (SRIBD)", Home: "https://aiops.sribd.cn", Licence: "challenge terms, registration needed", Terms: "Available from the organisers only; redistribution is not allowed.",
		Status: StatusListed, Note: "no public copy",
	},
	{
		Name: "aiops2020", Title: "AIOps Challenge 2020 fault tables (DejaVu form)", Home: "https://github.com/NetManAIOps/AlertRCA",
		Licence: "none stated; challenge data", Terms: "Non-commercial research and teaching. No licence allows passing the tables on: keep them local.",
		Status: StatusConvert, Checked: "the fault tables A1 and A2 of AlertRCA", Size: "188 faults in two tables (78 and 110)",
		Note: "faults.csv → incident narratives with times and follow-up cases; times are UTC+8",
	},
	{
		Name: "aiops2020-graph", Title: "AIOps Challenge 2020 through the typed graph", Home: "https://github.com/NetManAIOps/AlertRCA",
		Licence: "none stated; challenge data", Terms: "Non-commercial research and teaching. No licence allows passing the tables on: keep them local.",
		Status: StatusConvert, Checked: "the fault tables A1 and A2 of AlertRCA", Unverified: "no telemetry: cases over the facts told, no root-cause scores",
		Note: "the history of aiops2020 as a graph of incidents, nodes and indicators; golds are computed from the graph",
	},
	{
		Name: "aiops2021", Title: "AIOps Challenge 2021", Home: "https://www.aiops.cn",
		Licence: "challenge terms, registration needed", Terms: "Available from the organisers only; redistribution is not allowed.",
		Status: StatusListed, Note: "no public copy; convert its faults to the form of faults.csv to use the aiops2020 converter",
	},
	{
		Name: "aiopslab", Title: "AIOpsLab", Home: "https://github.com/microsoft/AIOpsLab", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusConvert, Size: "89 problems", Checked: "a list of its problems, derived from its sources", Unverified: "no telemetry: cases over recorded facts, no root-cause scores", Note: "an environment; problems.json (application, service, kind of fault) becomes notes of an incident desk",
	},
	{
		Name: "alert-storm", Title: "Generated alert storms", Home: "membench datasets convert alert-storm --seed N", Licence: "ours", Terms: "Generated: yours.", Redistributable: true,
		Status: StatusConvert, Checked: "its own state, from which every gold is computed", Note: "needs no input",
	},
	{
		Name: "alert-storm-graph", Title: "Generated alert storms through the typed graph", Home: "membench datasets convert alert-storm-graph --seed N", Licence: "ours", Terms: "Generated: yours.", Redistributable: true,
		Status: StatusConvert, Checked: "the generator's state, which it does not see", Note: "alarms, devices, incidents and changes are read from the turns; roots, counts and repeats are computed from the graph",
	},
	{
		Name: "beam", Title: "BEAM (ten abilities over long conversations)", Home: "https://github.com/mohammadtavakoli78/BEAM", Licence: "none stated in the repository", Terms: "No licence is stated: for your own tests only; do not redistribute any of it.",
		Status: StatusRead, Checked: "12 of the 20 conversations of its 100K tier", Unverified: "the tiers 500K and 1M share the layout and were not read; 10M (a folder of plans) is not read", Size: "100K: 20 conversations, 400 questions",
		Note:  "five of the ten abilities need a model as judge: protocol beam-rubric",
		Whole: Counts{Cases: 20, Questions: 400},
	},
	{
		Name: "dejavu", Title: "DejaVu", Home: "https://doi.org/10.5281/zenodo.6955909", Licence: "see Zenodo", Terms: "Read the terms at Zenodo; not passed on here.",
		Status: StatusConvert, Unverified: "the Zenodo archives were not available; their faults.csv is read like that of aiops2020", Note: "same table as aiops2020",
	},
	{
		Name: "domain_a_v2", Title: "domain_a_v2 / WorldMemArena", Home: "https://huggingface.co/datasets/LCZZZZ/WorldMemArena", Licence: "CC BY-NC 4.0", Terms: nonCommercial,
		Status: StatusRead, Unverified: "no file was available: read as UCSB-AI/WorldMemArena's loaders describe it; question types are mapped by their words", Size: "461 samples",
		Note: "the three-file layout and one file a sample; convert --to domain_a_v2 writes the former",
	},
	{
		Name: "halumem", Title: "HaluMem", Home: "https://github.com/MemTensor/HaluMem", Licence: "CC BY-NC-ND 4.0", Terms: nonCommercial + " No derivatives may be published.",
		Status: StatusRead, Checked: "three users of HaluMem-Medium (slices)", Note: "JSON Lines, one user a line",
	},
	{
		Name: "icse20-alert-storm", Title: "Understanding and Handling Alert Storm (ICSE 2020)", Home: "the paper", Licence: "not published", Terms: "No public copy of its data was found.",
		Status: StatusListed, Note: "alert-storm generates its kind",
	},
	{
		Name: "itbench", Title: "ITBench", Home: "https://github.com/itbench-hub/ITBench", Licence: "Apache-2.0", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusConvert, Size: "67 SRE scenarios", Checked: "57 scenario files", Unverified: "no telemetry: cases over recorded facts, no root-cause scores", Note: "an environment; scenarios/*.json (application, fault, alerts) become notes of an incident desk",
	},
	{
		Name: "locomo", Title: "LoCoMo", Home: "https://github.com/snap-research/locomo", Licence: "CC BY-NC 4.0", Terms: nonCommercial,
		Status: StatusRead, Checked: "eight conversations of both releases", Size: "10 conversations, 1,986 questions (282/321/96/841/446 of raw categories 1 to 5)",
		Files: []File{{
			Name: "locomo10.json", URL: "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
			SHA256: "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4", Bytes: 2805274,
		}},
		Note:  "categories by the benchmark's code: 1 several hops, 2 time, 3 open domain, 4 one hop, 5 adversarial",
		Whole: Counts{Cases: 10, Sessions: 272, Turns: 5882, Questions: 1986}, ByCase: locomoCases,
	},
	{
		Name: "longmemeval", Title: "LongMemEval", Home: "https://github.com/xiaowu0162/LongMemEval", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusRead, Checked: "two full records, 425 questions of a reconstruction of the oracle file, and a multi-question sample", Size: "500 questions, each with its own history",
		Files: []File{
			{Name: "longmemeval_s_cleaned.json", URL: "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_s_cleaned.json",
				SHA256: "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442", Bytes: 277383467, Note: "sum of the LFS pointer"},
			{Name: "longmemeval_oracle.json", URL: "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_oracle.json",
				SHA256: "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c", Note: "sum of a public report"},
			{Name: "longmemeval_m_cleaned.json", URL: "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main/longmemeval_m_cleaned.json", Note: "no checksum is known: give it with --sha256"},
		},
		Unverified: "the M file was not available; it has the form of the others",
		Whole:      Counts{Cases: 500, Questions: 500},
	},
	{
		Name: "memgallery", Title: "Mem-Gallery", Home: "https://github.com/YuanchenBei/Mem-Gallery", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusRead, Checked: "17 of its 20 dialogues", Size: "20 dialogues, 1,711 questions", Note: "captions replace the images",
		Whole: Counts{Cases: 20, Questions: 1711},
	},
	{
		Name: "memoryagentbench", Title: "MemoryAgentBench", Home: "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusRead, Unverified: "no data file was available: rows are read as the benchmark's loaders describe them, from JSON and from parquet", Size: "146 contexts in four splits",
		Files: []File{
			{Name: "Accurate_Retrieval-00000-of-00001.parquet", URL: "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench/resolve/main/data/Accurate_Retrieval-00000-of-00001.parquet", Note: "no checksum is known, and the name is not verified: give --sha256"},
			{Name: "Test_Time_Learning-00000-of-00001.parquet", URL: "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench/resolve/main/data/Test_Time_Learning-00000-of-00001.parquet", Note: "no checksum is known: give it with --sha256"},
			{Name: "Long_Range_Understanding-00000-of-00001.parquet", URL: "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench/resolve/main/data/Long_Range_Understanding-00000-of-00001.parquet", Note: "no checksum is known: give it with --sha256"},
			{Name: "Conflict_Resolution-00000-of-00001.parquet", URL: "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench/resolve/main/data/Conflict_Resolution-00000-of-00001.parquet", Note: "no checksum is known: give it with --sha256"},
		},
	},
	{
		Name: "nezha", Title: "Nezha", Home: "https://github.com/IntelligentDDS/Nezha", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusConvert, Size: "101 injected faults", Checked: "four fault lists (85 faults); metrics of four of them", Unverified: "no telemetry for the others: cases over recorded facts, no root-cause scores", Note: "<date>-fault_list.json becomes notes of an incident desk; docs/datasets.md lists the four",
	},
	{
		Name: "openrca", Title: "OpenRCA", Home: "https://github.com/microsoft/OpenRCA", Licence: "MIT", Terms: "Free use with the notice.", Redistributable: true,
		Status: StatusConvert, Size: "335 questions", Checked: "285 rows of its agent archives", Unverified: "no telemetry: cases over recorded facts, no root-cause scores", Note: "the ground truth of agent-*.csv becomes notes of an incident desk",
	},
	{
		Name: "opseval", Title: "OpsEval", Home: "https://github.com/NetManAIOps/OpsEval-Datasets", Licence: "Apache-2.0", Terms: "Free use with attribution. Many items look taken from commercial exam banks: think twice before passing them on.", Redistributable: true,
		Status: StatusConvert, Checked: "2,207 test and 20 dev items", Note: "chosen by topic or word, answers become runbook fragments told in dialogue",
	},
	{
		Name: "opseval-graph", Title: "OpsEval through the typed graph", Home: "https://github.com/NetManAIOps/OpsEval-Datasets", Licence: "Apache-2.0", Terms: "Free use with attribution. Many items look taken from commercial exam banks: think twice before passing them on.", Redistributable: true,
		Status: StatusConvert, Checked: "2,207 test and 20 dev items", Note: "runbook entries and their corrections as a graph: what an entry says, and what it said",
	},
	{
		Name: "personamem", Title: "PersonaMem, in the form of the Agent Memory Benchmark", Home: "https://github.com/vectorize-io/agent-memory-benchmark", Licence: "none stated there", Terms: "No licence is stated: for your own tests only; do not redistribute any of it.",
		Status: StatusRead, Checked: "24 of the 37 histories of its 32k tier", Unverified: "the tiers 128k and 1M were not read", Size: "32k: 37 histories, 589 questions",
		Note:  "multiple choice: protocol choice; no turn evidence",
		Whole: Counts{Cases: 37, Questions: 589},
	},
	{
		Name: "plain", Title: "Your own cases", Home: "docs/datasets.md", Licence: "yours", Terms: "Yours.", Redistributable: true,
		Status: StatusRead, Checked: "its own fixtures", Note: "the short form (chunks and questions), and membench's own Case records",
	},
	{
		Name: "probes", Title: "Cases of a graph of your own", Home: "membench datasets probes GRAPH", Licence: "that of the graph's sources", Terms: "Questions quote the graph's turns: the licence of those turns applies to the cases.",
		Status: StatusConvert, Checked: "the graphs of membench demo and of LoCoMo's eight conversations", Note: "nodes.jsonl and edges.jsonl of to-graph or chain; golds and evidence are computed from the graph",
	},
	{
		Name: "realtalk", Title: "REALTALK (chats of real people over 21 days)", Home: "https://github.com/danny911kr/REALTALK", Licence: "none stated", Terms: "No licence is stated: for your own tests only; do not redistribute any of it.",
		Status: StatusRead, Checked: "7 of its 10 chats", Size: "10 chats, 8,944 turns, 728 questions", Note: "the same people take part in several chats",
		Whole: Counts{Cases: 10, Turns: 8944, Questions: 728},
	},
	{
		Name: "sofi", Title: "SOFI (symptoms and faults of IP networks)", Home: "ScienceDirect, 2022 (data with the article)", Licence: "see the article", Terms: "Read the article's terms; not passed on here.",
		Status: StatusListed, Unverified: "no file was available", Note: "no converter",
	},
}
