package all

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/datasets"
	"membench/eval/protocol"
	"membench/internal/tokencount"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Source says which data set is read, from where, and how. Zero values are the
// defaults of each set.
type Source struct {
	Name        string
	Paths       []string // files and folders; "-" is Stdin
	Errata      string   // file of a correction list
	Grain       string   // what gold evidence names where a set has both: turn | session
	Seed        uint64
	Topics      []string // opseval
	Count       int      // alert-storm
	Chunk       int      // memoryagentbench: code points of a chunk; 0: 16000
	ChunkTokens int      // memoryagentbench: tokens of a chunk, cut as the benchmark does; 0: by Chunk
	Workers     int      // records decoded at once; 0: one per core
	MaxValue    int      // bytes of the longest record; 0: datasets.MaxValue
	Stdin       io.Reader
}

// Opened is a data set whose files were found.
type Opened struct {
	datasets.Dataset
	Options datasets.Options
	files   []jsonl.File
}

// Open finds the data set and its files. It fails where the set is unknown, an option is
// out of range, or a path holds none of its files.
func (s Source) Open() (o Opened, err error) {
	d, ok := Lookup(s.Name)
	switch {
	case !ok:
		return o, schema.Usagef("unknown data set %q: have %s", s.Name, strings.Join(Names(), ", "))
	case d.Cases == nil:
		return o, schema.Usagef("%s is listed only for its terms: membench cannot read it (%s)", s.Name, d.Note)
	case !slices.Contains([]string{"", "turn", "session"}, s.Grain):
		return o, schema.Usagef("--grain: have %q, want turn or session", s.Grain)
	case len(s.Paths) == 0 && d.Match != nil:
		return o, schema.Usagef("no file or folder of %s given (membench datasets fetch %s, or %s)", s.Name, s.Name, d.Home)
	case s.ChunkTokens < 0:
		return o, schema.Usagef("--chunk-tokens: have %d, want 1 or more (the benchmark takes 4096, and 512 in its ablation)", s.ChunkTokens)
	case s.Chunk < 0 || s.Count < 0 || s.MaxValue < 0 || s.Workers < 0:
		return o, schema.Usagef("--chunk must be 1 or more; --count, --max-value and --workers must be 0 or more")
	}
	o.Dataset = d
	o.Options = datasets.Options{Grain: s.Grain, Seed: s.Seed, Topics: s.Topics, Count: s.Count, Workers: s.Workers, Max: s.MaxValue}
	if s.Chunk > 0 {
		o.Options.Chunk = func(text string) []string { return datasets.Chunks(text, s.Chunk) }
	}
	if s.ChunkTokens > 0 {
		o.Options.Chunk = func(text string) []string { return protocol.MABChunks(text, s.ChunkTokens, tokencount.O200k) }
	}
	if d.Match != nil {
		if o.files, err = datasets.Find(s.Paths, d.Match, s.Stdin); err != nil {
			return o, err
		}
		if len(o.files) == 0 {
			return o, fmt.Errorf("no file of %s in %s", s.Name, strings.Join(s.Paths, ", "))
		}
	}
	if s.Errata != "" {
		o.Options.Errata, err = d.ReadErrata(s.Errata, s.Stdin)
	}
	return o, err
}

// Read reads the cases; report gets the faults inside a case, nil drops them.
func (o Opened) Read(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case] {
	options := o.Options
	options.Report = report
	return o.Dataset.Read(ctx, o.files, options)
}

// Lint reads all cases and reports what is wrong, or worth knowing, in them. It returns what
// they hold.
func (o Opened) Lint(ctx context.Context, report func(*schema.Finding)) (*datasets.Census, error) {
	o.Options.Lint = true
	n := datasets.NewCensus()
	for r, err := range o.Read(ctx, report) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			report(f)
		case err != nil:
			return n, err
		default:
			n.Add(r.V)
		}
	}
	return n, nil
}

// Observations reads the recorded extraction of a set that has one (Dataset.Observations).
func (o Opened) Observations(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.MemoryExport] {
	options := o.Options
	options.Report = report
	return o.Dataset.Observations(ctx, o.files, options)
}

// Guess names the data set of a file or folder by the names of its files, "cases" where
// none fits: a file of cases.
func Guess(path string) string {
	names := []string{filepath.Base(path)}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		names = nil
		if list, err := os.ReadDir(path); err == nil {
			for _, x := range list {
				names = append(names, x.Name())
			}
		}
	}
	fold := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	for _, n := range names {
		n = jsonl.PlainName(n)
		if strings.HasSuffix(n, "cases.jsonl") {
			return "cases"
		}
		for _, d := range Datasets() {
			stem, _, _ := strings.Cut(n, ".")
			if d.Cases != nil && d.Match != nil && strings.HasPrefix(fold(stem), fold(d.Name)) && d.Match(n) {
				return d.Name
			}
		}
	}
	return "cases"
}
